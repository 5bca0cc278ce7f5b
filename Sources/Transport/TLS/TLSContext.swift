import COpenSSL
import SimpleXCrypto

/// The settings that all TLS connections of one kind share: TLS 1.3 with the same cipher suite, groups and signatures
/// as simplexmq.
///
/// simplexmq `protocol/simplex-messaging.md`, "Appendix A". Sessions are never resumed, and tickets are never sent.
final class TLSContext: @unchecked Sendable {
    // Threads can share this object: the context is complete when `init` returns. OpenSSL counts references to it
    // atomically and locks the parts that it changes.
    let pointer: OpaquePointer

    /// Makes a context for TLS 1.3 with OpenSSL's default choices.
    init(openSSLDefaults method: OpaquePointer?) throws(TLSError) {
        guard let made = SSL_CTX_new(method) else { throw .configuration(OpenSSLError.takeNewestError()) }
        pointer = made
        SSL_CTX_ctrl(made, SSL_CTRL_SET_MIN_PROTO_VERSION, Int(TLS1_3_VERSION), nil)
        SSL_CTX_ctrl(made, SSL_CTRL_SET_MAX_PROTO_VERSION, Int(TLS1_3_VERSION), nil)
        SSL_CTX_set_options(made, Self.noTicket)
        SSL_CTX_set_num_tickets(made, 0)
        SSL_CTX_ctrl(made, SSL_CTRL_SET_SESS_CACHE_MODE, Int(SSL_SESS_CACHE_OFF), nil)
        // An idle connection releases its buffers (`SSL_MODE_RELEASE_BUFFERS`), which have 16 KiB.
        SSL_CTX_ctrl(made, SSL_CTRL_MODE, Int(SSL_MODE_RELEASE_BUFFERS), nil)
    }

    private convenience init(method: OpaquePointer?) throws(TLSError) {
        try self.init(openSSLDefaults: method)
        let isReady =
            SSL_CTX_set_ciphersuites(pointer, "TLS_CHACHA20_POLY1305_SHA256") == 1
            && Self.setOption(pointer, SSL_CTRL_SET_GROUPS_LIST, "X448:X25519")
            && Self.setOption(pointer, SSL_CTRL_SET_SIGALGS_LIST, "ed448:ed25519")
        guard isReady else { throw .configuration(OpenSSLError.takeNewestError()) }
    }

    deinit { SSL_CTX_free(pointer) }

    /// The value of `SSL_OP_NO_TICKET`. Swift does not import this macro, since it contains a shift.
    private static let noTicket: UInt64 = 1 << 14

    private static func setOption(_ context: OpaquePointer, _ command: Int32, _ text: String) -> Bool {
        var text = Array(text.utf8CString)
        return SSL_CTX_ctrl(context, command, 0, &text) == 1
    }

    // MARK: Client

    /// Returns the context for clients. The identity that a client expects of the server is not part of the context. So
    /// all clients share one context, except services and clients without ALPN.
    static func makeClientContext(
        protocolName: String? = TLSSession.smpProtocol,
        identity: ClientIdentity? = nil
    ) throws(TLSError) -> TLSContext {
        if protocolName == TLSSession.smpProtocol, identity == nil { return try sharedClientContext.get() }
        let context = try makeNewClientContext(protocolName)
        if let identity { try context.setCertificates(identity.certificates, identity.leafKey) }
        return context
    }

    private static let sharedClientContext = Result { () throws(TLSError) in
        try makeNewClientContext(TLSSession.smpProtocol)
    }

    private static func makeNewClientContext(_ protocolName: String?) throws(TLSError) -> TLSContext {
        let context = try TLSContext(method: TLS_client_method())
        if let protocolName { _ = setApplicationProtocol(context.pointer, protocolName) }
        SSL_CTX_set_verify(context.pointer, SSL_VERIFY_PEER, nil)
        SSL_CTX_set_cert_verify_callback(
            context.pointer,
            { store, _ in store.map(TLSConnection.verifyServer) ?? 0 },
            nil
        )
        return context
    }

