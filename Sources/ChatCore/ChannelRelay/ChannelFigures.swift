package import ChatAPI
internal import SQLCipher
import Synchronization

/// Figures about the channels that the relays of a store serve.
package struct ChannelFigures: Sendable, Hashable {
    package var channelCount = 0
    /// Number of members of the served channels, without the relays.
    package var memberCount = 0
    /// Number of messages that the relays have not yet joined into message bodies. A body contains several messages.
    package var waitingMessageCount = 0
    /// Number of message bodies that were not sent to all members yet.
    package var unsentBodyCount = 0
    /// The time of the oldest message that was not sent to all members yet; nil without such a message.
    package var oldestMessageTime: Timestamp?
    /// Number of the relays' answers to tests and invitations that are still in progress: they are not delivered yet,
    /// or the peer has not replied yet.
    package var pendingAnswerCount = 0

    package init() {}

    /// Adds the figures of another store.
    package static func += (left: inout ChannelFigures, right: ChannelFigures) {
        left.channelCount += right.channelCount
        left.memberCount += right.memberCount
        left.waitingMessageCount += right.waitingMessageCount
        left.unsentBodyCount += right.unsentBodyCount
        left.oldestMessageTime = [left.oldestMessageTime, right.oldestMessageTime].compactMap { $0 }.min()
        left.pendingAnswerCount += right.pendingAnswerCount
    }
}
