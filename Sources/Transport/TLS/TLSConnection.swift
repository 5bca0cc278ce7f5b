import COpenSSL
import NIOCore

/// One TLS connection over buffers instead of a socket. The caller adds bytes from the network to ``receivedBytes``,
/// and takes the bytes for the network with ``takeOutput()``.
///
/// Not thread-safe: it is used only on the event loop of one channel.
final class TLSConnection {
    enum Progress { case handshakeDone, wantsInput }
    enum ReadResult { case data(ByteBuffer), wantsInput, peerClosed }

    private let ssl: OpaquePointer
    private let context: TLSContext
    /// The context with which the connection continues if the client is a browser.
    private let webContext: TLSContext?
    /// Whether the client is a browser, so that the connection uses ``webContext``.
    private var isBrowserConnection = false
    private let isServer: Bool
    private let expectedFingerprint: [UInt8]?
    /// Whether this is a connection between two devices for remote control.
    private let isDeviceConnection: Bool
    /// The error that the verification callback has found. The callback stores the error here, since OpenSSL cannot
    /// pass it on.
    private var identityFailure: TLSError?
    /// The certificates that the client has presented to the server.
    private var clientCertificates: [[UInt8]] = []
    private var receivedBytes = ByteBuffer()
    private var outputBytes = ByteBuffer()

    /// Makes one side of a connection. The handshake has not begun.
    /// - Parameters:
    ///   - expectedFingerprint: on a client, the fingerprint in the address of the relay. Between devices, the
    ///     fingerprint of the peer if it is known.
    ///   - isBetweenDevices: whether the peer has the certificates of a device, not of a relay or a service.
    ///   - webContext: on a server, the context for browsers.
    init(
        context: TLSContext,
        isServer: Bool,
        expectedFingerprint: [UInt8]? = nil,
        isBetweenDevices: Bool = false,
        webContext: TLSContext? = nil
    ) throws(TLSError) {
        guard let ssl = SSL_new(context.pointer) else { throw .configuration(OpenSSLError.takeNewestError()) }
        self.ssl = ssl
        self.context = context
        self.webContext = webContext
        self.isServer = isServer
        self.expectedFingerprint = expectedFingerprint
        self.isDeviceConnection = isBetweenDevices
        guard let bio = BIO_new(Self.bufferMethod.pointer) else { throw .configuration(OpenSSLError.takeNewestError()) }
        let this = Unmanaged.passUnretained(self).toOpaque()
        BIO_set_data(bio, this)
        BIO_set_init(bio, 1)
        SSL_set_bio(ssl, bio, bio)
        SSL_set_ex_data(ssl, 0, this)
        if isServer { SSL_set_accept_state(ssl) } else { SSL_set_connect_state(ssl) }
    }

