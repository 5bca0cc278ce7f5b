internal import Agent
internal import ChatAPI
internal import ChatStore
internal import SQLCipher

/// The preparation of a group. The chat of the group is created from the data of a link before the user joins.
struct GroupPreparation: Sendable, Hashable {
    let chatPreparation: ChatPreparation
    var progress = Progress.none

    enum Progress: Int64, Sendable, Comparable {
        case none
        /// The user has begun to join, so the profile with which the user joins can no longer change.
        case prepared
        /// The request to join was sent.
        case started

        static func < (one: Self, other: Self) -> Bool { one.rawValue < other.rawValue }
    }

    static let columns = """
        g.conn_full_link_to_connect, g.conn_short_link_to_connect, g.welcome_shared_msg_id, g.request_shared_msg_id, g.connecting_progress
        """

    /// Reads the preparation from the row of a group; nil for a group that was not prepared.
    init?(_ row: Row) throws {
        guard let link = try ChatPreparation(row) else { return nil }
        self.chatPreparation = link
        progress = Progress(rawValue: try row.int64("connecting_progress")) ?? .none
    }

    var api: PreparedGroup {
        PreparedGroup(
            connLinkToConnect: chatPreparation.link,
            connLinkPreparedConnection: progress >= .prepared,
            connLinkStartedConnection: progress >= .started,
            welcomeSharedMsgId: chatPreparation.welcomeID.map { BytesText.base64URL($0.bytes) },
            requestSharedMsgId: chatPreparation.messageID.map { BytesText.base64URL($0.bytes) }
        )
    }
}

extension GroupRecord {
    mutating func setProgress(_ progress: GroupPreparation.Progress, _ tx: Transaction) throws {
        preparation?.progress = progress
        try tx.db.execute(
            """
            UPDATE groups SET connecting_progress = max(connecting_progress, :connecting_progress),
            updated_at = :updated_at WHERE user_id = :user_id AND group_id = :group_id
            """,
            [
                "connecting_progress": progress.rawValue, "updated_at": tx.now.nanoseconds, "user_id": userId,
                "group_id": groupId,
            ]
        )
    }

    /// Records the connection by which the user joins, and the incognito profile of this connection.
    func storeConnection(_ connection: ConnectionRecord, _ tx: Transaction) throws {
        var group = self
        try group.setProgress(.prepared, tx)
        try tx.db.update(
            "groups",
            set: ["via_group_link_uri": connection.fullLink],
            where: ["user_id": userId, "group_id": groupId]
        )
        guard let incognito = connection.incognitoProfileId,
            let profile = try IncognitoProfile.find(incognito, in: tx.db),
            membership.incognitoProfileId == nil
        else { return }
        try tx.db.update(
            "group_members",
            set: [
                "incognito_profile_id": incognito,
                "local_display_name": try LocalDisplayNames.create(profile.displayName, user: userId, in: tx.db),
            ],
            where: ["user_id": userId, "group_member_id": membership.memberId]
        )
    }

    /// Finds the group that was prepared from a short link.
    static func findPrepared(_ shortLink: String, user: UserRecord, in db: StoreConnection) throws -> GroupRecord? {
        try db.firstRow(
            """
            SELECT group_id FROM groups
            WHERE user_id = :user_id AND conn_short_link_to_connect = :conn_short_link_to_connect
            ORDER BY group_id DESC LIMIT 1
            """,
            ["user_id": user.userId, "conn_short_link_to_connect": shortLink]
        ).flatMap { try find($0.int64("group_id"), user: user.userId, in: db) }
    }
}
