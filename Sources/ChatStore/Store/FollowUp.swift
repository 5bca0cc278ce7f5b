/// The work that a transaction leaves for workers. The database contains the work, and these flags only wake the
/// workers.
package struct FollowUp: OptionSet, Sendable {
    package let rawValue: Int

    package init(rawValue: Int) { self.rawValue = rawValue }

    /// Wakes the worker that deletes timed items.
    package static let timedItems = FollowUp(rawValue: 1 << 0)
    /// Wakes the worker that makes the agent delete connections.
    package static let retiredConnections = FollowUp(rawValue: 1 << 1)
    /// Wakes the worker that updates the data of short links of addresses.
    package static let linkData = FollowUp(rawValue: 1 << 2)
    /// Wakes the worker that deletes expired items.
    package static let expiringItems = FollowUp(rawValue: 1 << 3)
    /// Wakes the worker that adds a span to the search index.
    package static let searchIndex = FollowUp(rawValue: 1 << 4)
    /// Wakes the worker that connects to members of groups.
    package static let memberSteps = FollowUp(rawValue: 1 << 5)
    /// Wakes the worker that passes files to the agent, and removes deleted files.
    package static let files = FollowUp(rawValue: 1 << 6)
    /// Wakes the worker that reads the links of channels.
    package static let channelLinks = FollowUp(rawValue: 1 << 7)
    /// Wakes the worker that answers requests of channel owners.
    package static let servedChannels = FollowUp(rawValue: 1 << 8)
    /// Wakes the worker that forwards messages in channels.
    package static let relayDelivery = FollowUp(rawValue: 1 << 9)
    /// Wakes the worker that deletes objects from the object storage.
    package static let objects = FollowUp(rawValue: 1 << 10)
    /// Makes the agent tell the notification server about changed settings of chats.
    package static let notifications = FollowUp(rawValue: 1 << 11)
    /// Wakes the worker that sends scheduled messages and broadcasts.
    package static let plannedMessages = FollowUp(rawValue: 1 << 12)
}
