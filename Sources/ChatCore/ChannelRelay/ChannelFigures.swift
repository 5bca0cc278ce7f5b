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
    /// Bodies that were not sent to all members yet.
    public var jobs = 0
    /// Age of the oldest message that was not sent to all members yet, in seconds.
    public var lag: Int64 = 0
    /// Messages sent to members since the start.
    public var deliveries: Int64 = 0

    public init() {}
}

extension ChatController {
    /// The figures of this store; nil while the database cannot be read.
    public func channelFigures() async -> ChannelFigures? {
        try? await store.read { [relayDelivery] db in
            var figures = ChannelFigures()
            let row = try db.first(
                """
                SELECT count(*) AS channels, coalesce(sum(current_members), 0) AS members FROM groups
                WHERE relay_own_status IN ('accepted', 'acknowledgedRoster', 'active')
                """
            )
            figures.channels = try row?.tally("channels") ?? 0
            figures.members = max(0, (try row?.tally("members") ?? 0) - figures.channels)
            figures.waiting = try db.first("SELECT count(*) AS n FROM relay_tasks")?.count("n") ?? 0
            figures.jobs = try db.first("SELECT count(*) AS n FROM relay_jobs")?.count("n") ?? 0
            let oldest = try db.first(
                "SELECT min(oldest) AS oldest FROM (SELECT min(created_at) AS oldest FROM relay_tasks UNION ALL SELECT min(created_at) FROM relay_jobs)"
            )
            figures.lag =
                try oldest?.int64OrNil("oldest").map {
                    max(0, Timestamp.now.seconds - Timestamp(nanoseconds: $0).seconds)
                } ?? 0
            figures.deliveries = relayDelivery.deliveries.load(ordering: .relaxed)
            return figures
        }
    }
}
