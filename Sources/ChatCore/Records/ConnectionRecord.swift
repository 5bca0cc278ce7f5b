internal import Agent
internal import ChatAPI
internal import ChatProtocol
internal import ChatStore
internal import SimpleXCrypto
internal import SQLCipher

/// A stored connection. The API shows a connection without an owner as a pending connection.
struct ConnectionRecord: Sendable {
    let connectionId: Int64
    let userId: Int64
    var owner: ConnectionOwner
    let agentConnId: String
    var status: ConnStatus
    /// Whether the user made the invitation. The value has a meaning only until the connection is established.
    var isInitiated: Bool
    let isViaContactUri: Bool
    /// The number of people through whom the link of the peer reached the user.
    let introducerCount: Int64
    /// The contact who passed the link of the peer on to the user.
    let viaContactId: Int64?
    /// The id of the request that the user sent to the peer.
    let requestID: SharedMessageID?
    /// The user's own address through which the peer connected.
    let addressLinkId: Int64?
    /// Whether the connection was made by the link of a group.
    let isViaGroupLink: Bool
    /// The id in the group link by which the user asked to join.
    let groupLinkID: String?
    /// The incognito profile by which the peer knows the user; nil for the user's profile.
    let incognitoProfileId: Int64?
    let fullLink: String?
    let shortLink: String?
    var localAlias: String
    var chatVersion: Int
    var peerVersions: ChatVersionRange
    var authErrorCount: Int64
    var quotaErrorCount: Int64
    var lastReceivedMessageId: Int64
    var postQuantumState: ConnectionPostQuantum
    /// The security code that the user compared with the peer's code.
    var securityCode: SecurityCode?
    /// The number of the last change of the connection that the chat shows. The agent numbers the changes.
    var lastShownChangeNumber: Int64
    let createdAt: Timestamp
    var updatedAt: Timestamp

    static let columns = """
        cn.connection_id, cn.user_id AS cn_user_id, \(ConnectionOwner.columns), cn.agent_conn_id, cn.conn_status, cn.conn_initiated,
        cn.via_contact_uri, cn.conn_level, cn.via_contact, cn.x_contact_id, cn.via_user_contact_link, cn.via_group_link, cn.group_link_id, cn.custom_user_profile_id, cn.conn_full_link, cn.conn_short_link, cn.local_alias AS cn_local_alias,
        cn.chat_version, cn.peer_min_version, cn.peer_max_version, cn.auth_err_counter, cn.quota_err_counter, cn.last_rcv_msg_id,
        cn.security_code, cn.security_code_verified_at, cn.last_agent_event,
        cn.created_at AS cn_created_at, cn.updated_at AS cn_updated_at, \(ConnectionPostQuantum.columns)
        """

    private static let query = "SELECT \(columns) FROM connections cn"

    init(_ row: Row) throws {
        connectionId = try row.int64("connection_id")
        userId = try row.int64("cn_user_id")
        owner = try ConnectionOwner(row)
        agentConnId = try row.string("agent_conn_id")
        status = ConnStatus(stored: try row.string("conn_status"))
        isInitiated = try row.bool("conn_initiated")
        isViaContactUri = try row.bool("via_contact_uri")
        introducerCount = try row.readClampedCount("conn_level")
        viaContactId = try row.int64OrNil("via_contact")
        requestID = try row.blobOrNil("x_contact_id").map(SharedMessageID.init(bytes:))
        addressLinkId = try row.int64OrNil("via_user_contact_link")
        isViaGroupLink = try row.bool("via_group_link")
        groupLinkID = try row.stringOrNil("group_link_id")
        incognitoProfileId = try row.int64OrNil("custom_user_profile_id")
        fullLink = try row.stringOrNil("conn_full_link")
        shortLink = try row.stringOrNil("conn_short_link")
        localAlias = try row.string("cn_local_alias")
        chatVersion = Int(clamping: try row.int64("chat_version"))
        peerVersions = ChatVersionRange(
            minimum: Int(clamping: try row.int64("peer_min_version")),
            maximum: Int(clamping: try row.int64("peer_max_version"))
        )
        authErrorCount = try row.readClampedCount("auth_err_counter")
        quotaErrorCount = try row.readClampedCount("quota_err_counter")
        lastReceivedMessageId = try row.int64("last_rcv_msg_id")
        postQuantumState = try ConnectionPostQuantum(row)
        securityCode = try row.stringOrNil("security_code").map { code in
            SecurityCode(
                securityCode: code,
                verifiedAt: Timestamp(nanoseconds: try row.int64OrNil("security_code_verified_at") ?? 0).api
            )
        }
        lastShownChangeNumber = try row.int64("last_agent_event")
        createdAt = Timestamp(nanoseconds: try row.int64("cn_created_at"))
        updatedAt = Timestamp(nanoseconds: try row.int64("cn_updated_at"))
    }