    // MARK: Web

    /// Returns the context for clients of web servers: TLS 1.2 and later with OpenSSL's default choices, and the
    /// system's certificate authorities.
    /// - Parameter authorities: a PEM file with additional certificate authorities.
    static func makeWebClientContext(authorities: String?, protocolName: String) throws(TLSError) -> TLSContext {
        try TLSContext(webAuthorities: authorities, protocolName)
    }

    private init(webAuthorities file: String?, _ protocolName: String) throws(TLSError) {
        guard let made = SSL_CTX_new(TLS_client_method()) else { throw .configuration(OpenSSLError.takeNewestError()) }
        pointer = made
        SSL_CTX_ctrl(made, SSL_CTRL_SET_MIN_PROTO_VERSION, Int(TLS1_2_VERSION), nil)
        SSL_CTX_set_options(made, Self.noRenegotiation)
        SSL_CTX_ctrl(made, SSL_CTRL_SET_SESS_CACHE_MODE, Int(SSL_SESS_CACHE_OFF), nil)
        SSL_CTX_set_verify(made, SSL_VERIFY_PEER, nil)
        guard SSL_CTX_set_default_verify_paths(made) == 1, Self.setApplicationProtocol(made, protocolName) else {
            throw .configuration(OpenSSLError.takeNewestError())
        }
        if let file, SSL_CTX_load_verify_locations(made, file, nil) != 1 {
            throw .configuration("\(file): \(OpenSSLError.takeNewestError())")
        }
    }

    /// The value of `SSL_OP_NO_RENEGOTIATION`. Swift does not import this macro, since it contains a shift.
    private static let noRenegotiation: UInt64 = 1 << 30

    /// Sets the protocol that a client offers by ALPN. The name has a length prefix, as in the ClientHello.
    private static func setApplicationProtocol(_ context: OpaquePointer, _ name: String) -> Bool {
        let protocols = [UInt8(truncatingIfNeeded: name.utf8.count)] + Array(name.utf8)
        return SSL_CTX_set_alpn_protos(context, protocols, UInt32(protocols.count)) == 0
    }

    // MARK: Relay

    /// Returns the context of a server with its own certificates.
    /// - Parameter servesBrowsers: whether its connections have another context for browsers.
    static func makeServerContext(
        _ certificates: [[UInt8]],
        _ leafKey: SignaturePrivateKey,
        protocols: TLSServerConfiguration.Protocols,
        servesBrowsers: Bool
    ) throws(TLSError) -> TLSContext {
        let context = try TLSContext(method: TLS_server_method())
        try context.setCertificates(certificates, leafKey)
        // A client may show a certificate, as services do. TLS proves that the client has the key of the certificate.
        // The handshake above TLS decides whether the certificate is accepted.
        SSL_CTX_set_verify(context.pointer, SSL_VERIFY_PEER, nil)
        SSL_CTX_set_cert_verify_callback(
            context.pointer,
            { store, _ in store.map(TLSConnection.verifyClient) ?? 0 },
            nil
        )
        switch protocols {
        case .relay: SSL_CTX_set_alpn_select_cb(context.pointer, selectRelayProtocol, nil)
        case .files: SSL_CTX_set_alpn_select_cb(context.pointer, selectFileProtocol, nil)
        case .notifications: SSL_CTX_set_alpn_select_cb(context.pointer, selectNotificationProtocol, nil)
        case .noProtocol: break
        }
        if servesBrowsers { SSL_CTX_set_client_hello_cb(context.pointer, switchToBrowserContext, nil) }
        return context
    }

