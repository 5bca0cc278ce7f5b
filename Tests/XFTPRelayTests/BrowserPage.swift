import NIOHPACK
import SMP
import SimpleXCrypto
import Testing
import XFTP

/// A page in a browser. It sends the requests of the original's page, on a connection that other pages may share.
struct BrowserPage {
    let browser: RawFileClient
    let address: ProtocolServer
    let session: XFTPSessionParameters

    static let helloHeaders: HPACKHeaders = ["xftp-web-hello": "1"]
    static let handshakeHeaders: HPACKHeaders = ["xftp-handshake": "1"]

    /// Completes the handshake and verifies the identity of the relay.
    static func open(_ browser: RawFileClient, _ address: ProtocolServer) async throws -> BrowserPage {
        let challenge = RandomBytes.make(count: 32)
        let hello = try await sendHello(browser, challenge)
        try checkHello(hello, challenge, address)
        let session = XFTPSessionParameters(version: XFTPVersion(hello.versions.max), sessionID: hello.sessionID)
        try #require(try await browser.post(makeClientHello(address), handshakeHeaders).isEmpty)
        return BrowserPage(browser: browser, address: address, session: session)
    }

    /// Sends the hello of a page and returns the answer of the relay.
    static func sendHello(_ browser: RawFileClient, _ challenge: [UInt8]?) async throws -> XFTPServerHello {
        let body = try await browser.post(
            try XFTPBlock.pad(XFTPWebHello(challenge: challenge).smpEncoded()),
            helloHeaders
        )
        var reader = ByteReader(try XFTPBlock.unpad(body))
        return try XFTPServerHello(from: &reader)
    }

    /// The second request of a page, which completes the handshake.
    static func makeClientHello(_ address: ProtocolServer, version: UInt16 = 3) throws -> [UInt8] {
        try XFTPBlock.pad(XFTPClientHello(version: XFTPVersion(version), keyHash: address.keyHash).smpEncoded())
    }

    /// Checks, as a page does, that the hello has the identity of the address and signatures of the session key and of
    /// the challenge.
    static func checkHello(_ hello: XFTPServerHello, _ challenge: [UInt8], _ address: ProtocolServer) throws {
        _ = try hello.key.verifySessionKey(identity: address.keyHash, leafCertificate: nil)
        let signer = try SignaturePublicKey(certificate: try #require(hello.key.certificates.first))
        #expect(signer.isValidSignature(try #require(hello.proof), for: challenge + hello.sessionID))
    }

    func sendCommand(
        _ command: XFTPCommand,
        entityID: [UInt8] = [],
        key: AuthorizationPrivateKey? = nil,
        chunk: [UInt8] = []
    ) async throws -> (response: FileResponse, rest: [UInt8]) {
        let answer = try await browser.sendWhole(try session.encodeBlock(command, entityID: entityID, key: key) + chunk)
        #expect(answer.headers[canonicalForm: "access-control-allow-origin"] == ["*"])
        return (
            try session.parseResponse(in: Array(answer.body.prefix(XFTPBlock.size))),
            Array(answer.body.dropFirst(XFTPBlock.size))
        )
    }

    /// Creates a file and uploads it.
    func uploadFile(size: Int) async throws -> TestFile {
        var file = try TestFile(size: size)
        let made = try await sendCommand(
            .fnew(file.info, recipients: [file.recipient.publicKey], password: nil),
            key: file.sender
        ).response
        guard case .sids(let senderID, let recipientIDs) = made else { throw XFTPServerError.internal }
        (file.senderID, file.recipientID) = (senderID, try #require(recipientIDs.first))
        #expect(
            try await sendCommand(.fput, entityID: senderID, key: file.sender, chunk: file.contents).response == .ok
        )
        return file
    }

    /// Downloads a file and compares it.
    func checkFile(_ file: TestFile) async throws {
        let own = try X25519.PrivateKey()
        let (response, rest) = try await sendCommand(
            .fget(own.publicKey),
            entityID: file.recipientID,
            key: file.recipient
        )
        guard case .file(let key, let nonce) = response else { throw XFTPServerError.noFile }
        let opened = try ChunkEncryption.open(
            rest,
            secret: try own.sharedSecret(with: key),
            nonce: nonce,
            size: file.contents.count,
            digest: file.digest
        )
        #expect(opened == file.contents)
    }
}
