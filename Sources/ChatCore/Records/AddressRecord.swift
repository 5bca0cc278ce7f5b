internal import Agent
internal import ChatAPI
internal import ChatProtocol
internal import ChatStore
internal import JSON
internal import SQLCipher

/// The contact address of a user.
struct AddressRecord: Sendable {
    let linkId: Int64
    let userId: Int64
    let connectionId: Int64
    let agentConnId: String
    let fullLink: String
    let shortLink: String?
    let settings: AddressSettings
    let createdAt: Timestamp

    static let query = "SELECT * FROM user_addresses"

    init(_ row: Row) throws {
        linkId = try row.int64("user_contact_link_id")
        userId = try row.int64("user_id")
        connectionId = try row.int64("connection_id")
        agentConnId = try row.string("agent_conn_id")
        fullLink = try row.string("conn_full_link")
        shortLink = try row.stringOrNil("conn_short_link")
        settings = try StoredJSON.decode(AddressSettings.self, row.string("settings"))
        createdAt = Timestamp(nanoseconds: try row.int64("created_at"))
    }

    static func find(user userId: Int64, in db: StoreConnection) throws -> AddressRecord? {
        try db.queryFirst(query + " WHERE user_id = ?", [userId]).map(AddressRecord.init)
    }

    static func find(agent id: ConnectionID, in db: StoreConnection) throws -> AddressRecord? {
        try db.queryFirst(query + " WHERE agent_conn_id = ?", [id.text]).map(AddressRecord.init)
    }

    /// Returns the address of a user.
    /// - Throws: `userContactLinkNotFound` if the user has no address.
    static func get(user: UserRecord, in db: StoreConnection) throws -> AddressRecord {
        guard let address = try find(user: user.userId, in: db) else {
            throw ChatFailure(StoreError.userContactLinkNotFound)
        }
        return address
    }

    var link: CreatedConnLink { CreatedConnLink(connFullLink: fullLink, connShortLink: shortLink) }

    /// The link that the profile shows.
    var profileLink: String { shortLink ?? fullLink }

    var api: UserContactLink {
        UserContactLink(
            userContactLinkId: linkId,
            connLinkContact: link,
            shortLinkDataSet: shortLink != nil,
            shortLinkLargeDataSet: shortLink != nil,
            addressSettings: settings
        )
    }

    var linkConnection: LinkConnection {
        LinkConnection(
            userId: userId,
            connectionId: connectionId,
            agentConnId: agentConnId,
            createdAt: createdAt,
            userContact: UserContact(userContactLinkId: linkId, connReqContact: fullLink)
        )
    }
}

/// The connection that receives the requests to an address or to a group link. Many peers use this connection, so the
/// record contains no chat versions of a peer.
struct LinkConnection: Sendable {
    let userId: Int64
    let connectionId: Int64
    let agentConnId: String
    let createdAt: Timestamp
    let userContact: UserContact

    /// The tables that contain the connections of addresses and group links.
    static let tables = ["user_addresses", "group_links"]

    static func find(agent id: ConnectionID, in db: StoreConnection) throws -> LinkConnection? {
        try AddressRecord.find(agent: id, in: db)?.linkConnection
            ?? GroupLinkRecord.find(agent: id, in: db)?.linkConnection
    }

    /// Reserves an id for a new group link. No address and no other group link gets this id.
    static func reserveLinkId(in db: StoreConnection) throws -> Int64 {
        try ConnectionRecord.reserveRowId(of: "user_addresses", in: db)
    }

    var entity: ConnectionEntity {
        let owner = ConnectionOwner.address(userContact.userContactLinkId)
        let version = ChatVersionRange.initial.minimum
        return .userContactConnection(
            entityConnection: Connection(
                connId: connectionId,
                agentConnId: BytesText.base64URL(agentConnId),
                connChatVersion: version,
                peerChatVRange: VersionRange(minVersion: version, maxVersion: version),
                connLevel: 0,
                viaGroupLink: false,
                connType: owner.connType,
                connStatus: .new,
                contactConnInitiated: false,
                localAlias: "",
                entityId: owner.ownerId,
                pqSupport: false,
                pqEncryption: false,
                authErrCounter: 0,
                quotaErrCounter: 0,
                createdAt: createdAt.api
            ),
            userContact: userContact
        )
    }
}
