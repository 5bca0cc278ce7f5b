import SMP
import SimpleXCrypto
import TestSupport
import Testing

@testable import Agent

@Suite struct QueueURITests {
    @Test
    func `Queue addresses in links have the same text and bytes as in the original, for every range of versions`()
        throws
    {
        for vector in try Vector.readFile("connection-links").list("queueUris") {
            let queue = try vector.object("queue").queueURI()
            #expect(queue.str == (try vector.text("uri")))
            #expect(try queue.smpEncoded().hex == vector.text("smp"))
            #expect(try QueueURI(parsing: vector.text("uri")) == queue)
        }
    }

    @Test
    func `A queue address is read back from its binary form, with the mode if the form contains it`() throws {
        for vector in try Vector.readFile("connection-links").list("queueUris") {
            var expected = try vector.object("queue").queueURI()
            let encoded = try vector.bytes("smp")
            expected.mode =
                switch try encoded.dropFirst(Self.lengthWithoutMode(expected)).first {
                case UInt8(ascii: "M"), UInt8(ascii: "T"): .messaging
                case UInt8(ascii: "C"), UInt8(ascii: "F"): .contact
                default: nil
                }
            #expect(try QueueURI(smpEncoded: encoded) == expected)
        }
    }

    @Test
    func `Queue addresses with a single client version have the bytes of the original`() throws {
        for vector in try Vector.readFile("connection-links").list("queueInfos") {
            let queue = try vector.queueInfo()
            let encoded = try queue.smpEncoded()
            #expect(encoded.hex == (try vector.text("smp")))
            let decoded = try SMPQueueInfo(smpEncoded: encoded)
            #expect(decoded.senderID == queue.senderID)
            #expect(decoded.dhPublicKey == queue.dhPublicKey)
            // Version 1 encodes only the first host, so the other hosts are lost.
            #expect(
                decoded.server.hosts
                    == (queue.clientVersion == 1 ? Array(queue.server.hosts.prefix(1)) : queue.server.hosts)
            )
            #expect(try decoded.smpEncoded() == encoded)
        }
    }

    @Test
    func `A queue address without versions is read as version 1`() throws {
        let key = try X25519.PrivateKey().publicKey
        let text = "smp://\(Base64URL.encode([UInt8](repeating: 1, count: 32)))@smp.example.com/AAEC#"
        let encoded = Base64URL.encode(key.spki)
        #expect(try QueueURI(parsing: text + encoded).clientVersions == ProtocolVersionRange(1))
        #expect(
            try QueueURI(parsing: text + encoded + "/?v=2-4").clientVersions == ProtocolVersionRange(min: 2, max: 4)
        )
        #expect(throws: SMPEncodingError.self) { try QueueURI(parsing: text) }
    }

    @Test
    func `A queue address with a password or of another server type is refused`() throws {
        let key = PercentCoding.escape(Base64URL.encode(try X25519.PrivateKey().publicKey.spki))
        #expect(try QueueURI(parsing: "smp://AAEC@a.example/AAEC#/?v=4&dh=\(key)").mode == nil)
        #expect(throws: SMPEncodingError.self) {
            try QueueURI(parsing: "smp://AAEC:secret@a.example/AAEC#/?v=4&dh=\(key)")
        }
        #expect(throws: SMPEncodingError.self) { try QueueURI(parsing: "xftp://AAEC@a.example/AAEC#/?v=4&dh=\(key)") }
    }

    @Test
    func `A queue address is used with the highest client version that both sides support`() throws {
        let vectors = try Vector.readFile("connection-links").list("queueUris")
        let queue = try #require(
            try vectors.map { try $0.object("queue").queueURI() }.first {
                $0.clientVersions == ProtocolVersionRange(min: 2, max: 4)
            }
        )
        #expect(queue.compatibleQueue(with: try #require(ProtocolVersionRange(min: 1, max: 3)))?.clientVersion == 3)
        #expect(queue.compatibleQueue(with: ProtocolVersionRange(1)) == nil)
    }

    private static func lengthWithoutMode(_ queue: QueueURI) throws -> Int {
        var writer = ByteWriter()
        writer.writeValue(queue.clientVersions)
        writer.writeValue(queue.server)
        writer.writeShortBytes(queue.senderID)
        writer.writeValue(queue.dhPublicKey)
        return try writer.finish().count
    }
}
