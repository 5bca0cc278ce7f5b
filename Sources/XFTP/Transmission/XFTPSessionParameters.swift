package import SMP
package import SimpleXCrypto

/// The parameters of a session that determine the encoding of its blocks, and functions that encode and parse blocks.
///
/// simplexmq `protocol/xftp.md`, "XFTP transmission": a block contains one transmission in the form of SMP version 6.
/// So every version of XFTP both transmits and signs the session id; the document does not mention this.
package struct XFTPSessionParameters: Hashable, Sendable {
    package var version: XFTPVersion
    /// The TLS channel binding of the connection.
    package var sessionID: [UInt8]

    package init(version: XFTPVersion, sessionID: [UInt8]) {
        self.version = version
        self.sessionID = sessionID
    }

    private var legacyParameters: SessionParameters { SessionParameters(version: .legacy, sessionID: sessionID) }

    // MARK: Writing

    /// Returns the block of a command.
    ///
    /// - Parameters:
    ///   - entityID: the id of the chunk; empty for commands without a chunk.
    ///   - key: the key that signs the command; nil for PING.
    ///   - corrID: an id that the answer repeats. All clients leave it empty, since an answer belongs to its HTTP
    ///     request.
    /// - Throws: ``SMPTransportError/largeMsg`` when a block cannot contain all recipients.
    package func encodeBlock(
        _ command: XFTPCommand,
        entityID: [UInt8] = [],
        key: AuthorizationPrivateKey? = nil,
        corrID: [UInt8] = []
    ) throws(SMPTransportError) -> [UInt8] {
        guard let content = try? TransmissionContent(corrID, entityID, legacyParameters, encode: command.encode) else {
            throw .largeMsg
        }
        guard let key else { return try Self.encodeBlock(content.encodeTransmission()) }
        // Only an authorization with a Diffie-Hellman key could fail, since it needs a key of the server. No XFTP
        // command is authorized with a Diffie-Hellman key.
        guard let authorization = try? content.makeAuthorization(by: key, corrID: corrID, serverKey: nil) else {
            throw .noServerAuth
        }
        return try Self.encodeBlock(content.encodeTransmission(authorization: authorization))
    }

    /// Returns the block with an answer.
    package func encodeBlock(
        _ response: FileResponse,
        entityID: [UInt8],
        corrID: [UInt8]
    ) throws(SMPTransportError) -> [UInt8] {
        let content = try? TransmissionContent(corrID, entityID, legacyParameters) { writer in
            response.encode(to: &writer, version: version)
        }
        guard let content else { throw .largeMsg }
        return try Self.encodeBlock(content.encodeTransmission())
    }

    private static func encodeBlock(_ transmission: [UInt8]) throws(SMPTransportError) -> [UInt8] {
        guard case .block(let content, _)? = TransmissionBatch.splitIntoBlocks([transmission]).first else {
            throw .largeMsg
        }
        return try XFTPBlock.pad(content)
    }

    // MARK: Reading

    /// A fault of a transmission, with the correlation id if it could be read.
    package struct Fault: Error, Hashable, Sendable {
        package var corrID: [UInt8]
        package var error: XFTPServerError
    }

    /// Returns the parts of the transmission in a block. The authorization is not verified.
    package func parseTransmission(in block: [UInt8]) throws(Fault) -> ReceivedTransmission {
        guard block.count == XFTPBlock.size, let content = try? XFTPBlock.unpad(block),
            let transmissions = try? TransmissionBatch.parseTransmissions(content), transmissions.count == 1,
            let only = transmissions.first
        else { throw Fault(corrID: [], error: .block) }
        do throws(ReceivedTransmission.Fault) {
            return try ReceivedTransmission(parsing: only, session: legacyParameters)
        } catch {
            throw Fault(corrID: error.corrID, error: error.error == .session ? .session : .block)
        }
    }

    /// Parses the answer in a block. For a malformed answer, throws the error that a server would return for a
    /// malformed command.
    package func parseResponse(in block: [UInt8]) throws(XFTPServerError) -> FileResponse {
        let transmission: ReceivedTransmission
        do throws(Fault) { transmission = try self.parseTransmission(in: block) } catch { throw error.error }
        let response = try FileResponse(parsing: transmission.command)
        if let error = response.findCredentialsError(hasEntity: !transmission.entityID.isEmpty) { throw .cmd(error) }
        return response
    }
}

extension ReceivedTransmission {
    /// Parses the client's command. Checks that the transmission has exactly the credentials that the command needs,
    /// but does not verify the credentials. Throws the error that the server answers.
    package func parseFileCommand() throws(XFTPServerError) -> XFTPCommand {
        let command = try XFTPCommand(parsing: command)
        if let error = command.findCredentialsError(
            hasAuthorization: authorization != nil,
            hasEntity: !entityID.isEmpty
        ) {
            throw .cmd(error)
        }
        return command
    }
}
