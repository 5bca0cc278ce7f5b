package import NIOCore
package import SMP
package import SimpleXCrypto
import Synchronization
package import Transport

/// A session with a file server, after the handshake. The session ends when the connection breaks or is closed.
///
/// simplexmq `protocol/xftp.md`. Commands may be sent concurrently.
package final class XFTPSession: Sendable {
    package let parameters: XFTPSessionParameters
    /// The host of the server to which the session is connected.
    package var host: TransportHost { connection.host }
    private let connection: FileConnection
    private let configuration: TransportConfiguration

    private init(
        _ parameters: XFTPSessionParameters,
        _ connection: FileConnection,
        _ configuration: TransportConfiguration
    ) {
        self.parameters = parameters
        self.connection = connection
        self.configuration = configuration
    }

    /// Connects to `server` and performs the handshake. If the server agrees on no application protocol, version 1 is
    /// used without a handshake.
    ///
    /// Uses these parts of the configuration: the background timeouts, keep-alive, hosts, the SOCKS proxy and the web
    /// port.
    package static func connect(
        to server: ProtocolServer,
        configuration: TransportConfiguration = TransportConfiguration(),
        group: any EventLoopGroup
    ) async throws(XFTPClientError) -> XFTPSession {
        let connection = try await FileConnection.connect(to: server, configuration: configuration, group: group)
        do throws(XFTPClientError) {
            let parameters = try await performHandshake(connection, server, timeout: configuration.connectTimeout)
            return XFTPSession(parameters, connection, configuration)
        } catch {
            await connection.close()
            throw error
        }
    }

    private static func performHandshake(
        _ connection: FileConnection,
        _ server: ProtocolServer,
        timeout: TimeAmount
    ) async throws(XFTPClientError) -> XFTPSessionParameters {
        let sessionID = connection.tls.channelBinding
        switch connection.tls.applicationProtocol {
        case TLSSession.fileProtocol, TLSSession.webProtocol: break
        default: return XFTPSessionParameters(version: .initial, sessionID: sessionID)
        }
        let hello = try await connection.postRequest(nil, timeout: timeout)
        let handshake = XFTPClientHandshake(
            sessionID: sessionID,
            keyHash: server.keyHash,
            leafCertificate: connection.tls.peerCertificates.first
        )
        let (body, session): ([UInt8], XFTPSessionParameters)
        do throws(SMPTransportError) {
            (body, session) = try handshake.makeClientHello(serverHello: hello)
        } catch {
            throw .broker(.transport(error))
        }
        guard try await connection.postRequest(body, timeout: timeout).isEmpty else {
            throw .broker(.transport(.badBlock))
        }
        return session
    }

    // MARK: Commands

    /// Creates a chunk (FNEW). Returns the ids of the chunk for the sender and for each recipient, in order.
    /// - Parameter key: the private part of the sender's key in `file`.
    package func createChunk(
        _ file: ChunkInfo,
        recipients: [AuthorizationKey],
        password: String? = nil,
        key: AuthorizationPrivateKey
    ) async throws(XFTPClientError) -> (senderID: [UInt8], recipientIDs: [[UInt8]]) {
        let answer = try await sendCommand(.fnew(file, recipients: recipients, password: password), key: key)
        guard case .sids(let senderID, let recipientIDs) = answer, recipientIDs.count == recipients.count else {
            throw .unexpectedAnswer(answer)
        }
        return (senderID, recipientIDs)
    }

    /// Adds recipients to a chunk (FADD). Returns the ids of the chunk for these recipients, in order.
    package func addRecipients(
        _ recipients: [AuthorizationKey],
        to senderID: [UInt8],
        key: AuthorizationPrivateKey
    ) async throws(XFTPClientError) -> [[UInt8]] {
        let answer = try await sendCommand(.fadd(recipients: recipients), senderID, key: key)
        guard case .rids(let recipientIDs) = answer, recipientIDs.count == recipients.count else {
            throw .unexpectedAnswer(answer)
        }
        return recipientIDs
    }

    /// Uploads a chunk (FPUT). The upload of the same chunk may be repeated.
    package func uploadChunk(
        _ chunk: [UInt8],
        to senderID: [UInt8],
        key: AuthorizationPrivateKey
    ) async throws(XFTPClientError) {
        do { try await uploadChunk(ChunkSource(chunk), to: senderID, key: key) } catch {
            throw XFTPClientError(transportFailure: error)
        }
    }

    /// Uploads a chunk of this size (in bytes), which is read while it is sent.
    /// - Parameter read: fills a buffer with the bytes that begin at an offset. Runs on a thread that may block.
    /// - Throws: ``XFTPClientError``, or an error of `read`.
    package func uploadChunk(
        size: Int,
        to senderID: [UInt8],
        key: AuthorizationPrivateKey,
        read: @escaping @Sendable (_ offset: Int, _ buffer: UnsafeMutableRawBufferPointer) throws -> Void
    ) async throws {
        try await uploadChunk(ChunkSource(size: size, read: read), to: senderID, key: key)
    }

    private func uploadChunk(_ chunk: ChunkSource, to senderID: [UInt8], key: AuthorizationPrivateKey) async throws {
        let block = try encodeBlock(.fput, senderID, key: key)
        let answer = try await connection.postRequest(
            block,
            chunk: chunk.size == 0 ? nil : chunk,
            timeout: configuration.requestTimeout(forBytes: chunk.size)
        )
        let response = try parseResponse(in: answer)
        guard response == .ok else { throw XFTPClientError.unexpectedAnswer(response) }
    }

    /// Downloads a chunk with this size (in bytes) and this SHA-256 (FGET).
    package func downloadChunk(
        _ recipientID: [UInt8],
        size: Int,
        digest: [UInt8],
        key: AuthorizationPrivateKey
    ) async throws(XFTPClientError) -> [UInt8] {
        let chunk = Mutex<[UInt8]>([])
        do {
            try await downloadChunk(recipientID, size: size, digest: digest, key: key) { _, part in
                chunk.withLock { $0 += part }
            }
        } catch {
            throw XFTPClientError(transportFailure: error)
        }
        return chunk.withLock { $0 }
    }

    /// Downloads a chunk in parts.
    /// - Parameter write: gets the parts in order, on threads that may block. The parts are verified only when this
    ///   function returns.
    /// - Throws: ``XFTPClientError``, or an error of `write`.
    package func downloadChunk(
        _ recipientID: [UInt8],
        size: Int,
        digest: [UInt8],
        key: AuthorizationPrivateKey,
        write: @escaping @Sendable (_ offset: Int, _ part: UnsafeRawBufferPointer) throws -> Void
    ) async throws {
        let ownKey: X25519.PrivateKey
        do { ownKey = try X25519.PrivateKey() } catch { throw XFTPClientError.crypto(error) }
        let receiver = try ChunkReceiver(
            size: size,
            digest: digest,
            open: { [parameters] block throws(XFTPClientError) in
                let answer = try parameters.parseAnswer(in: block)
                guard case .file(let serverKey, let nonce) = answer else { throw .unexpectedAnswer(answer) }
                do throws(CryptoError) {
                    return SecretBoxStream(secret: try ownKey.sharedSecret(with: serverKey), nonce: nonce)
                } catch { throw .crypto(error) }
            },
            write: write
        )
        let block = try encodeBlock(.fget(ownKey.publicKey), recipientID, key: key)
        _ = try await connection.postRequest(
            block,
            receiver: receiver,
            limit: XFTPBlock.size + size + ChunkEncryption.tagSize,
            timeout: configuration.requestTimeout(forBytes: size)
        )
        try receiver.verifyChunk()
    }

    /// Deletes a chunk for all its recipients (FDEL).
    package func deleteChunk(_ senderID: [UInt8], key: AuthorizationPrivateKey) async throws(XFTPClientError) {
        try await sendExpectingOK(.fdel, senderID, key: key)
    }

    /// Acknowledges that the chunk was received and is not needed again (FACK).
    package func acknowledgeChunk(_ recipientID: [UInt8], key: AuthorizationPrivateKey) async throws(XFTPClientError) {
        try await sendExpectingOK(.fack, recipientID, key: key)
    }

    package func sendPing() async throws(XFTPClientError) {
        let answer = try await sendCommand(.ping, key: nil)
        guard answer == .pong else { throw .unexpectedAnswer(answer) }
    }

    /// Closes the connection. Commands that wait for their answers fail.
    package func close() async { await connection.close() }

    // MARK: Requests

    private func sendExpectingOK(
        _ command: XFTPCommand,
        _ entityID: [UInt8],
        key: AuthorizationPrivateKey
    ) async throws(XFTPClientError) {
        let answer = try await sendCommand(command, entityID, key: key)
        guard answer == .ok else { throw .unexpectedAnswer(answer) }
    }

    /// Sends a command, and returns its answer. Throws if the answer is an error (ERR).
    private func sendCommand(
        _ command: XFTPCommand,
        _ entityID: [UInt8] = [],
        key: AuthorizationPrivateKey?
    ) async throws(XFTPClientError) -> FileResponse {
        let block = try encodeBlock(command, entityID, key: key)
        return try parseResponse(
            in: try await connection.postRequest(block, timeout: configuration.requestTimeout(forBytes: 0))
        )
    }

    private func encodeBlock(
        _ command: XFTPCommand,
        _ entityID: [UInt8],
        key: AuthorizationPrivateKey?
    ) throws(XFTPClientError) -> [UInt8] {
        do throws(SMPTransportError) {
            return try parameters.encodeBlock(command, entityID: entityID, key: key)
        } catch {
            throw .broker(.transport(error))
        }
    }

    private func parseResponse(in body: [UInt8]) throws(XFTPClientError) -> FileResponse {
        try parameters.parseAnswer(in: Array(body.prefix(XFTPBlock.size)))
    }
}

extension XFTPSessionParameters {
    /// Parses the answer in a block. Throws if the answer is an error (ERR).
    fileprivate func parseAnswer(in block: [UInt8]) throws(XFTPClientError) -> FileResponse {
        let response: FileResponse
        do throws(XFTPServerError) {
            response = try self.parseResponse(in: block)
        } catch {
            throw .malformedAnswer(error)
        }
        if case .err(let error) = response { throw .xftp(error) }
        return response
    }
}

extension XFTPClientError {
    /// Makes the error for a well-formed answer that does not belong to the command.
    fileprivate static func unexpectedAnswer(_ answer: FileResponse) -> XFTPClientError {
        .broker(.unexpected(answer.tag))
    }
}

extension TransportConfiguration {
    /// Returns the timeout of a request that has this number of bytes in addition to its block.
    fileprivate func requestTimeout(forBytes bytes: Int) -> TimeAmount {
        let (more, overflow) = timeoutPerKilobyte.nanoseconds.multipliedReportingOverflow(by: Int64(bytes / 1024))
        let most = TimeAmount.hours(24 * 7)
        return min(connectTimeout + responseTimeout + (overflow ? most : min(.nanoseconds(more), most)), most)
    }
}
