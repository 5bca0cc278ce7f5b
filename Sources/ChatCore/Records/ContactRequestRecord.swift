internal import Agent
internal import ChatAPI
internal import ChatProtocol
internal import ChatStore
internal import JSON
internal import SQLCipher

/// A request to the user's address. Its sender is stored as a contact, which has no connection until the request is
/// accepted.
struct ContactRequestRecord: Sendable {
    let requestId: Int64
    let contactId: Int64
    let linkId: Int64?
    let invitationID: InvitationID
    let connectionId: Int64?
    let autoReply: MsgContent?
    let peerVersions: ChatVersionRange
    let sharedRequestID: SharedMessageID?
    let welcomeMessageID: SharedMessageID?
    let requestMessageID: SharedMessageID?
    let createdAt: Timestamp
    let updatedAt: Timestamp

    private static let query = "SELECT * FROM contact_requests"

    private init(_ row: Row) throws {
        requestId = try row.int64("contact_request_id")
        contactId = try row.int64("contact_id")
        linkId = try row.int64OrNil("user_contact_link_id")
        invitationID = try row.blob("agent_invitation_id")
        connectionId = try row.int64OrNil("connection_id")
        autoReply = try StoredJSON.decodeIfPresent(MsgContent.self, row.stringOrNil("auto_reply"))
        peerVersions = ChatVersionRange(
            minimum: Int(clamping: try row.int64("peer_min_version")),
            maximum: Int(clamping: try row.int64("peer_max_version"))
        )
        sharedRequestID = try row.blobOrNil("x_contact_id").map(SharedMessageID.init(bytes:))
        welcomeMessageID = try row.blobOrNil("welcome_shared_msg_id").map(SharedMessageID.init(bytes:))
        requestMessageID = try row.blobOrNil("request_shared_msg_id").map(SharedMessageID.init(bytes:))
        createdAt = Timestamp(nanoseconds: try row.int64("created_at"))
        updatedAt = Timestamp(nanoseconds: try row.int64("updated_at"))
    }

    /// Finds the request with this id; nil when the request does not exist or belongs to another user.
    static func find(_ requestId: Int64, user: UserRecord, in db: StoreConnection) throws -> ContactRequestRecord? {
        try db.queryFirst(query + " WHERE contact_request_id = ? AND user_id = ?", [requestId, user.userId]).map(
            ContactRequestRecord.init
        )
    }

    /// Returns the request with this id.
    /// - Throws: `contactRequestNotFound`, also when the request belongs to another user.
    static func get(_ requestId: Int64, user: UserRecord, in db: StoreConnection) throws -> ContactRequestRecord {
        guard let request = try find(requestId, user: user, in: db) else {
            throw ChatFailure(StoreError.contactRequestNotFound(contactRequestId: requestId))
        }
        return request
    }

    static func find(invitation: InvitationID, in db: StoreConnection) throws -> ContactRequestRecord? {
        try db.queryFirst(query + " WHERE agent_invitation_id = ?", [invitation]).map(ContactRequestRecord.init)
    }

    /// Counts the undecided requests to an address.
    static func countPending(of linkId: Int64, in db: StoreConnection) throws -> Int64 {
        try db.queryFirst(
            "SELECT count(*) AS n FROM contact_requests WHERE user_contact_link_id = ? AND connection_id IS NULL",
            [linkId]
        )?.int64("n") ?? 0
    }

    static func find(connection connectionId: Int64, in db: StoreConnection) throws -> ContactRequestRecord? {
        try db.queryFirst(query + " WHERE connection_id = ?", [connectionId]).map(ContactRequestRecord.init)
    }

    /// Finds the stored request that was sent with this id; nil if there is none. A sender who repeats a request sends
    /// the id again.
    static func find(
        requestID: SharedMessageID,
        user userId: Int64,
        in db: StoreConnection
    ) throws -> ContactRequestRecord? {
        try db.queryFirst(query + " WHERE user_id = ? AND x_contact_id = ?", [userId, requestID.bytes]).map(
            ContactRequestRecord.init
        )
    }

    /// Finds the ids of accepted requests that the agent may not know yet, and the ids of their users. The function
    /// reads no other column, because an unreadable request must not prevent the start of the store.
    static func findAcceptedRequestIds(in db: StoreConnection) throws -> [(requestId: Int64, userId: Int64)] {
        try db.query("SELECT contact_request_id, user_id FROM contact_requests WHERE accepting = 1").map { row in
            (try row.int64("contact_request_id"), try row.int64("user_id"))
        }
    }

    /// Whether the sender's program supports post-quantum encryption.
    var supportsPostQuantum: Bool { peerVersions.maximum >= ChatVersionRange.compressionVersion }

    func api(_ contact: ContactRecord) -> UserContactRequest {
        UserContactRequest(
            contactRequestId: requestId,
            agentInvitationId: BytesText.base64URL(BytesText.base64URL(invitationID)),
            contactId_: contactId,
            userContactLinkId_: linkId,
            cReqChatVRange: VersionRange(minVersion: peerVersions.minimum, maxVersion: peerVersions.maximum),
            localDisplayName: contact.localDisplayName,
            profileId: contact.profileId,
            profile: contact.profile.localProfile(
                id: contact.profileId,
                alias: contact.localAlias,
                badge: LocalBadge(contact.profile.badge?.badgeInfo, contact.badgeStatus)
            ),
            createdAt: createdAt.api,
            updatedAt: updatedAt.api,
            xContactId: sharedRequestID.map { BytesText.base64URL($0.bytes) },
            pqSupport: supportsPostQuantum,
            welcomeSharedMsgId: welcomeMessageID.map { BytesText.base64URL($0.bytes) },
            requestSharedMsgId: requestMessageID.map { BytesText.base64URL($0.bytes) }
        )
    }
}
