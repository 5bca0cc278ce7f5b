import COpenSSL
import Glibc

/// The TLS context of a server for browsers. Browsers require a certificate of a public authority. They also use other
/// algorithms than apps.
extension TLSContext {
    /// Makes the context from the files of a web certificate.
    /// - Parameters:
    ///   - certificate: PEM file of the chain, leaf first.
    ///   - key: PEM file of the leaf's key, RSA or ECDSA.
    convenience init(webCertificate certificate: String, key: String) throws(TLSError) {
        try self.init(openSSLDefaults: TLS_server_method())
        // Without this callback, OpenSSL would ask the terminal for the password of a key. The callback returns no
        // password.
        SSL_CTX_set_default_passwd_cb(pointer) { _, _, _, _ in 0 }
        guard SSL_CTX_use_certificate_chain_file(pointer, certificate) == 1 else {
            throw .configuration("\(certificate): \(OpenSSLError.takeNewestError())")
        }
        guard SSL_CTX_use_PrivateKey_file(pointer, key, SSL_FILETYPE_PEM) == 1, SSL_CTX_check_private_key(pointer) == 1
        else {
            throw .configuration("\(key): \(OpenSSLError.takeNewestError())")
        }
        guard let made = SSL_CTX_get0_privatekey(pointer),
            [EVP_PKEY_RSA, EVP_PKEY_EC].contains(EVP_PKEY_get_base_id(made))
        else {
            throw .configuration("\(key): browsers accept only RSA and ECDSA keys")
        }
        SSL_CTX_set_alpn_select_cb(pointer, Self.selectBrowserProtocol, nil)
    }

    /// The time at which the certificate expires, in seconds since 1970.
    var expiresAtSeconds: Int64 {
        var time = tm()
        guard let certificate = SSL_CTX_get0_certificate(pointer),
            ASN1_TIME_to_tm(X509_get0_notAfter(certificate), &time) == 1
        else { return 0 }
        return Int64(timegm(&time))
    }

    /// Replaces the context of a connection by this context, and returns whether this succeeded. This function is
    /// called when the client of a new connection is a browser, not an app.
    func replaceContext(of ssl: OpaquePointer) -> Bool {
        // `SSL_set_SSL_CTX` takes over only the certificates and the choice of the application protocol (ALPN). The
        // other settings for browsers are made here. Browsers have no client certificates.
        SSL_set_verify(ssl, SSL_VERIFY_NONE, nil)
        var groups = Array("X25519:P-256:P-384".utf8CString)
        return SSL_set_SSL_CTX(ssl, pointer) != nil && SSL_ctrl(ssl, SSL_CTRL_SET_GROUPS_LIST, 0, &groups) == 1
            && SSL_set_ciphersuites(ssl, "TLS_AES_128_GCM_SHA256:TLS_AES_256_GCM_SHA384:TLS_CHACHA20_POLY1305_SHA256")
                == 1
    }

    /// The callback for each ClientHello. It switches to the context for browsers if the client names the server (SNI).
    /// Browsers name the server, and apps do not.
    static let switchToBrowserContext: SSL_client_hello_cb_fn = { ssl, _, _ in
        var (name, size): (UnsafePointer<UInt8>?, Int) = (nil, 0)
        guard let ssl else { return SSL_CLIENT_HELLO_ERROR }
        guard SSL_client_hello_get0_ext(ssl, UInt32(TLSEXT_TYPE_server_name), &name, &size) == 1 else {
            return SSL_CLIENT_HELLO_SUCCESS
        }
        return TLSConnection.switchToBrowserContext(ssl) ? SSL_CLIENT_HELLO_SUCCESS : SSL_CLIENT_HELLO_ERROR
    }

    private static let selectBrowserProtocol: SSL_CTX_alpn_select_cb_func = {
        _,
        out,
        outLength,
        offered,
        offeredLength,
        _ in
        selectOfferedProtocol(
            [TLSSession.browserProtocol],
            out,
            outLength,
            offered,
            offeredLength,
            otherwise: SSL_TLSEXT_ERR_ALERT_FATAL
        )
    }
}
