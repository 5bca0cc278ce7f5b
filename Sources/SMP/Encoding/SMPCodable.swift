/// A value with one binary encoding in all versions of the protocol.
///
/// A value whose encoding depends on the agreed version has functions with the version as an argument (see
/// ``ClientCommand``).
package protocol SMPCodable {
    func encode(to writer: inout ByteWriter)
    init(from reader: inout ByteReader) throws(SMPEncodingError)
}

extension SMPCodable {
    /// Returns the encoding of this value. Throws when a part of this value is too long for its length field.
    package func smpEncoded() throws(SMPEncodingError) -> [UInt8] {
        var writer = ByteWriter()
        encode(to: &writer)
        return try writer.finish()
    }

    /// Decodes a value, which must use all of `bytes`.
    package init(smpEncoded bytes: [UInt8]) throws(SMPEncodingError) {
        var reader = ByteReader(bytes)
        self = try Self(from: &reader)
        try reader.requireEnd()
    }
}

extension UInt16: SMPCodable {
    package func encode(to writer: inout ByteWriter) { writer.writeWord16(self) }
    package init(from reader: inout ByteReader) throws(SMPEncodingError) { self = try reader.readWord16() }
}

extension UInt32: SMPCodable {
    package func encode(to writer: inout ByteWriter) { writer.writeWord32(self) }
    package init(from reader: inout ByteReader) throws(SMPEncodingError) { self = try reader.readWord32() }
}

extension Int64: SMPCodable {
    package func encode(to writer: inout ByteWriter) { writer.writeInt64(self) }
    package init(from reader: inout ByteReader) throws(SMPEncodingError) { self = try reader.readInt64() }
}

extension Bool: SMPCodable {
    package func encode(to writer: inout ByteWriter) { writer.writeBool(self) }
    package init(from reader: inout ByteReader) throws(SMPEncodingError) { self = try reader.readBool() }
}

/// Encodes the bytes after a one-byte length.
extension [UInt8]: SMPCodable {
    package func encode(to writer: inout ByteWriter) { writer.writeShortBytes(self) }
    package init(from reader: inout ByteReader) throws(SMPEncodingError) { self = try reader.readShortBytes() }
}
