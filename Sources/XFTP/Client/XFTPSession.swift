public import NIOCore
public import SMP
public import SimpleXCrypto
public import Transport

/// A session with a file server, after the handshake. It lives until the connection breaks or it is closed.
///
/// simplexmq `protocol/xftp.md`. Chunks are held in memory as a whole: the largest has 4 MiB. Commands may be sent concurrently.
public final class XFTPSession: Sendable {
    public let parameters: XFTPSessionParameters
    public let server: ProtocolServer
    /// The one of the server's hosts that was connected to.
    public var host: TransportHost { connection.host }
    private let connection: FileConnection
    private let configuration: TransportConfiguration

    private init(
        _ parameters: XFTPSessionParameters, _ server: ProtocolServer, _ connection: FileConnection, _ configuration: TransportConfiguration
    ) {
        self.parameters = parameters
        self.server = server
        self.connection = connection
        self.configuration = configuration
    }

    /// Connects to `server` and performs the handshake. If the server agrees on no application protocol, version 1 is used without a handshake.
    ///
    /// From the configuration it uses the background timeouts, keep-alive, hosts, the SOCKS proxy and the web port.
    public static func connect(
        to server: ProtocolServer, configuration: TransportConfiguration = TransportConfiguration(), group: any EventLoopGroup
    ) async throws(XFTPClientError) -> XFTPSession {
        let connection = try await FileConnection.connect(to: server, configuration: configuration, group: group)
        do throws(XFTPClientError) {
            let parameters = try await handshake(connection, server, timeout: configuration.connectTimeout)
            return XFTPSession(parameters, server, connection, configuration)
        } catch {
            await connection.close()
            throw error
        }
    }

    private static func handshake(
        _ connection: FileConnection, _ server: ProtocolServer, timeout: TimeAmount
    ) async throws(XFTPClientError) -> XFTPSessionParameters {
        let sessionID = connection.tls.channelBinding
        switch connection.tls.applicationProtocol {
        case TLSSession.fileProtocol, TLSSession.webProtocol: break
        default: return XFTPSessionParameters(version: .initial, sessionID: sessionID)
        }
        let hello = try await connection.post([], timeout: timeout)
        let handshake = XFTPClientHandshake(
            sessionID: sessionID, keyHash: server.keyHash, leafCertificate: connection.tls.peerCertificates.first)
        let (body, session): ([UInt8], XFTPSessionParameters)
        do throws(TransportError) {
            (body, session) = try handshake.answer(serverHello: hello)
        } catch {
            throw .broker(.transport(error))
        }
        guard try await connection.post([body], timeout: timeout).isEmpty else { throw .broker(.transport(.badBlock)) }
        return session
    }

    // MARK: Commands

    /// Creates a chunk (FNEW). Returns its ids, for the sender and for each recipient in order.
    /// - Parameter key: the private part of the sender's key in `file`.
    public func create(
        _ file: FileInfo, recipients: [AuthorizationKey], password: String? = nil, key: AuthorizationPrivateKey
    ) async throws(XFTPClientError) -> (senderID: [UInt8], recipientIDs: [[UInt8]]) {
        let answer = try await send(.fnew(file, recipients: recipients, password: password), key: key).response
        guard case .sids(let senderID, let recipientIDs) = answer, recipientIDs.count == recipients.count else { throw .unexpected(answer) }
        return (senderID, recipientIDs)
    }

    /// Adds recipients of a chunk (FADD): its ids for them, in order.
    public func addRecipients(
        _ recipients: [AuthorizationKey], to senderID: [UInt8], key: AuthorizationPrivateKey
    ) async throws(XFTPClientError) -> [[UInt8]] {
        let answer = try await send(.fadd(recipients: recipients), senderID, key: key).response
        guard case .rids(let recipientIDs) = answer, recipientIDs.count == recipients.count else { throw .unexpected(answer) }
        return recipientIDs
    }

    /// Uploads a chunk (FPUT). The upload of the same chunk may be repeated.
    public func upload(_ chunk: [UInt8], to senderID: [UInt8], key: AuthorizationPrivateKey) async throws(XFTPClientError) {
        try await done(.fput, senderID, key: key, chunk: chunk)
    }

