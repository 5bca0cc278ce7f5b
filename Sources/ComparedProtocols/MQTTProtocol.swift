/// The protocol MQTT 3.1.1, for measurements. Each payload is published with quality of service 1, as the retained
/// message of the client's topic.
///
/// Mosquitto stores a retained message even if no client subscribes.
package struct MQTTProtocol: RequestProtocol {
    private enum PacketType {
        static let connect: UInt8 = 0x10
        static let connectAcknowledged: UInt8 = 0x20
        /// The type and the flags of PUBLISH: quality of service 1, and retained.
        static let publish: UInt8 = 0x33
        static let publishAcknowledged: UInt8 = 0x40
    }

    /// The packet identifier in all packets. One identifier is enough, since each packet is sent after the
    /// acknowledgement of the packet before it.
    private static let packetID: UInt16 = 1

    private let clientID: Int

    /// Makes the protocol of one connection.
    /// - Parameter clientID: a different number for each connection, since a server closes a connection when another
    ///   connection has the same client id.
    package init(clientID: Int) { self.clientID = clientID }

    package var openingRequests: [[UInt8]] {
        // The body contains level 4 of the protocol, the flag for a clean session, and no keep-alive.
        var body = Self.encodeString("MQTT") + [4, 2, 0, 0]
        body += Self.encodeString("bench-\(clientID)")
        return [Self.makePacket(PacketType.connect, body)]
    }

    package func makeWriteRequest(_ payload: [UInt8]) -> [UInt8] {
        var body = Self.encodeString("notes/\(clientID)")
        body.appendBigEndian(Self.packetID)
        return Self.makePacket(PacketType.publish, body + payload)
    }

    package func measureAnswer(_ bytes: [UInt8]) throws(AnswerError) -> Int? {
        guard let type = bytes.first else { return nil }
        guard [PacketType.connectAcknowledged, PacketType.publishAcknowledged].contains(type) else { throw .malformed }
        // The body of each acknowledgement has two bytes.
        guard bytes.count < 2 || bytes[1] == 2 else { throw .malformed }
        guard bytes.count >= 4 else { return nil }
        if type == PacketType.connectAcknowledged {
            guard bytes[3] == 0 else { throw .refused("CONNACK with code \(bytes[3])") }
        } else {
            guard UInt16(bytes[2]) << 8 | UInt16(bytes[3]) == Self.packetID else { throw .malformed }
        }
        return 4
    }

    private static func encodeString(_ text: String) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.appendBigEndian(UInt16(clamping: text.utf8.count))
        return bytes + text.utf8
    }

    /// Makes a packet from its type and its body. The length between them has seven bits in each byte, the low bits
    /// first.
    private static func makePacket(_ type: UInt8, _ body: [UInt8]) -> [UInt8] {
        var (bytes, length) = ([type], body.count)
        repeat {
            bytes.append(UInt8(length & 0x7f) | (length > 0x7f ? 0x80 : 0))
            length >>= 7
        } while length > 0
        return bytes + body
    }
}
