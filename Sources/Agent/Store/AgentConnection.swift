import SMP
import SQLCipher
import SimpleXCrypto

/// The part of a connection's state that changes with its messages, such as the ratchet. A transaction loads, changes
/// and stores this state.
struct AgentConnection: Sendable {
    var id: ConnectionID
    var userID: AgentUserID
    var agentVersion: UInt16
    /// The X3DH keys. An inviter keeps them until the joiner's keys arrive. A joiner keeps them until the confirmation
    /// is stored.
    var e2eKeys: E2EPrivateKeys?
    var ratchet: Ratchet?
    var lastInternalID: AgentMessageID
    var lastSndID: Int64
    /// SHA-256 of the last sent message. The next message contains this hash.
    var lastSndHash: [UInt8]
    var lastExternalSndID: Int64
    var lastRcvHash: [UInt8]
    var pendingSenderKey: AuthorizationKey?
    var isDeletedAfterSending: Bool
    /// Whether this is a contact address, which receives only requests.
    var isAddress: Bool
    /// Whether messages have space for the headers that a KEM needs. The value can become false only during the
    /// connection procedure or when the ratchet is renegotiated.
    var supportsPQ: Bool
    var ratchetSync = RatchetSync.ok

    init(
        id: ConnectionID,
        userID: AgentUserID,
        agentVersion: UInt16,
        e2eKeys: E2EPrivateKeys?,
        ratchet: Ratchet?,
        pqSupport: Bool = false
    ) {
        self.id = id
        self.userID = userID
        self.agentVersion = agentVersion
        self.e2eKeys = e2eKeys
        self.ratchet = ratchet
        lastInternalID = 0
        lastSndID = 0
        lastSndHash = []
        lastExternalSndID = 0
        lastRcvHash = []
        isDeletedAfterSending = false
        isAddress = false
        self.supportsPQ = pqSupport
    }

    /// Makes the record of a new invitation.
    init(invitationOf user: AgentUserID, id: ConnectionID, keys: E2EPrivateKeys, pqSupport: Bool) {
        self.init(
            id: id,
            userID: user,
            agentVersion: AgentVersions.supported.max,
            e2eKeys: keys,
            ratchet: nil,
            pqSupport: pqSupport
        )
    }

    /// Makes the record of a new address.
    init(addressOf user: AgentUserID, id: ConnectionID) {
        self.init(id: id, userID: user, agentVersion: AgentVersions.supported.max, e2eKeys: nil, ratchet: nil)
        isAddress = true
    }

    init(_ row: Row) throws {
        id = ConnectionID(bytes: try row.blob("conn_id"))
        userID = try row.int64("user_id")
        agentVersion = UInt16(clamping: try row.int64("agent_version"))
        e2eKeys = try row.blobOrNil("e2e_keys").map { try E2EPrivateKeys(stored: $0) }
        ratchet = try row.blobOrNil("ratchet").map { try Ratchet(stored: $0) }
        lastInternalID = try row.readCount("last_internal_id")
        lastSndID = try row.readCount("last_snd_id")
        lastSndHash = try row.blob("last_snd_hash")
        lastExternalSndID = try row.int64("last_external_snd_id")
        lastRcvHash = try row.blob("last_rcv_hash")
        pendingSenderKey = try row.blobOrNil("pending_sender_key").map { try AuthorizationKey(spki: $0) }
        isDeletedAfterSending = try row.bool("delete_when_sent")
        isAddress = try row.bool("is_address")
        supportsPQ = try row.bool("pq_support")
        ratchetSync = RatchetSync(rawValue: try row.string("ratchet_sync")) ?? .ok
    }

    static func find(_ id: ConnectionID, _ db: DatabaseConnection) throws -> AgentConnection? {
        try db.firstRow("SELECT * FROM connections WHERE conn_id = ?", id.bytes).map(AgentConnection.init)
    }

    static func get(_ id: ConnectionID, _ db: DatabaseConnection) throws -> AgentConnection {
        guard let record = try find(id, db) else { throw AgentError.connection(.notFound, context: "") }
        return record
    }

    func insert(_ db: DatabaseConnection) throws {
        try db.insert(
            into: "connections",
            [
                "conn_id": id.bytes, "user_id": userID, "agent_version": agentVersion, "e2e_keys": e2eKeys?.storedForm,
                "ratchet": ratchet?.storedForm, "is_address": isAddress, "pq_support": supportsPQ,
            ]
        )
    }

    func update(_ db: DatabaseConnection) throws {
        try db.update(
            "connections",
            or: .fail,
            set: [
                "agent_version": agentVersion, "e2e_keys": e2eKeys?.storedForm, "ratchet": ratchet?.storedForm,
                "last_internal_id": lastInternalID, "last_snd_id": lastSndID, "last_snd_hash": lastSndHash,
                "last_external_snd_id": lastExternalSndID, "last_rcv_hash": lastRcvHash,
                "pending_sender_key": pendingSenderKey?.spki, "pq_support": supportsPQ,
                "ratchet_sync": ratchetSync.rawValue,
            ],
            where: ["conn_id": id.bytes]
        )
    }
}