    /// Downloads a chunk of this size (in bytes) and SHA-256 (FGET).
    public func download(
        _ recipientID: [UInt8], size: Int, digest: [UInt8], key: AuthorizationPrivateKey
    ) async throws(XFTPClientError) -> [UInt8] {
        let ownKey: X25519.PrivateKey
        do { ownKey = try X25519.PrivateKey() } catch { throw .crypto(error) }
        let (answer, body) = try await send(.fget(ownKey.publicKey), recipientID, key: key, expecting: size)
        guard case .file(let serverKey, let nonce) = answer else { throw .unexpected(answer) }
        let secret: X25519.SharedSecret
        do { secret = try ownKey.sharedSecret(with: serverKey) } catch { throw .crypto(error) }
        do throws(XFTPErrorType) {
            guard !body.isEmpty else { throw .noFile }
            return try ChunkEncryption.open(body, secret: secret, nonce: nonce, size: size, digest: digest)
        } catch {
            throw .response(error)
        }
    }

    /// Deletes a chunk, for all its recipients (FDEL).
    public func delete(_ senderID: [UInt8], key: AuthorizationPrivateKey) async throws(XFTPClientError) {
        try await done(.fdel, senderID, key: key)
    }

    /// Acknowledges that the chunk was received and is not needed again (FACK).
    public func acknowledge(_ recipientID: [UInt8], key: AuthorizationPrivateKey) async throws(XFTPClientError) {
        try await done(.fack, recipientID, key: key)
    }

    public func ping() async throws(XFTPClientError) {
        let answer = try await send(.ping, key: nil).response
        guard answer == .pong else { throw .unexpected(answer) }
    }

    /// Closes the connection. Commands that wait for an answer fail.
    public func close() async { await connection.close() }

    // MARK: Requests

    private func done(
        _ command: FileCommand, _ entityID: [UInt8], key: AuthorizationPrivateKey, chunk: [UInt8] = []
    ) async throws(XFTPClientError) {
        let answer = try await send(command, entityID, key: key, chunk: chunk).response
        guard answer == .ok else { throw .unexpected(answer) }
    }

    /// Sends a command, with the chunk that follows it. ERR is a failure here.
    /// - Parameter expecting: the size of the chunk that follows the answer.
    /// - Returns: the answer, and what follows it.
    private func send(
        _ command: FileCommand, _ entityID: [UInt8] = [], key: AuthorizationPrivateKey?, chunk: [UInt8] = [], expecting size: Int = 0
    ) async throws(XFTPClientError) -> (response: FileResponse, body: ArraySlice<UInt8>) {
        let block: [UInt8]
        do throws(TransportError) {
            block = try parameters.block(command, entityID: entityID, key: key)
        } catch {
            throw .broker(.transport(error))
        }
        let body = try await connection.post(
            chunk.isEmpty ? [block] : [block, chunk], limit: XFTPBlock.size + size + ChunkEncryption.tagSize,
            timeout: configuration.timeout(forBytes: max(chunk.count, size)))
        let response: FileResponse
        do throws(XFTPErrorType) {
            response = try parameters.response(in: Array(body.prefix(XFTPBlock.size)))
        } catch {
            throw .response(error)
        }
        if case .err(let error) = response { throw .xftp(error) }
        return (response, body.dropFirst(XFTPBlock.size))
    }
}

extension XFTPClientError {
    /// A well-formed answer that is none to the command.
    fileprivate static func unexpected(_ answer: FileResponse) -> XFTPClientError { .broker(.unexpected(answer.tag)) }
}

extension TransportConfiguration {
    /// The timeout of a request with this many bytes in addition to its block.
    fileprivate func timeout(forBytes bytes: Int) -> TimeAmount {
        let (more, overflow) = timeoutPerKilobyte.nanoseconds.multipliedReportingOverflow(by: Int64(bytes / 1024))
        let most = TimeAmount.hours(24 * 7)
        return min(connectTimeout + responseTimeout + (overflow ? most : min(.nanoseconds(more), most)), most)
    }
}
