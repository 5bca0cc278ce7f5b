import Testing

@testable import ChatProtocol

@Suite("Elements of a message body")
struct MessageElementsTests {
    private static let shortMessage = #"{"event":"x.ok","params":{}}"#

    /// Returns a JSON message of `size` bytes that ends in spaces.
    private static func makeMessage(of size: Int) -> [UInt8] {
        Array(shortMessage.utf8) + [UInt8](repeating: UInt8(ascii: " "), count: size - shortMessage.utf8.count)
    }

    private static func makeCompressedBody(_ frames: [[UInt8]]) -> [UInt8] {
        var body = [UInt8(ascii: "X"), UInt8(frames.count)]
        for frame in frames { body += [UInt8(ascii: "1"), UInt8(frame.count >> 8), UInt8(frame.count & 0xFF)] + frame }
        return body
    }

    private static func makeCompressedBody(sizes: [Int]) throws -> [UInt8] {
        try makeCompressedBody(sizes.map { try #require(ZstdFrame.compress(makeMessage(of: $0))) })
    }

    @Test
    func `A message body of more than 65,536 bytes after decompression is refused`() throws {
        let whole = MessageBody.parse(try Self.makeCompressedBody(sizes: [32_768, 32_700, 68]))
        #expect(whole.count == 3)
        #expect(whole.allSatisfy { if case .success(.message) = $0 { true } else { false } })
        let tooLarge = try Self.makeCompressedBody(sizes: [32_768, 32_700, 69])
        #expect(
            MessageBody.parse(tooLarge) == [
                .failure(.invalidCompression(reason: "the message is too large when decompressed"))
            ]
        )
        var elements = MessageElements(tooLarge)
        while elements.next() != nil {}
        #expect(elements.decompressedBytes == 0)
    }

    @Test
    func `A compressed message body that declares an impossible size is refused`() {
        // RFC 8878, section 3.1.1: a frame with a size of eight bytes.
        let huge = ZstdFrame.magic + [0xE0] + [UInt8](repeating: 0xFF, count: 7) + [0x7F]
        #expect(ZstdFrame.announcedSize(of: huge) == .max)
        let one = Self.makeCompressedBody([huge]),
            passed = Self.makeCompressedBody([ZstdFrame.compress(Self.makeMessage(of: 100)) ?? [], huge])
        for body in [one, passed] {
            #expect(
                MessageBody.parse(body) == [
                    .failure(.invalidCompression(reason: "the message is too large when decompressed"))
                ]
            )
        }
    }

    @Test
    func `A message body of 255 elements is read, and a message body of 256 elements returns one error`() {
        func array(_ count: Int) -> [UInt8] {
            Array("[\(Array(repeating: Self.shortMessage, count: count).joined(separator: ","))]".utf8)
        }
        #expect(MessageBody.parse(array(255)).count == 255)
        #expect(MessageBody.parse(array(256)) == [.failure(.tooManyElements(limit: 255))])
        // The elements of all parts count together, so two parts with 200 and 56 elements exceed the limit.
        let halves = Self.makeCompressedBody([array(200), array(56)].compactMap { ZstdFrame.compress($0) })
        #expect(MessageBody.parse(halves) == [.failure(.tooManyElements(limit: 255))])
    }

    @Test
    func `Reading only the first element of a message body decompresses only the first compressed part`() throws {
        var elements = MessageElements(try Self.makeCompressedBody(sizes: [100, 5_000, 50_000]))
        #expect(elements.decompressedBytes == 0)
        let first = elements.next()
        #expect(first?.content == MessageBody.parse(Array(Self.shortMessage.utf8)).first)
        #expect(elements.decompressedBytes == 100)
        _ = elements.next()
        #expect(elements.decompressedBytes == 5_100)
    }

    @Test
    func `The first element of a message body is read even if more elements than the limit follow`() {
        let body = Array("[\(Self.shortMessage),\(Array(repeating: "0", count: 5_000).joined(separator: ","))]".utf8)
        #expect(MessageBody.parseFirst(of: body) == MessageBody.parse(Array(Self.shortMessage.utf8)).first)
        #expect(MessageBody.parseFirst(of: Array("[]".utf8)) == nil)
    }

    @Test
    func `Each element of a binary batch is also a valid message body by itself`() {
        let chunk: [UInt8] = [UInt8(ascii: "F"), 0, 1, 7, 1, 8, 9]
        var body: [UInt8] = [UInt8(ascii: "="), 2, 0, UInt8(Self.shortMessage.utf8.count)]
        body += Array(Self.shortMessage.utf8)
        body += [0, 7] + chunk
        let elements = MessageElements.parseAll(of: body)
        #expect(elements.count == 2)
        for element in elements { #expect(MessageBody.parse(element.bytes) == [element.content]) }
        let batch = BinaryBatch.encodeElements(elements.map(\.bytes))
        #expect(batch.count == body.count)
        #expect(MessageBody.parse(batch) == elements.map(\.content))
    }
}
