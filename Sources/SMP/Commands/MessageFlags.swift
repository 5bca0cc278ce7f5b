/// Flags of a message that the relay can read and act on.
///
/// The field ends at the next space. Flags of later versions are ignored.
public struct MessageFlags: Hashable, Sendable, SMPCodable {
    /// Whether the relay should send a notification for the message.
    public var notification: Bool

    public init(notification: Bool) { self.notification = notification }

    public static let none = MessageFlags(notification: false)

    public func encode(to writer: inout ByteWriter) { writer.bool(notification) }

    public init(from reader: inout ByteReader) throws(SMPEncodingError) {
        notification = try reader.bool()
        _ = reader.slice(until: UInt8(ascii: " "))
    }
}
