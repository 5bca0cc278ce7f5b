internal import ChatAPI
internal import SQLCipher
import Synchronization

/// State of the channels that the relays of a store serve.
public struct ChannelFigures: Sendable, Hashable {
    public var channels = 0
    /// Members of these channels, without the relay itself.
    public var members = 0
    /// Messages that are not part of a body yet.
    public var waiting = 0
    /// Message bodies that were not sent to all members yet.
    public var jobs = 0
    /// Age of the oldest message that was not sent to all members yet, in seconds.
    public var lag: Int64 = 0
    /// Answers to tests and invitations that were not delivered yet, or to which an answer is expected.
    public var answers = 0
    /// Messages sent to members since the start.
    public var deliveries: Int64 = 0

    public init() {}
}
