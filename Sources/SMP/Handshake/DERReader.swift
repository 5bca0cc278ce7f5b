/// Reads the part of DER that certificates and signed keys need.
struct DERReader {
    private var reader: ByteReader

    init(_ bytes: [UInt8]) { reader = ByteReader(bytes) }
    init(_ bytes: ArraySlice<UInt8>) { reader = ByteReader(bytes) }

    static let bitStringTag: UInt8 = 0x03
    static let sequenceTag: UInt8 = 0x30
    /// The tag of the version field of a certificate.
    static let contextTag0: UInt8 = 0xA0

    var nextTag: UInt8? { reader.peek() }
    func requireEnd() throws(SMPEncodingError) { try reader.requireEnd() }

    /// Reads one element. Returns its contents, and the complete element with tag and length.
    mutating func readElement(
        _ tag: UInt8? = nil
    ) throws(SMPEncodingError) -> (contents: ArraySlice<UInt8>, whole: [UInt8]) {
        let start = reader.offset
        let actual = try reader.readByte()
        if let tag, tag != actual { throw .invalidTag }
        let contents = try reader.readSlice(count: try readLength())
        return (contents, reader.consumedBytes(since: start))
    }

    mutating func skipElement() throws(SMPEncodingError) { _ = try readElement() }

    private mutating func readLength() throws(SMPEncodingError) -> Int {
        let first = Int(try reader.readByte())
        if first < 0x80 { return first }
        // Only lengths of at most two bytes are accepted, which is enough for any content of a block.
        guard (0x81...0x82).contains(first) else { throw .invalidValue("DER length") }
        var length = 0
        for _ in 0..<(first - 0x80) { length = length << 8 | Int(try reader.readByte()) }
        return length
    }

    /// Reads a bit string with a whole number of bytes.
    mutating func readBitString() throws(SMPEncodingError) -> [UInt8] {
        var bits = ByteReader(try readElement(Self.bitStringTag).contents)
        guard try bits.readByte() == 0 else { throw .invalidValue("bit string") }
        return bits.readRest()
    }
}

enum DERWriter {
    static func encodeElement(_ tag: UInt8, _ contents: [UInt8]) -> [UInt8] {
        let count = contents.count
        let length: [UInt8] =
            if count < 0x80 {
                [UInt8(truncatingIfNeeded: count)]
            } else if count < 0x100 {
                [0x81, UInt8(truncatingIfNeeded: count)]
            } else {
                [0x82, UInt8(truncatingIfNeeded: count >> 8), UInt8(truncatingIfNeeded: count)]
            }
        return [tag] + length + contents
    }
}
