package import SimpleXCrypto

/// The parts of a received transmission. Its command is not parsed yet, and its authorization is not verified yet.
package struct ReceivedTransmission: Sendable {
    /// The authorization of the command: a signature or an authenticator, which differ in length. Nil when there is
    /// none.
    package var authorization: Authorization?
    /// The signature of a service, from version 16.
    package var serviceSignature: [UInt8]?
    package var corrID: [UInt8]
    package var entityID: [UInt8]
    /// The encoded command.
    package var command: ArraySlice<UInt8>
    private let session: SessionParameters
    private let authorizedContent: ArraySlice<UInt8>

    package enum Authorization: Hashable, Sendable {
        /// A signature of 64 bytes (Ed25519) or 114 bytes (Ed448).
        case signature([UInt8])
        /// An authenticator of 80 bytes, made with an X25519 key.
        case authenticator([UInt8])
    }

    /// A fault of a transmission, with the correlation id if it could be read. The relay answers ERR BLOCK or ERR
    /// SESSION.
    package struct Fault: Error, Hashable, Sendable {
        package var corrID: [UInt8]
        package var error: SMPErrorType

        package init(corrID: [UInt8], error: SMPErrorType) {
            self.corrID = corrID
            self.error = error
        }
    }

    package init(parsing bytes: ArraySlice<UInt8>, session: SessionParameters) throws(Fault) {
        var reader = ByteReader(bytes)
        let authorizer: [UInt8]
        var sessionID: [UInt8]?
        do throws(SMPEncodingError) {
            authorizer = try reader.readShortBytes()
            serviceSignature = session.hasServiceSignatures && !authorizer.isEmpty ? try reader.readOptional() : nil
            let start = reader.offset
            if !session.isSessionIDImplied { sessionID = try reader.readShortBytes() }
            corrID = try reader.readShortBytes()
            entityID = try reader.readShortBytes()
            command = bytes.dropFirst(reader.offset)
            authorizedContent = bytes.dropFirst(start)
            self.session = session
        } catch {
            throw Fault(corrID: [], error: .block)
        }
        if let sessionID, sessionID != session.sessionID { throw Fault(corrID: corrID, error: .session) }
        switch authorizer.count {
        case 0: authorization = nil
        case CommandAuthenticator.size: authorization = .authenticator(authorizer)
        case Ed25519.signatureSize, Ed448.signatureSize: authorization = .signature(authorizer)
        default: throw Fault(corrID: corrID, error: .block)
        }
    }

    /// The bytes that the authorization must cover: the session id and all bytes after the authorization.
    package var authorizedBytes: [UInt8] { authorizedBytes() }

    /// Returns the bytes that the authorization of the queue's key must cover.
    /// - Parameter certificateHash: the certificate hash of a service that has signed too. The authorization of the
    ///   queue's key covers this hash before the other bytes, but the service's signature does not.
    package func authorizedBytes(certificateHash: [UInt8] = []) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(certificateHash.count + authorizedContent.count + session.sessionID.count + 1)
        bytes.append(contentsOf: certificateHash)
        if session.isSessionIDImplied {
            bytes.append(UInt8(truncatingIfNeeded: session.sessionID.count))
            bytes.append(contentsOf: session.sessionID)
        }
        bytes.append(contentsOf: authorizedContent)
        return bytes
    }

    /// Returns whether `key` authorized this transmission. For X25519 keys, `sessionKey` is the relay's private session
    /// key.
    package func isAuthorized(
        by key: AuthorizationKey,
        sessionKey: X25519.PrivateKey,
        certificateHash: [UInt8] = []
    ) -> Bool {
        let authorized = authorizedBytes(certificateHash: certificateHash)
        return switch (key, authorization) {
        case (.ed25519(let key), .signature(let signature)):
            signature.count == Ed25519.signatureSize && key.isValidSignature(signature, for: authorized)
        case (.ed448(let key), .signature(let signature)):
            signature.count == Ed448.signatureSize && key.isValidSignature(signature, for: authorized)
        case (.x25519(let key), .authenticator(let authenticator)):
            if let secret = try? sessionKey.sharedSecret(with: key) {
                CommandAuthenticator.isValidAuthenticator(
                    authenticator,
                    for: authorized,
                    secret: secret,
                    nonce: BoxNonce(padding: corrID)
                )
            } else {
                false
            }
        default: false
        }
    }

    /// Parses the client's command. Checks that needed credentials are present and forbidden ones are absent, but does
    /// not verify the credentials. Throws the error that the relay answers.
    package func parseClientCommand() throws(SMPErrorType) -> ClientCommand {
        let parsed = try ClientCommand(parsing: command, version: session.version)
        if let error = parsed.findCredentialsError(hasAuthorization: authorization != nil, hasEntity: !entityID.isEmpty)
        {
            throw .cmd(error)
        }
        return parsed
    }

    /// Parses the message of a relay, and checks that its entity id is present or absent as the message requires.
    package func parseBrokerMessage() throws(SMPEncodingError) -> BrokerMessage {
        let message = try BrokerMessage(parsing: command, version: session.version)
        guard message.isConsistent(hasEntity: !entityID.isEmpty) else { throw .invalidValue("entity id") }
        return message
    }
}