    static func find(agent id: ConnectionID, in db: StoreConnection) throws -> ConnectionRecord? {
        try db.queryFirst(query + " WHERE cn.agent_conn_id = ?", [id.text]).map(ConnectionRecord.init)
    }

    static func find(_ connectionId: Int64, in db: StoreConnection) throws -> ConnectionRecord? {
        try db.queryFirst(query + " WHERE cn.connection_id = ?", [connectionId]).map(ConnectionRecord.init)
    }

    /// Returns all connections of a contact, including the connections of merged contacts.
    static func all(of contact: ContactRecord, in db: StoreConnection) throws -> [ConnectionRecord] {
        try db.query(
            query + " WHERE cn.user_id = ? AND cn.contact_id = ? ORDER BY cn.connection_id",
            [contact.userId, contact.contactId]
        )
        .map(ConnectionRecord.init)
    }

    static func all(of member: MemberRecord, in db: StoreConnection) throws -> [ConnectionRecord] {
        try db.query(
            query + " WHERE cn.user_id = ? AND cn.group_member_id = ? ORDER BY cn.connection_id",
            [member.userId, member.memberId]
        )
        .map(ConnectionRecord.init)
    }

    /// Returns a pending connection of the user: a connection that belongs to no contact and no member.
    /// - Throws: `pendingConnectionNotFound`.
    static func getPending(_ connectionId: Int64, user: UserRecord, in db: StoreConnection) throws -> ConnectionRecord {
        let row = try db.queryFirst(
            query
                + " WHERE cn.connection_id = ? AND cn.user_id = ? AND cn.contact_id IS NULL AND cn.group_member_id IS NULL AND cn.conn_status <> 'deleted'",
            [connectionId, user.userId]
        )
        guard let row else { throw ChatFailure(StoreError.pendingConnectionNotFound(connId: connectionId)) }
        return try ConnectionRecord(row)
    }

    /// Returns all pending connections of the user, the last changed first. Omits connections of failed attempts
    /// (status `prepared`), because the user can repeat an attempt with the link.
    static func allPending(user userId: Int64, in db: StoreConnection) throws -> [ConnectionRecord] {
        try db.query(
            query
                + " WHERE cn.user_id = ? AND cn.contact_id IS NULL AND cn.group_member_id IS NULL AND cn.conn_status NOT IN ('prepared', 'deleted') ORDER BY cn.updated_at DESC",
            [userId]
        ).map(ConnectionRecord.init)
    }

    /// Finds the connection that was made with this link, preferably a connection with a contact.
    /// - Parameter incognito: whether a connection with an incognito profile is preferred, if there are several.
    static func find(
        link: String,
        user userId: Int64,
        incognito: Bool = false,
        in db: StoreConnection
    ) throws -> ConnectionRecord? {
        let order =
            "cn.contact_id IS NULL, (cn.custom_user_profile_id IS NOT NULL) <> ?, cn.conn_status = 'prepared', cn.connection_id DESC"
        return try db.queryFirst(
            query + " WHERE cn.user_id = ? AND cn.conn_full_link = ? ORDER BY \(order)",
            [userId, link, incognito ? 1 : 0]
        ).map(ConnectionRecord.init)
    }

    /// Returns the id of the last request to an address. If `incognito` is true, only requests with an incognito
    /// profile count; otherwise only requests with the user's profile.
    static func findRequestID(
        link: String,
        user userId: Int64,
        incognito: Bool,
        in db: StoreConnection
    ) throws -> SharedMessageID? {
        let condition = "cn.user_id = ? AND cn.conn_full_link = ? AND (cn.custom_user_profile_id IS NOT NULL) = ?"
        return try db.queryFirst(
            query + " WHERE \(condition) ORDER BY cn.connection_id DESC",
            [userId, link, incognito ? 1 : 0]
        ).map(ConnectionRecord.init)?.requestID
    }

