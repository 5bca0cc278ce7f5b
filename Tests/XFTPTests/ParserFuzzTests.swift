import SMP
import SimpleXCrypto
import Testing
import TestSupport
import XFTP

/// Tests that parsers return a value or a typed error for any bytes. An accepted value is encoded and parsed again.
struct ParserFuzzTests {
    private static func makeInputs(_ seeds: [[UInt8]]) -> [[UInt8]] {
        var random = SeededRandom(seed: 7)
        let noise = (0..<300).map { random.randomBytes($0) }
        return noise + seeds.flatMap { makeMutations(of: $0, count: 60) }
    }

    @Test
    func `Every XFTP command that the parser accepts can be encoded and parsed to the same command`() throws {
        for input in Self.makeInputs(try Vector.readFile("xftp").list("commands").map { try $0.bytes("hex") }) {
            guard let command = try? XFTPCommand(parsing: input[...]) else { continue }
            var writer = ByteWriter()
            command.encode(to: &writer)
            let written = try writer.finish()
            #expect(try XFTPCommand(parsing: written[...]) == command)
        }
    }

    @Test
    func `Every XFTP answer that the parser accepts can be encoded and parsed to the same answer`() throws {
        let seeds = try Vector.readFile("xftp").list("responses").flatMap {
            try $0.list("encodings").map { try $0.bytes("hex") }
        }
        for input in Self.makeInputs(seeds) {
            _ = try? XFTPServerError(smpEncoded: input)
            guard let response = try? FileResponse(parsing: input[...]) else { continue }
            let written = try CommandVectorTests.encodeResponse(response, 3)
            #expect(try FileResponse(parsing: written[...]) == response)
        }
    }

    @Test
    func `A random or changed XFTP hello does not crash either side of the handshake`() throws {
        let vector = try Vector.readFile("xftp").object("handshake")
        let hello = try vector.bytes("server")
        let client = XFTPClientHandshake(sessionID: [1], keyHash: [2], leafCertificate: nil)
        let server = XFTPServerHandshake(
            sessionID: [1],
            keyHash: [2],
            certificateKey: try XFTPServerHello(smpEncoded: hello).key
        )
        for input in Self.makeInputs([hello, try vector.bytes("client")]) {
            _ = try? client.makeClientHello(serverHello: input)
            let block = try XFTPBlock.pad(input)
            _ = try? client.makeClientHello(serverHello: block)
            _ = try? server.acceptClientHello(clientHello: block)
        }
    }

    @Test
    func `Random bytes do not crash the parsers of XFTP blocks and chunks`() throws {
        let session = XFTPSessionParameters(version: XFTPVersion(3), sessionID: [1, 2, 3])
        let command = try XFTPBlock.unpad(
            session.encodeBlock(.fput, entityID: [5], key: .ed25519(try Ed25519.PrivateKey()))
        )
        let answer = try XFTPBlock.unpad(
            session.encodeBlock(.rids(recipientIDs: [[1], [2]]), entityID: [5], corrID: [6])
        )
        let secret = try X25519.PrivateKey().sharedSecret(with: X25519.PrivateKey().publicKey)
        for input in Self.makeInputs([command, answer]) {
            let block = try XFTPBlock.pad(input)
            _ = try? session.parseResponse(in: block)
            _ = try? session.parseResponse(in: input)
            if let received = try? session.parseTransmission(in: block) { _ = try? received.parseFileCommand() }
            _ = try? ChunkEncryption.open(input, secret: secret, nonce: .random(), size: 40, digest: [])
            _ = try? ChunkEncryption.open(input, secret: secret, nonce: .random(), size: -1, digest: [])
        }
    }
}
