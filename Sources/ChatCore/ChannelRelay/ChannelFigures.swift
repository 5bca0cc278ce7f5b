internal import ChatAPI
internal import SQLCipher
import Synchronization

/// State of the channels that the relays of a store serve.
package struct ChannelFigures: Sendable, Hashable {
    package var channelCount = 0
    /// Members of these channels, without the relay itself.
    package var memberCount = 0
    /// Messages that are not part of a body yet.
    package var waitingMessageCount = 0
    /// Message bodies that were not sent to all members yet.
    package var unsentBodyCount = 0
    /// Age of the oldest message that was not sent to all members yet, in seconds.
    package var lagSeconds: Int64 = 0
    /// Answers to tests and invitations that were not delivered yet, or to which an answer is expected.
    package var pendingAnswerCount = 0
    /// Messages sent to members since the start.
    package var deliveryCount: Int64 = 0

    package init() {}
}