    /// Finds the connections without an owner that were made for a request.
    static func findPending(
        requestID: SharedMessageID,
        user userId: Int64,
        in db: StoreConnection
    ) throws -> [ConnectionRecord] {
        try db.query(
            query
                + " WHERE cn.user_id = ? AND cn.x_contact_id = ? AND cn.contact_id IS NULL AND cn.group_member_id IS NULL",
            [userId, requestID.bytes]
        )
        .map(ConnectionRecord.init)
    }

    /// Finds the last connection with this short link: an invitation of the user, or an invitation that the user has
    /// joined.
    static func find(shortLink: String, user userId: Int64, in db: StoreConnection) throws -> ConnectionRecord? {
        try db.queryFirst(
            query + " WHERE cn.user_id = ? AND cn.conn_short_link = ? ORDER BY cn.connection_id DESC",
            [userId, shortLink]
        ).map(ConnectionRecord.init)
    }

    /// Stores a new connection of the user.
    static func create(
        agent id: ConnectionID,
        user: UserRecord,
        status: ConnStatus,
        initiated: Bool,
        fullLink: String?,
        shortLink: String? = nil,
        owner: ConnectionOwner = .pending,
        incognitoProfileId: Int64? = nil,
        requestID: SharedMessageID? = nil,
        groupLinkID: String? = nil,
        pqSupport: Bool = true,
        chatVersion: Int = ChatVersionRange.supported.maximum,
        peerVersions: ChatVersionRange = .initial,
        introducerCount: Int64 = 0,
        viaContactId: Int64? = nil,
        at now: Timestamp,
        in db: StoreConnection
    ) throws -> ConnectionRecord {
        try db.insert(
            into: "connections",
            [
                "user_id": user.userId, "agent_conn_id": id.text, "conn_status": status.storedText,
                "conn_initiated": initiated, "conn_full_link": fullLink, "conn_short_link": shortLink,
                "contact_id": owner.contactId, "group_member_id": owner.memberId,
                "custom_user_profile_id": incognitoProfileId, "via_contact_uri": requestID != nil,
                "x_contact_id": requestID?.bytes, "chat_version": Int64(chatVersion),
                "peer_min_version": Int64(peerVersions.minimum), "peer_max_version": Int64(peerVersions.maximum),
                "conn_level": introducerCount, "via_contact": viaContactId, "via_group_link": groupLinkID != nil,
                "group_link_id": groupLinkID, "created_at": now.nanoseconds, "updated_at": now.nanoseconds,
            ]
        )
        let connectionId = db.lastInsertRowID
        try ConnectionPostQuantum(isSupported: pqSupport).store(connectionId, db)
        guard let created = try find(connectionId, in: db) else {
            throw ChatFailure(StoreError.internalError(message: "connection not created"))
        }
        return created
    }

    /// Reserves an id for a connection that is stored in another table than `connections`. No other connection gets
    /// this id.
    static func reserveRowId(in db: StoreConnection) throws -> Int64 { try reserveRowId(of: "connections", in: db) }

    /// Reserves the next row number of a table, for a row that is stored in another table.
    static func reserveRowId(of table: String, in db: StoreConnection) throws -> Int64 {
        try db.execute("UPDATE sqlite_sequence SET seq = seq + 1 WHERE name = ?", [table])
        if db.changeCount == 0 { try db.insert(into: "sqlite_sequence", ["name": table, "seq": 1]) }
        return try db.queryFirst("SELECT seq FROM sqlite_sequence WHERE name = ?", [table])?.int64("seq") ?? 1
    }

    /// Whether messages can be sent over the connection.
    var canSend: Bool { status == .ready || status == .sndReady }

    func setStatus(_ status: ConnStatus, at now: Timestamp, in db: StoreConnection) throws {
        try db.update(
            "connections",
            set: ["conn_status": status.storedText, "updated_at": now.nanoseconds],
            where: ["connection_id": connectionId]
        )
    }

    /// Stores the peer's versions and the agreed version.
    func storeVersions(in db: StoreConnection) throws {
        try db.update(
            "connections",
            set: [
                "chat_version": Int64(chatVersion), "peer_min_version": Int64(peerVersions.minimum),
                "peer_max_version": Int64(peerVersions.maximum),
            ],
            where: ["connection_id": connectionId]
        )
    }

