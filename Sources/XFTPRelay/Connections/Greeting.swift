import SMP
import SimpleXCrypto
import Transport
import XFTP

/// The relay's side of the handshakes on one connection. An app has one handshake. A browser has a handshake for each
/// open page, because its pages share the connection.
struct Greeting {
    private let handshake: XFTPServerHandshake
    private let signer: SignaturePrivateKey
    /// The key of the session. Another hello does not change it, because commands of other pages may be in progress.
    let sessionKey: X25519.PrivateKey
    /// Whether the client has not answered the last hello of the relay yet.
    private(set) var isAnswerAwaited = false

    init(_ tls: TLSSession, _ relay: FileRelayContext) throws(CryptoError) {
        sessionKey = try X25519.PrivateKey()
        signer = relay.credentials.leafKey
        handshake = XFTPServerHandshake(
            sessionID: tls.channelBinding,
            keyHash: relay.credentials.fingerprint,
            versions: relay.configuration.versions,
            certificateKey: CertificateChainKey(
                certificates: relay.credentials.certificates,
                signedKey: try SignedSessionKey(sessionKey.publicKey, signedWith: signer)
            )
        )
    }

    /// Returns the relay's hello for an app.
    mutating func makeHello() throws -> [UInt8] {
        isAnswerAwaited = true
        return try handshake.makeHello()
    }

    /// Returns the relay's hello for a browser, with the requested proof of identity.
    mutating func makeHello(_ hello: XFTPWebHello) throws -> [UInt8] {
        let proof = try hello.challenge.map { challenge throws(CryptoError) in
            try signer.sign(XFTPWebHello.signedBytes(challenge: challenge, sessionID: handshake.sessionID))
        }
        isAnswerAwaited = true
        return try handshake.makeHello(proof: proof ?? [])
    }

    /// Returns the parameters of the session, from the next message of the client.
    mutating func acceptHello(_ body: [UInt8]) throws(XFTPServerError) -> XFTPSessionParameters {
        let parameters = try handshake.acceptClientHello(clientHello: body)
        isAnswerAwaited = false
        return parameters
    }
}