    /// Requires that the peer is a web server with a certificate for this name or address. OpenSSL verifies the chain
    /// of the certificate.
    func requireWebServer(host: String, isAddress: Bool) throws(TLSError) {
        guard !isAddress else {
            guard X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(ssl), host) == 1 else {
                throw .configuration(OpenSSLError.takeNewestError())
            }
            return
        }
        SSL_set_hostflags(ssl, UInt32(X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS))
        var name = Array(host.utf8CString)
        guard SSL_set1_host(ssl, host) == 1,
            SSL_ctrl(ssl, SSL_CTRL_SET_TLSEXT_HOSTNAME, Int(TLSEXT_NAMETYPE_host_name), &name) == 1
        else {
            throw .configuration(OpenSSLError.takeNewestError())
        }
    }

    deinit { SSL_free(ssl) }

    /// Adds bytes that were received from the network.
    func addReceived(_ bytes: inout ByteBuffer) {
        if receivedBytes.readableBytes == 0 { receivedBytes = bytes } else { receivedBytes.writeBuffer(&bytes) }
    }

    /// Removes and returns the bytes to send; nil when there are none.
    func takeOutput() -> ByteBuffer? {
        guard outputBytes.readableBytes > 0 else { return nil }
        defer { outputBytes = ByteBuffer() }
        return outputBytes
    }

    func continueHandshake() throws(TLSError) -> Progress {
        ERR_clear_error()
        let result = SSL_do_handshake(ssl)
        if result == 1 { return .handshakeDone }
        switch SSL_get_error(ssl, result) {
        case SSL_ERROR_WANT_READ: return .wantsInput
        default:
            let reason = OpenSSLError.takeNewestError()
            throw identityFailure ?? trustFailure ?? .handshakeFailed(reason)
        }
    }

    /// The reason why OpenSSL does not trust the peer's certificates; nil when OpenSSL trusts the certificates.
    private var trustFailure: TLSError? {
        let code = SSL_get_verify_result(ssl)
        guard code != Int(X509_V_OK) else { return nil }
        return .invalidChain(X509_verify_cert_error_string(code).map { String(cString: $0) } ?? "unknown")
    }

    /// The properties of the connection after the handshake.
    var session: TLSSession {
        var binding = [UInt8](repeating: 0, count: Int(EVP_MAX_MD_SIZE))
        // The channel binding is the client's Finished message, which a client has sent and a server has received.
        let size =
            isServer
            ? SSL_get_peer_finished(ssl, &binding, binding.count) : SSL_get_finished(ssl, &binding, binding.count)
        var name: UnsafePointer<UInt8>?
        var length: UInt32 = 0
        SSL_get0_alpn_selected(ssl, &name, &length)
        let alpn = name.map { String(decoding: UnsafeBufferPointer(start: $0, count: Int(length)), as: UTF8.self) }
        return TLSSession(
            channelBinding: Array(binding.prefix(size)),
            peerCertificates: isServer ? clientCertificates : Self.encodeCertificates(SSL_get_peer_cert_chain(ssl)),
            applicationProtocol: alpn,
            isBrowserSession: isBrowserConnection
        )
    }

    /// Decrypts the next record, and returns its contents.
    func decryptNextRecord(allocator: ByteBufferAllocator) throws(TLSError) -> ReadResult {
        // If no received bytes are left, no record can be read.
        if receivedBytes.readableBytes == 0, SSL_has_pending(ssl) == 0 { return .wantsInput }
        var buffer = allocator.buffer(capacity: Self.maxRecordBytes)
        var count = 0
        ERR_clear_error()
        let result = buffer.withUnsafeMutableWritableBytes { space in
            SSL_read_ex(ssl, space.baseAddress, min(space.count, Self.maxRecordBytes), &count)
        }
        if result == 1 {
            buffer.moveWriterIndex(forwardBy: count)
            return .data(buffer)
        }
        switch SSL_get_error(ssl, result) {
        case SSL_ERROR_WANT_READ: return .wantsInput
        case SSL_ERROR_ZERO_RETURN: return .peerClosed
        default: throw .protocolViolation(OpenSSLError.takeNewestError())
        }
    }

    /// Encrypts all of `bytes`. Each record has up to 16384 bytes.
    func encryptBytes(_ bytes: ByteBuffer) throws(TLSError) {
        guard bytes.readableBytes > 0 else { return }
        var count = 0
        ERR_clear_error()
        let records = bytes.readableBytes / Self.maxRecordBytes + 1
        outputBytes.reserveCapacity(minimumWritableBytes: bytes.readableBytes + records * Self.recordOverheadBytes)
        let result = bytes.withUnsafeReadableBytes { SSL_write_ex(ssl, $0.baseAddress, $0.count, &count) }
        // The output buffer takes any number of bytes, so a write is never partial, and any other result is an error.
        guard result == 1 else {
            _ = SSL_get_error(ssl, result)
            throw .protocolViolation(OpenSSLError.takeNewestError())
        }
    }

    /// Sends close_notify. Afterwards no data can be sent.
    func sendCloseNotify() {
        ERR_clear_error()
        if SSL_in_init(ssl) == 0 { SSL_shutdown(ssl) }
        ERR_clear_error()
    }

    private static let maxRecordBytes = 16384
    /// Number of bytes of a record's header, content type and tag.
    private static let recordOverheadBytes = 22

    private static func encodeCertificates(_ chain: OpaquePointer?) -> [[UInt8]] {
        guard let chain else { return [] }
        return (0..<max(OPENSSL_sk_num(chain), 0)).compactMap { index in
            OPENSSL_sk_value(chain, index).map { Certificate.encodeDER(of: OpaquePointer($0)) }
        }
    }

    // MARK: Called by OpenSSL

    /// Replaces the context of a connection by the context for browsers, if there is one. Returns false when the
    /// replacement fails, or when `ssl` does not belong to a ``TLSConnection``.
    static func switchToBrowserContext(_ ssl: OpaquePointer) -> Bool {
        guard let data = SSL_get_ex_data(ssl, 0) else { return false }
        let connection = Unmanaged<TLSConnection>.fromOpaque(data).takeUnretainedValue()
        guard let web = connection.webContext else { return true }
        connection.isBrowserConnection = web.replaceContext(of: ssl)
        return connection.isBrowserConnection
    }

    /// Verifies the chain of a relay or of a device, in place of OpenSSL's search for a trusted root. Returns 1 for a
    /// valid chain, otherwise 0.
    static func verifyServer(_ store: OpaquePointer) -> Int32 {
        guard let ssl = X509_STORE_CTX_get_ex_data(store, SSL_get_ex_data_X509_STORE_CTX_idx()),
            let data = SSL_get_ex_data(OpaquePointer(ssl), 0)
        else { return 0 }
        let connection = Unmanaged<TLSConnection>.fromOpaque(data).takeUnretainedValue()
        do throws(TLSError) {
            guard let fingerprint = connection.expectedFingerprint else { throw .configuration("no fingerprint") }
            let chain = encodeCertificates(X509_STORE_CTX_get0_untrusted(store))
            if connection.isDeviceConnection {
                try PeerIdentity.verifyDevice(chain, fingerprint: fingerprint)
            } else {
                try PeerIdentity.verifyChain(chain, fingerprint: fingerprint)
            }
            X509_STORE_CTX_set_error(store, X509_V_OK)
            return 1
        } catch {
            connection.identityFailure = error
            X509_STORE_CTX_set_error(store, connection.refusalCode)
            return 0
        }
    }

    /// Verifies and records a client's certificates: a service's chain of one to four certificates, or the two
    /// certificates of a device. Returns 1 for valid certificates, otherwise 0.
    static func verifyClient(_ store: OpaquePointer) -> Int32 {
        guard let ssl = X509_STORE_CTX_get_ex_data(store, SSL_get_ex_data_X509_STORE_CTX_idx()),
            let data = SSL_get_ex_data(OpaquePointer(ssl), 0)
        else { return 0 }
        let connection = Unmanaged<TLSConnection>.fromOpaque(data).takeUnretainedValue()
        let chain = encodeCertificates(X509_STORE_CTX_get0_untrusted(store))
        guard connection.acceptsChain(chain) else {
            X509_STORE_CTX_set_error(store, connection.refusalCode)
            return 0
        }
        connection.clientCertificates = chain
        X509_STORE_CTX_set_error(store, X509_V_OK)
        return 1
    }

    /// The error code for refused certificates, from which OpenSSL makes the alert. Devices recognize "unknown CA" as
    /// the sign that the peer is not the paired device.
    private var refusalCode: Int32 {
        isDeviceConnection ? X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN : X509_V_ERR_CERT_UNTRUSTED
    }

    private func acceptsChain(_ chain: [[UInt8]]) -> Bool {
        guard isDeviceConnection else { return PeerIdentity.isValidServiceChain(chain) }
        do throws(TLSError) { try PeerIdentity.verifyDevice(chain, fingerprint: expectedFingerprint) } catch {
            identityFailure = error
            return false
        }
        return true
    }

    private struct BufferIO: @unchecked Sendable {
        // Threads can share this object: the pointer is written once, before its first use, and then only read.
        let pointer: OpaquePointer?
    }

    /// A BIO that reads from ``receivedBytes`` and writes to ``outputBytes``, so that an idle connection needs no
    /// buffer.
    private static let bufferMethod: BufferIO = {
        let method = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "buffers")
        BIO_meth_set_read(method) { bio, out, capacity in
            guard let bio, let out, let connection = findConnection(of: bio) else { return -1 }
            let count = min(Int(capacity), connection.receivedBytes.readableBytes)
            BIO_clear_flags(bio, retryFlags)
            guard count > 0 else {
                BIO_set_flags(bio, BIO_FLAGS_READ | BIO_FLAGS_SHOULD_RETRY)
                return -1
            }
            connection.receivedBytes.readWithUnsafeReadableBytes { bytes in
                UnsafeMutableRawPointer(out).copyMemory(
                    from: bytes.baseAddress ?? UnsafeRawPointer(out),
                    byteCount: count
                )
                return count
            }
            if connection.receivedBytes.readableBytes == 0 { connection.receivedBytes = ByteBuffer() }
            return Int32(count)
        }
        BIO_meth_set_write(method) { bio, bytes, count in
            guard let bio, let bytes, let connection = findConnection(of: bio) else { return -1 }
            BIO_clear_flags(bio, retryFlags)
            connection.outputBytes.writeBytes(UnsafeRawBufferPointer(start: bytes, count: Int(count)))
            return count
        }
        BIO_meth_set_ctrl(method) { _, command, _, _ in command == BIO_CTRL_FLUSH ? 1 : 0 }
        return BufferIO(pointer: method)
    }()

    private static let retryFlags = BIO_FLAGS_READ | BIO_FLAGS_WRITE | BIO_FLAGS_IO_SPECIAL | BIO_FLAGS_SHOULD_RETRY

    private static func findConnection(of bio: OpaquePointer) -> TLSConnection? {
        BIO_get_data(bio).map { Unmanaged<TLSConnection>.fromOpaque($0).takeUnretainedValue() }
    }
}
