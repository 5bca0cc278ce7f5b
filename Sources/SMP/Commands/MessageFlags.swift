/// Flags of a message. The relay can read these flags and acts on them.
///
/// The encoded flags end at the next space. Flags of later versions are ignored.
package struct MessageFlags: Hashable, Sendable, SMPCodable {
    /// Whether the relay should send a notification for the message.
    package var shouldNotify: Bool

    package init(notification: Bool) { self.shouldNotify = notification }

    package static let none = MessageFlags(notification: false)

    package func encode(to writer: inout ByteWriter) { writer.writeBool(shouldNotify) }

    package init(from reader: inout ByteReader) throws(SMPEncodingError) {
        shouldNotify = try reader.readBool()
        _ = reader.readSlice(until: UInt8(ascii: " "))
    }
}