    /// Sets the certificates (DER, leaf first) and the key of the leaf.
    private func setCertificates(_ certificates: [[UInt8]], _ leafKey: SignaturePrivateKey) throws(TLSError) {
        guard let leafDER = certificates.first, let leaf = Certificate(der: leafDER) else {
            throw .configuration("no certificate")
        }
        let key = try SigningKey(leafKey)
        guard SSL_CTX_use_certificate(pointer, leaf.pointer) == 1, SSL_CTX_use_PrivateKey(pointer, key.pointer) == 1,
            SSL_CTX_check_private_key(pointer) == 1
        else { throw .configuration(OpenSSLError.takeNewestError()) }
        for der in certificates.dropFirst() {
            guard let certificate = Certificate(der: der),
                SSL_CTX_ctrl(pointer, SSL_CTRL_CHAIN_CERT, 1, UnsafeMutableRawPointer(certificate.pointer)) == 1
            else { throw .configuration(OpenSSLError.takeNewestError()) }
        }
    }

    /// Selects `smp/1` from the client's protocols, or the protocol that clients use at the web port.
    private static let selectRelayProtocol: SSL_CTX_alpn_select_cb_func = {
        _,
        out,
        outLength,
        offered,
        offeredLength,
        _ in
        selectOfferedProtocol(
            [TLSSession.smpProtocol, TLSSession.webProtocol],
            out,
            outLength,
            offered,
            offeredLength,
            otherwise: SSL_TLSEXT_ERR_NOACK
        )
    }

    /// Selects `xftp/1`, or the protocol for the web port. A client that only offers other protocols gets an alert, as
    /// from simplexmq.
    private static let selectFileProtocol: SSL_CTX_alpn_select_cb_func = {
        _,
        out,
        outLength,
        offered,
        offeredLength,
        _ in
        selectOfferedProtocol(
            [TLSSession.fileProtocol, TLSSession.webProtocol],
            out,
            outLength,
            offered,
            offeredLength,
            otherwise: SSL_TLSEXT_ERR_ALERT_FATAL
        )
    }

    /// Selects `ntf/1`, and refuses clients that only offer other protocols.
    private static let selectNotificationProtocol: SSL_CTX_alpn_select_cb_func = {
        _,
        out,
        outLength,
        offered,
        offeredLength,
        _ in
        selectOfferedProtocol(
            [TLSSession.notificationProtocol],
            out,
            outLength,
            offered,
            offeredLength,
            otherwise: SSL_TLSEXT_ERR_ALERT_FATAL
        )
    }

    /// Selects the first of `names` that the client offers. The result points into the client's list, which exists as
    /// long as OpenSSL needs it.
    static func selectOfferedProtocol(
        _ names: [String],
        _ out: UnsafeMutablePointer<UnsafePointer<UInt8>?>?,
        _ outLength: UnsafeMutablePointer<UInt8>?,
        _ offered: UnsafePointer<UInt8>?,
        _ offeredLength: UInt32,
        otherwise: Int32
    ) -> Int32 {
        guard let out, let outLength, let offered else { return otherwise }
        let list = UnsafeBufferPointer(start: offered, count: Int(offeredLength))
        for name in names {
            guard let place = findProtocol(of: name, in: list) else { continue }
            out.pointee = offered + place.lowerBound
            outLength.pointee = UInt8(place.count)
            return SSL_TLSEXT_ERR_OK
        }
        return otherwise
    }

    private static func findProtocol(of name: String, in list: UnsafeBufferPointer<UInt8>) -> Range<Int>? {
        var index = 0
        while index < list.count {
            let place = (index + 1)..<(index + 1 + Int(list[index]))
            guard place.upperBound <= list.count else { return nil }
            if list[place].elementsEqual(name.utf8) { return place }
            index = place.upperBound
        }
        return nil
    }
}

/// An OpenSSL private key. The last reference frees its memory.
final class SigningKey {
    let pointer: OpaquePointer

    init(_ key: SignaturePrivateKey) throws(TLSError) {
        let (type, raw) =
            switch key {
            case .ed25519(let key): (EVP_PKEY_ED25519, key.rawRepresentation)
            case .ed448(let key): (EVP_PKEY_ED448, key.rawRepresentation)
            }
        guard let made = EVP_PKEY_new_raw_private_key(type, nil, raw, raw.count) else {
            throw .configuration(OpenSSLError.takeNewestError())
        }
        pointer = made
    }

    deinit { EVP_PKEY_free(pointer) }
}
