internal import ChatAPI
internal import ChatProtocol
internal import ChatStore
internal import SimpleXCrypto
internal import SQLCipher

/// The current call with a contact. A contact has at most one call: a new call replaces it.
///
/// The original stores only received invitations. This program stores every state, so that a call continues after a
/// restart. The media of a call does not pass through this program.
struct CallRecord: Sendable {
    let userId: Int64
    let contactId: Int64
    let callID: CallID
    /// The id by which the user's programs recognize the call while they ring.
    let uuid: String
    let itemId: Int64
    /// Whether the user made the call.
    let isSent: Bool
    var state: CallState
    /// The status that the item of the call shows. The status is kept also when the item was deleted.
    var shownStatus: CICallStatus
    /// The time at which the media was connected.
    var connectedAt: Timestamp?
    let callTs: Timestamp

    /// Makes the record of a new call.
    init(with contact: ContactRecord, _ callID: CallID, item: ItemRecord, _ state: CallState) {
        userId = contact.userId
        contactId = contact.contactId
        self.callID = callID
        uuid = Self.makeUUID()
        itemId = item.itemId
        isSent = item.isSent
        self.state = state
        shownStatus = .pending
        callTs = item.itemTs
    }

    private init(_ row: Row) throws {
        userId = try row.int64("user_id")
        contactId = try row.int64("contact_id")
        callID = CallID(bytes: try row.blob("shared_call_id"))
        uuid = try row.string("call_uuid")
        itemId = try row.int64("chat_item_id")
        isSent = try row.bool("item_sent")
        state = try StoredJSON.decode(CallState.self, row.string("call_state"))
        shownStatus = CICallStatus(rawValue: try row.string("call_status"))
        connectedAt = try row.int64OrNil("connected_at").map(Timestamp.init(nanoseconds:))
        callTs = Timestamp(nanoseconds: try row.int64("call_ts"))
    }

    /// Makes a random UUID of version 4 (RFC 9562).
    private static func makeUUID() -> String {
        var bytes = RandomBytes.make(count: 16)
        bytes[6] = bytes[6] & 0x0F | 0x40
        bytes[8] = bytes[8] & 0x3F | 0x80
        return [0..<4, 4..<6, 6..<8, 8..<10, 10..<16].map { Hex.encode(Array(bytes[$0])) }.joined(separator: "-")
    }

    static func find(with contact: ContactRecord, _ db: StoreConnection) throws -> CallRecord? {
        try db.firstRow(
            "SELECT * FROM calls WHERE user_id = :user_id AND contact_id = :contact_id",
            ["user_id": contact.userId, "contact_id": contact.contactId]
        )
        .map(CallRecord.init)
    }

    /// Returns the calls of a user, in the order in which they began.
    static func all(user userId: Int64, _ db: StoreConnection) throws -> [CallRecord] {
        try db.query("SELECT * FROM calls WHERE user_id = ? ORDER BY call_ts, contact_id", [userId]).map(
            CallRecord.init
        )
    }

    func store(_ tx: Transaction) throws {
        try tx.db.insert(
            into: "calls",
            or: .replace,
            [
                "user_id": userId, "contact_id": contactId, "shared_call_id": callID.bytes, "call_uuid": uuid,
                "chat_item_id": itemId, "item_sent": isSent, "call_state": try StoredJSON.encode(state),
                "call_status": shownStatus.rawValue, "connected_at": connectedAt?.nanoseconds,
                "call_ts": callTs.nanoseconds,
            ]
        )
    }

    func delete(_ tx: Transaction) throws {
        try tx.db.delete(from: "calls", where: ["user_id": userId, "contact_id": contactId])
    }
}

// MARK: Forms of the API

extension CallRecord {
    /// Returns the call as an unanswered invitation; nil for any other call.
    func makeApiInvitation(_ contact: ContactRecord, _ user: UserRecord) -> RcvCallInvitation? {
        guard case .invitationReceived(let type, _, let key) = state else { return nil }
        return RcvCallInvitation(
            user: user.api,
            contact: contact.api(user),
            callType: type,
            sharedKey: key,
            callUUID: uuid,
            callTs: callTs.api
        )
    }

    /// Returns the call as an active call; nil for an unanswered invitation, and for a call in a final status.
    func makeApiActiveCall(_ contact: ContactRecord, _ user: UserRecord) -> ActiveCall? {
        guard state.tag != .invitationReceived, !shownStatus.isFinal else { return nil }
        return ActiveCall(
            contact: contact.api(user),
            direction: isSent ? .outgoing : .incoming,
            callState: state.tag,
            callStatus: shownStatus,
            callType: state.ownCallType,
            peerCallType: state.peerCallType,
            callUUID: isSent ? nil : uuid,
            callTs: callTs.api,
            sharedKey: state.sharedKey,
            askConfirmation: state.asksConfirmation,
            peerSession: state.peerSession
        )
    }
}
