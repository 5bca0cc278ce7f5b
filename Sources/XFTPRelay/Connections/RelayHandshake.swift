import SMP
import SimpleXCrypto
import Transport
import XFTP

/// The relay's side of the XFTP handshakes on one connection. An app has one handshake. A browser has one handshake for
/// each open page, because its pages share the connection.
struct RelayHandshake {
    private let handshake: XFTPServerHandshake
    private let signer: SignaturePrivateKey
    /// The relay's key of the session. A further hello does not change it, because commands of other pages may be in
    /// progress.
    let sessionKey: X25519.PrivateKey
    /// Whether the relay waits for the client's answer to its last hello.
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

    /// Makes the relay's hello for an app.
    mutating func makeHello() throws -> [UInt8] {
        isAnswerAwaited = true
        return try handshake.makeHello()
    }

    /// Makes the relay's hello for a browser, with the proof of identity if the browser requests it.
    mutating func makeHello(_ hello: XFTPWebHello) throws -> [UInt8] {
        let proof = try hello.challenge.map { challenge throws(CryptoError) in
            try signer.sign(XFTPWebHello.signedBytes(challenge: challenge, sessionID: handshake.sessionID))
        }
        isAnswerAwaited = true
        return try handshake.makeHello(proof: proof ?? [])
    }

    /// Accepts the client's answer to the relay's hello, and returns the parameters of the session.
    mutating func acceptHello(_ body: [UInt8]) throws(XFTPServerError) -> XFTPSessionParameters {
        let parameters = try handshake.acceptClientHello(clientHello: body)
        isAnswerAwaited = false
        return parameters
    }
}
