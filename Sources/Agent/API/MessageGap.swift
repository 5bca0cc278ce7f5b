/// A gap in the message numbers before a message that has no body for the chat, such as a message with receipts
/// (agent-protocol.md, "Message integrity").
package struct MessageGap: Hashable, Sendable {
    /// Number of the gap. All later stored events of the agent have greater numbers. If the gap is delivered again
    /// after a crash, the caller recognizes it by the number.
    package var changeNumber: Int64
    package var integrity: MessageIntegrity
    /// Time at which the relay received the message after the gap, in seconds since 1970.
    package var brokerTimestampSeconds: Int64
}
