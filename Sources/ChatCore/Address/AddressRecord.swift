internal import Agent
internal import ChatAPI
internal import JSON
internal import SQLCipher

/// The tables of contact addresses and of requests to them.
enum AddressSchema {
    static let migration = Migration(name: "20261121_addresses", up: """
        CREATE TABLE user_addresses (
          user_contact_link_id INTEGER PRIMARY KEY AUTOINCREMENT,
          user_id INTEGER NOT NULL UNIQUE REFERENCES users ON DELETE CASCADE,
          agent_conn_id TEXT NOT NULL UNIQUE,
          conn_full_link TEXT NOT NULL,
          conn_short_link TEXT,
          settings TEXT NOT NULL,
          created_at INTEGER NOT NULL
        );
        -- A request has a contact from the start; it is accepted when it has a connection.
        CREATE TABLE contact_requests (
          contact_request_id INTEGER PRIMARY KEY AUTOINCREMENT,
          user_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE,
          contact_id INTEGER NOT NULL,
          user_contact_link_id INTEGER REFERENCES user_addresses ON DELETE SET NULL,
          agent_invitation_id BLOB NOT NULL,
          connection_id INTEGER REFERENCES connections ON DELETE SET NULL,
          -- whether the agent is still to be told of the acceptance
          accepting INTEGER NOT NULL DEFAULT 0,
          -- what is to be sent as soon as messages can be
          auto_reply TEXT,
          peer_min_version INTEGER NOT NULL,
          peer_max_version INTEGER NOT NULL,
          x_contact_id BLOB,
          welcome_shared_msg_id BLOB,
          request_shared_msg_id BLOB,
          created_at INTEGER NOT NULL,
          updated_at INTEGER NOT NULL,
          FOREIGN KEY (user_id, contact_id) REFERENCES contacts ON DELETE CASCADE
        );
        CREATE INDEX idx_contact_requests_contact ON contact_requests (user_id, contact_id);
        CREATE INDEX idx_contact_requests_link ON contact_requests (user_contact_link_id);
        CREATE INDEX idx_contact_requests_connection ON contact_requests (connection_id);
        CREATE INDEX idx_contact_requests_invitation ON contact_requests (agent_invitation_id);
        CREATE INDEX idx_contact_requests_x_contact_id ON contact_requests (user_id, x_contact_id);
        ALTER TABLE contacts ADD COLUMN contact_request_id INTEGER;
        ALTER TABLE connections ADD COLUMN x_contact_id BLOB;
        ALTER TABLE connections ADD COLUMN via_user_contact_link INTEGER;
        """)

    /// Adds the mark of an address whose short link data must be replaced, because the profile has changed.
    static let linkData = Migration(
        name: "20261121_stale_link_data", up: "ALTER TABLE user_addresses ADD COLUMN link_data_stale INTEGER NOT NULL DEFAULT 0;")

    static let pendingRequests = Migration(
        name: "20261122_pending_requests",
        up: "CREATE INDEX idx_contact_requests_pending ON contact_requests (user_contact_link_id) WHERE connection_id IS NULL;")

    /// Adds the number of the address's connection; no connection of a contact has this number.
    static let connection = Migration(
        name: "20261122_address_connections",
        apply: { db in
            try db.execute("ALTER TABLE user_addresses ADD COLUMN connection_id INTEGER NOT NULL DEFAULT 0")
            for row in try db.query("SELECT user_contact_link_id FROM user_addresses ORDER BY user_contact_link_id") {
                try db.execute(
                    "UPDATE user_addresses SET connection_id = ? WHERE user_contact_link_id = ?",
                    [try ConnectionRecord.takeNumber(in: db), try row.int64("user_contact_link_id")])
            }
        })
}

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
        try db.first(query + " WHERE user_id = ?", [userId]).map(AddressRecord.init)
    }

    static func find(agent id: ConnectionID, in db: StoreConnection) throws -> AddressRecord? {
        try db.first(query + " WHERE agent_conn_id = ?", [id.text]).map(AddressRecord.init)
    }

    /// - Throws: `userContactLinkNotFound`.
    static func get(user: UserRecord, in db: StoreConnection) throws -> AddressRecord {
        guard let address = try find(user: user.userId, in: db) else { throw ChatFailure(StoreError.userContactLinkNotFound) }
        return address
    }

    var link: CreatedConnLink { CreatedConnLink(connFullLink: fullLink, connShortLink: shortLink) }

    /// The link that the profile shows.
    var profileLink: String { shortLink ?? fullLink }

    var api: UserContactLink {
        UserContactLink(
            userContactLinkId: linkId, connLinkContact: link, shortLinkDataSet: shortLink != nil, shortLinkLargeDataSet: shortLink != nil,
            addressSettings: settings)
    }

    var linkConnection: LinkConnection {
        LinkConnection(
            userId: userId, connectionId: connectionId, agentConnId: agentConnId, createdAt: createdAt,
            userContact: UserContact(userContactLinkId: linkId, connReqContact: fullLink))
    }
}

/// The connection that receives the requests to an address or to a group link. It has many peers, so it has no peer
/// versions.
struct LinkConnection: Sendable {
    let userId: Int64
    let connectionId: Int64
    let agentConnId: String
    let createdAt: Timestamp
    let userContact: UserContact

    /// The tables that contain such connections.
    static let tables = ["user_addresses", "group_links"]

    static func find(agent id: ConnectionID, in db: StoreConnection) throws -> LinkConnection? {
        try AddressRecord.find(agent: id, in: db)?.linkConnection ?? GroupLinkRecord.find(agent: id, in: db)?.linkConnection
    }

    /// Takes a number that no address and no group link has or will have.
    static func takeLinkNumber(in db: StoreConnection) throws -> Int64 { try ConnectionRecord.takeNumber(of: "user_addresses", in: db) }

    var entity: ConnectionEntity {
        let owner = ConnectionOwner.address(userContact.userContactLinkId)
        let version = ChatVersionRange.initial.minimum
        return .userContactConnection(
            entityConnection: ChatAPI.Connection(
                connId: connectionId, agentConnId: BytesText.url(agentConnId), connChatVersion: version,
                peerChatVRange: VersionRange(minVersion: version, maxVersion: version), connLevel: 0, viaGroupLink: false,
                connType: owner.connType, connStatus: .new, contactConnInitiated: false, localAlias: "", entityId: owner.entityId, pqSupport: false,
                pqEncryption: false, authErrCounter: 0, quotaErrCounter: 0, createdAt: createdAt.api),
            userContact: userContact)
    }
}
