package import SMP

/// The header that is encrypted before the contents of a file.
package struct FileHeader: Hashable, Sendable, SMPCodable {
    /// Number of bytes at the beginning of the file that contain the whole header.
    static let maxBytes = 1024

    /// The name of the sender's file, without folders.
    package var name: String
    /// A field for extensions of the header in later versions.
    package var extraField: String?

    package init(name: String, extra: String? = nil) {
        self.name = name
        self.extraField = extra
    }

    /// Encodes the header. A name of more than 255 bytes is cut off.
    package func encode(to writer: inout ByteWriter) {
        writer.writeShortBytes(Self.truncatedUTF8(name))
        writer.writeOptional(extraField.map(Self.truncatedUTF8)) { writer, extra in writer.writeShortBytes(extra) }
    }

    package init(from reader: inout ByteReader) throws(SMPEncodingError) {
        name = String(decoding: try reader.readShortBytes(), as: UTF8.self)
        extraField = try reader.readOptional { reader throws(SMPEncodingError) in
            String(decoding: try reader.readShortBytes(), as: UTF8.self)
        }
    }

    private static func truncatedUTF8(_ text: String) -> [UInt8] {
        var cut = text
        while cut.utf8.count > 255 { cut.removeLast() }
        return Array(cut.utf8)
    }
}
