internal import Agent
internal import ChatAPI
internal import ChatStore
internal import Concurrency
internal import Logging
internal import SQLCipher

/// Reads the links of joined channels at intervals, and when a channel has no relay left. The relays of a channel may
/// have changed while the gateway was not running, or may have left without notice.
final class ChannelLinkWorker: Worker {
    let followUpWork = FollowUp.channelLinks
    private let store: ChatStore
    private let agent: Agent
    private let logger: Logger
    let signal = WakeSignal()

    static let linkReadInterval: Duration = .seconds(4 * 3600)
    /// The delay after a temporary failure to read a link.
    private static let retryDelay: Duration = .seconds(600)
    private static let channelsPerRead: Int64 = 16

    init(store: ChatStore, agent: Agent, logger: Logger) {
        self.store = store
        self.agent = agent
        self.logger = logger
    }

    func findTimeUntilWork(_ db: StoreConnection) throws -> Duration? {
        let now = Timestamp.now
        return try db.queryFirst(
            "SELECT min(CASE WHEN g.link_due_at > ? THEN 0 ELSE g.link_due_at END) AS due \(Self.joinedChannelsSQL)",
            [Self.latestDueTime(at: now).nanoseconds]
        )?.int64OrNil("due").map { max(.zero, Timestamp(nanoseconds: $0).duration(since: now)) }
    }

    func run(from start: WorkerStart) async {
        await signal.run(logger, .warning, after: start.pause, whenFailed: "links of channels not read") {
            while true {
                let due = try await takeDueChannels()
                // Channels that the user is still joining are skipped: their relays have not answered yet.
                for channel in due where channel.group.membership.status.isActive { try await readLink(channel) }
                guard due.count == Int(Self.channelsPerRead) else {
                    // A link that cannot be read stays due. The pause of at least one second prevents a loop without
                    // end.
                    return try await store.read { try self.findTimeUntilWork($0) }.map { max(.seconds(1), $0) }
                }
            }
        }
    }

    private struct DueChannel: Sendable {
        let user: UserRecord
        let group: GroupRecord
    }

    private static let joinedChannelsSQL = """
        FROM groups g JOIN group_members m ON m.user_id = g.user_id AND m.group_member_id = g.membership_id
        WHERE g.public_group_id IS NOT NULL AND g.conn_short_link_to_connect IS NOT NULL AND g.connecting_progress > 0 AND m.member_role <> 'owner'
          AND m.member_status NOT IN ('rejected', 'removed', 'left', 'deleted')
        """

    private func takeDueChannels() async throws -> [DueChannel] {
        try await store.write { tx in
            let rows = try tx.db.query(
                """
                SELECT g.user_id, g.group_id \(Self.joinedChannelsSQL)
                AND (g.link_due_at <= :now OR g.link_due_at > :latest) ORDER BY g.link_due_at LIMIT :limit
                """,
                [
                    "now": tx.now.nanoseconds, "latest": Self.latestDueTime(at: tx.now).nanoseconds,
                    "limit": Self.channelsPerRead,
                ]
            )
            return try rows.compactMap { row in
                guard let user = try UserRecord.find(row.int64("user_id"), in: tx.db),
                    let group = try GroupRecord.find(row.int64("group_id"), user: user.userId, in: tx.db)
                else { return nil }
                // The time of the next read is stored before this read, so that a crash during the read does not cause
                // an early repetition.
                try group.scheduleLinkRead(after: Self.linkReadInterval, tx)
                return DueChannel(user: user, group: group)
            }
        }
    }

    /// Returns the latest possible due time of a link. If a later due time is stored, the clock was set back, and the
    /// link is due now.
    private static func latestDueTime(at now: Timestamp) -> Timestamp {
        now.adding(seconds: linkReadInterval.components.seconds)
    }

    private func readLink(_ channel: DueChannel) async throws {
        let (user, groupId) = (channel.user, channel.group.groupId)
        let link: ChannelLinkData
        do {
            link = try await ChannelLinkData.readFromServer(of: channel.group, user, agent, patience: .background)
        } catch let error as AgentError {
            guard error.isTemporary else {
                return logger.notice("link of a channel not read", metadata: ["error": "\(error)"])
            }
            return try await store.write { tx in try channel.group.scheduleLinkRead(after: Self.retryDelay, tx) }
        } catch let failure as ChatFailure {
            return logger.warning("link of a channel does not belong to the channel", metadata: ["error": "\(failure)"])
        }
        try await store.write { tx in
            guard let group = try GroupRecord.find(groupId, user: user.userId, in: tx.db),
                group.membership.status.isActive
            else { return }
            let isChanged = try group.storeLinkData(link, tx),
                isServedByOthers = try ChannelRelays.updateRelays(link.relays, in: group, user, tx)
            guard isChanged || isServedByOthers else { return }
            try tx.emit(
                .chatInfoUpdated(
                    user: user.api,
                    chatInfo: GroupRecord.get(groupId, user: user, in: tx.db).chatInfo(user)
                ),
                user: user.userId
            )
        }
    }
}

extension GroupRecord {
    func scheduleLinkRead(after time: Duration, _ tx: Transaction) throws {
        try tx.db.update(
            "groups",
            set: ["link_due_at": tx.now.adding(seconds: time.components.seconds).nanoseconds],
            where: ["user_id": userId, "group_id": groupId]
        )
        tx.followUpWork.insert(.channelLinks)
    }
}
