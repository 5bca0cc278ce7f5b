/// A gap in the message numbers before a message that has no body for the chat, such as a message with receipts
/// (agent-protocol.md, "Message integrity").
package struct MessageGap: Hashable, Sendable {
    /// Number of the gap. It is greater than the numbers of all earlier changes of the connection. The caller can
    /// recognize a gap by its number when the gap is delivered again after a crash.
    package var changeNumber: Int64
    package var integrity: MessageIntegrity
    /// Time at which the relay received the message, in seconds since 1970.
    package var brokerTimestampSeconds: Int64
}

/// The part of a ``MessageGap`` that is stored until the handler gets the gap.
struct StoredMessageGap {
    var integrity: MessageIntegrity
    var brokerTimestampSeconds: Int64

    var storedForm: [UInt8] { Array("\(brokerTimestampSeconds) \(integrity.storedForm)".utf8) }

    init(_ integrity: MessageIntegrity, brokerTimestamp: Int64) {
        self.integrity = integrity
        self.brokerTimestampSeconds = brokerTimestamp
    }

    init(stored: [UInt8]) {
        let parts = String(decoding: stored, as: UTF8.self).split(separator: " ", maxSplits: 1)
        brokerTimestampSeconds = parts.first.flatMap { Int64($0) } ?? 0
        integrity = MessageIntegrity(stored: parts.count > 1 ? String(parts[1]) : "")
    }

    func makeEvent(_ connection: ConnectionID, number: Int64) -> AgentEvent {
        .gap(
            connection,
            MessageGap(changeNumber: number, integrity: integrity, brokerTimestampSeconds: brokerTimestampSeconds)
        )
    }
}
