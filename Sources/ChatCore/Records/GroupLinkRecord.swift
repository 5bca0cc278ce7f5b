internal import Agent
internal import ChatAPI
internal import ChatStore
internal import SQLCipher
internal import SimpleXCrypto

/// A link to a group of the user. Other people use the link to ask to join.
struct GroupLinkRecord: Sendable {
    let linkId: Int64
    let userId: Int64
    let groupId: Int64
    let connectionId: Int64
    let agentConnId: String
    let fullLink: String
    let shortLink: String?
    /// The id of the link, which the data of the full link contain.
    let groupLinkID: String
    var role: GroupMemberRole
    let createdAt: Timestamp

    private static let query = "SELECT * FROM group_links"

    private init(_ row: Row) throws {
        linkId = try row.int64("user_contact_link_id")
        userId = try row.int64("user_id")
        groupId = try row.int64("group_id")
        connectionId = try row.int64("connection_id")
        agentConnId = try row.string("agent_conn_id")
        fullLink = try row.string("conn_full_link")
        shortLink = try row.stringOrNil("conn_short_link")
        groupLinkID = try row.string("group_link_id")
        role = GroupMemberRole(rawValue: try row.string("member_role"))
        createdAt = Timestamp(nanoseconds: try row.int64("created_at"))
    }

    static func find(of group: GroupRecord, in db: StoreConnection) throws -> GroupLinkRecord? {
        try db.queryFirst(query + " WHERE user_id = ? AND group_id = ?", [group.userId, group.groupId]).map(
            GroupLinkRecord.init
        )
    }

    /// Returns the link of a group.
    /// - Throws: `groupLinkNotFound`.
    static func get(of group: GroupRecord, _ user: UserRecord, in db: StoreConnection) throws -> GroupLinkRecord {
        guard let link = try find(of: group, in: db) else {
            throw ChatFailure(StoreError.groupLinkNotFound(groupInfo: group.api(user)))
        }
        return link
    }

    static func find(agent id: ConnectionID, in db: StoreConnection) throws -> GroupLinkRecord? {
        try db.queryFirst(query + " WHERE agent_conn_id = ?", [id.text]).map(GroupLinkRecord.init)
    }

    /// Finds a link of the user by the full link.
    static func find(fullLink: String, user userId: Int64, in db: StoreConnection) throws -> GroupLinkRecord? {
        try db.queryFirst(query + " WHERE user_id = ? AND conn_full_link = ?", [userId, fullLink]).map(
            GroupLinkRecord.init
        )
    }

    static func find(shortLink: String, user userId: Int64, in db: StoreConnection) throws -> GroupLinkRecord? {
        try db.queryFirst(query + " WHERE user_id = ? AND conn_short_link = ?", [userId, shortLink]).map(
            GroupLinkRecord.init
        )
    }

    static func findStale(in db: StoreConnection) throws -> [GroupLinkRecord] {
        try db.query(query + " WHERE link_data_stale = 1").map(GroupLinkRecord.init)
    }

    var link: CreatedConnLink { CreatedConnLink(connFullLink: fullLink, connShortLink: shortLink) }

    var api: GroupLink {
        GroupLink(
            userContactLinkId: linkId,
            connLinkContact: link,
            shortLinkDataSet: shortLink != nil,
            shortLinkLargeDataSet: shortLink != nil,
            groupLinkId: groupLinkID,
            acceptMemberRole: role
        )
    }

    var linkConnection: LinkConnection {
        LinkConnection(
            userId: userId,
            connectionId: connectionId,
            agentConnId: agentConnId,
            createdAt: createdAt,
            userContact: UserContact(userContactLinkId: linkId, connReqContact: fullLink, groupId: groupId)
        )
    }

    /// Deletes the link, and requests the deletion of its connection in the agent.
    func delete(_ tx: Transaction) throws {
        try tx.requestDeletionInAgent(of: agentConnId, user: userId)
        try tx.db.execute("DELETE FROM group_links WHERE user_contact_link_id = ?", [linkId])
        try tx.db.update(
            "connections",
            set: ["via_user_contact_link": nil],
            where: ["user_id": userId, "via_user_contact_link": linkId]
        )
    }

    /// Returns the client data of a full link, which mark the link as the link of a group.
    static func makeClientData(_ groupLinkID: String) -> String { "{\"groupLinkId\":\"\(groupLinkID)\"}" }

    /// Creates the id of a new link.
    /// - Parameter key: the key of the request that creates the link, so that a repeated request gets the same id; nil
    ///   for a random id.
    static func makeLinkID(for key: [UInt8]?) -> String {
        BytesText.base64URL(key.map { Array(Digest.sha256($0).prefix(16)) } ?? RandomBytes.make(count: 16))
    }
}

extension GroupRecord {
    /// Marks the data of the group's short link as outdated after a change of the profile, so that a worker replaces
    /// the data.
    func markLinkDataStale(_ tx: Transaction) throws {
        try tx.db.execute(
            """
            UPDATE group_links SET link_data_stale = 1
            WHERE user_id = :user_id AND group_id = :group_id AND conn_short_link IS NOT NULL
            """,
            ["user_id": userId, "group_id": groupId]
        )
        if tx.db.changeCount > 0 { tx.followUpWork.insert(.linkData) }
    }
}
