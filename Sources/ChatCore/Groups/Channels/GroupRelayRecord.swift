internal import Agent
internal import ChatAPI
internal import ChatProtocol
internal import ChatStore
internal import ChatText
internal import JSON
internal import SQLCipher

/// The record in which the owner of a channel stores a relay of this channel. It contains the member that stands for
/// the relay, and the status of the relay. The status begins with `new`, before the invitation, and ends with `active`,
/// `inactive` or `rejected`.
struct GroupRelayRecord: Sendable {
    let relayId: Int64
    let memberId: Int64
    let relay: UserChatRelay
    var status: RelayStatus
    let relayLink: String?
    let capabilities: RelayCapabilities

    private static let query = """
        SELECT gr.group_relay_id, gr.group_member_id, gr.relay_status, gr.relay_link, gr.capabilities, \(ChatRelays.columns)
        FROM group_relays gr JOIN chat_relays cr ON cr.chat_relay_id = gr.chat_relay_id
        """

    private init(_ row: Row) throws {
        relayId = try row.int64("group_relay_id")
        memberId = try row.int64("group_member_id")
        relay = try ChatRelays.decodeRelay(row)
        status = RelayStatus(rawValue: try row.string("relay_status"))
        relayLink = try row.stringOrNil("relay_link")
        capabilities = try StoredJSON.decode(RelayCapabilities.self, row.string("capabilities"))
    }

    static func all(of group: GroupRecord, in db: StoreConnection) throws -> [GroupRelayRecord] {
        try db.query(
            query + " WHERE gr.user_id = ? AND gr.group_id = ? ORDER BY gr.group_relay_id",
            [group.userId, group.groupId]
        ).map(GroupRelayRecord.init)
    }

    static func find(member memberId: Int64, user userId: Int64, in db: StoreConnection) throws -> GroupRelayRecord? {
        try db.queryFirst(query + " WHERE gr.user_id = ? AND gr.group_member_id = ?", [userId, memberId]).map(
            GroupRelayRecord.init
        )
    }

    /// Creates the member and the record of a relay before the owner invites the relay.
    static func create(
        _ relay: UserChatRelay,
        in group: GroupRecord,
        _ user: UserRecord,
        _ tx: Transaction
    ) throws -> MemberRecord {
        let member = try MemberRecord.create(
            NewMember(
                id: .random(),
                role: .relay,
                category: .invitee,
                status: .invited,
                invitedByContactId: 0,
                invitedByMemberId: group.membership.memberId,
                profileId: 0,
                localDisplayName: "",
                versions: .initial
            ),
            profile: Profile(displayName: DisplayName.makeShownPeerName(relay.relayProfile.displayName), fullName: ""),
            in: group.groupId,
            user,
            tx
        )
        try tx.db.insert(
            into: "group_relays",
            [
                "user_id": user.userId, "group_id": group.groupId, "group_member_id": member.memberId,
                "chat_relay_id": relay.chatRelayId, "relay_status": RelayStatus.new.rawValue,
            ]
        )
        return member
    }

    mutating func setStatus(_ status: RelayStatus, _ tx: Transaction) throws {
        self.status = status
        try tx.db.update("group_relays", set: ["relay_status": status.rawValue], where: ["group_relay_id": relayId])
    }

    /// Stores the relay's acceptance of the invitation: the relay's link, and the confirmation to which the owner
    /// replies.
    func storeAcceptance(_ link: String, _ confirmation: ConfirmationID, _ tx: Transaction) throws {
        try tx.db.update(
            "group_relays",
            set: ["relay_link": link, "confirmation_id": confirmation],
            where: ["group_relay_id": relayId]
        )
    }

    func findConfirmationID(in db: StoreConnection) throws -> ConfirmationID? {
        try db.queryFirst("SELECT confirmation_id FROM group_relays WHERE group_relay_id = ?", [relayId])?.blobOrNil(
            "confirmation_id"
        )
    }

    /// Stores the capabilities of the relay.
    /// - Parameter capabilities: the received JSON. A `webDomain` that is empty or longer than 253 bytes is ignored.
    func setCapabilities(_ capabilities: JSONObject?, _ tx: Transaction) throws {
        let domain = capabilities?["webDomain"]?.stringValue.flatMap { $0.utf8.count <= 253 && !$0.isEmpty ? $0 : nil }
        try tx.db.update(
            "group_relays",
            set: ["capabilities": try StoredJSON.encode(RelayCapabilities(webDomain: domain))],
            where: ["group_relay_id": relayId]
        )
    }

    /// Emits an event with the present state of the relay.
    /// - Parameter member: the relay as a member of the channel.
    func emitUpdate(of member: MemberRecord, in group: GroupRecord, _ user: UserRecord, _ tx: Transaction) throws {
        try tx.emit(
            .groupRelayUpdated(user: user.api, groupInfo: group.api(user), member: member.api, groupRelay: api),
            user: user.userId
        )
    }

    /// Deletes the record of a relay that the channel no longer has.
    static func remove(_ member: MemberRecord, _ tx: Transaction) throws {
        try tx.db.delete(from: "group_relays", where: ["user_id": member.userId, "group_member_id": member.memberId])
    }

    var api: GroupRelay {
        GroupRelay(
            groupRelayId: relayId,
            groupMemberId: memberId,
            userChatRelay: relay,
            relayStatus: status,
            relayLink: relayLink,
            relayCap: capabilities
        )
    }

    /// Returns whether the program of the relay supports rosters. If so, the link of the channel names the relay only
    /// after the relay has acknowledged the roster.
    static func keepsRoster(_ member: MemberRecord) -> Bool {
        member.versions.maximum >= ChatVersionRange.rostersVersion
    }
}
