/// Flags that travel with a message in the clear, so that the relay can act on them.
///
/// The field runs to the next space; flags added by later versions are read over.
public struct MessageFlags: Hashable, Sendable, SMPCodable {
    /// Whether the relay should push a notification for the message.
    public var notification: Bool

    public init(notification: Bool) { self.notification = notification }

    public static let none = MessageFlags(notification: false)

    public func encode(to writer: inout ByteWriter) { writer.bool(notification) }

    public init(from reader: inout ByteReader) throws(SMPEncodingError) {
        notification = try reader.bool()
        _ = reader.slice(until: UInt8(ascii: " "))
    }
}