    /// Stores the peer's versions that a message contains, and returns whether a version has changed. The agreed
    /// version never becomes lower, but can become higher, for example after an update of this program.
    mutating func updateVersions(_ versions: ChatVersionRange, in db: StoreConnection) throws -> Bool {
        guard let version = ChatVersionRange.supported.compatibleVersion(with: versions) else { return false }
        let agreed = max(chatVersion, version)
        guard peerVersions != versions || agreed != chatVersion else { return false }
        (peerVersions, chatVersion) = (versions, agreed)
        try storeVersions(in: db)
        return true
    }

    var agentConnectionID: ConnectionID? { ConnectionID(text: agentConnId) }

    /// The agent's id of the connection in the form of the API: base64url of the text of the id.
    var apiAgentConnId: String { BytesText.base64URL(agentConnId) }

    var api: Connection {
        Connection(
            connId: connectionId,
            agentConnId: apiAgentConnId,
            connChatVersion: chatVersion,
            peerChatVRange: VersionRange(minVersion: peerVersions.minimum, maxVersion: peerVersions.maximum),
            connLevel: Int(clamping: introducerCount),
            viaContact: viaContactId,
            viaUserContactLink: addressLinkId,
            viaGroupLink: isViaGroupLink,
            groupLinkId: groupLinkID,
            xContactId: requestID.map { BytesText.base64URL($0.bytes) },
            customUserProfileId: incognitoProfileId,
            connType: owner.connType,
            connStatus: status,
            contactConnInitiated: isInitiated,
            localAlias: localAlias,
            entityId: owner.ownerId,
            connectionCode: securityCode,
            pqSupport: postQuantumState.isSupported,
            pqEncryption: postQuantumState.isWanted,
            pqSndEnabled: postQuantumState.protectsSent,
            pqRcvEnabled: postQuantumState.protectsReceived,
            authErrCounter: Int(clamping: authErrorCount),
            quotaErrCounter: Int(clamping: quotaErrorCount),
            createdAt: createdAt.api
        )
    }

    var apiPendingConnection: PendingContactConnection {
        PendingContactConnection(
            pccConnId: connectionId,
            pccAgentConnId: apiAgentConnId,
            pccConnStatus: status,
            viaContactUri: isViaContactUri,
            groupLinkId: groupLinkID,
            customUserProfileId: incognitoProfileId,
            connLinkInv: isViaContactUri
                ? nil : fullLink.map { CreatedConnLink(connFullLink: $0, connShortLink: shortLink) },
            localAlias: localAlias,
            createdAt: createdAt.api,
            updatedAt: updatedAt.api
        )
    }
}

extension ConnectionRecord {
    /// Whether long messages of a connection are compressed. Post-quantum headers leave less space for messages, so
    /// longer messages need compression.
    static func shouldCompress(_ postQuantum: ConnectionPostQuantum, _ chatVersion: Int) -> Bool {
        postQuantum.isSupported && chatVersion >= ChatVersionRange.compressionVersion
    }
}

extension ChatMessage {
    /// Encodes a message, such as a profile, that is sent while a connection is being established. A long message is
    /// compressed if the connection allows compression.
    /// - Throws: `exception` when the message cannot be made short enough.
    func encodeConnectionInfo(for connection: ConnectionRecord) throws(ChatFailure) -> [UInt8] {
        guard let bytes = try? encoded(limit: ChatMessageLimits.connectionInfoBytes) else {
            throw ChatFailure(ChatErrorType.exception(message: "large info"))
        }
        guard ConnectionRecord.shouldCompress(connection.postQuantumState, connection.chatVersion) else { return bytes }
        guard
            let info = try? CompressedBody.compressIfNeeded(
                bytes,
                limit: ChatMessageLimits.compressedConnectionInfoBytes
            )
        else {
            throw ChatFailure(ChatErrorType.exception(message: "the profile is too large, even compressed"))
        }
        return info
    }
}

extension ConnectionID {
    /// The agent's id of a connection in the form of the API: base64url of the text of the id.
    var api: String { BytesText.base64URL(text) }

    init?(api text: String) {
        guard let bytes = try? Base64URL.decode(text), let own = String(validating: bytes, as: UTF8.self) else {
            return nil
        }
        self.init(text: own)
    }
}
