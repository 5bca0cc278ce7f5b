internal import ChatAPI
internal import SQLCipher

/// What became of an item of a group at each of its recipients, and what the item shows of that.
enum GroupItemStatuses {
    static func add(_ itemId: Int64, _ recipients: Recipients, _ tx: Transaction) throws {
        for connection in recipients.connections { if let member = connection.owner.memberId { try add(itemId, member, .new, tx) } }
        for member in recipients.waiting { try add(itemId, member.memberId, .new, tx) }
        for member in recipients.forwarded { try add(itemId, member.memberId, .forwarded, tx) }
    }

    private static func add(_ itemId: Int64, _ memberId: Int64, _ status: GroupSndStatus, _ tx: Transaction) throws {
        try tx.db.execute(
            "INSERT OR IGNORE INTO group_item_statuses (chat_item_id, group_member_id, status) VALUES (?, ?, ?)", [itemId, memberId, status.stored])
    }

    /// Notes what became of an item at a member. What was received stays so.
    /// - Returns: the status that the item shows now; nil when nothing has changed.
    static func note(_ status: GroupSndStatus, of itemId: Int64, at memberId: Int64, viaProxy: Bool?, _ tx: Transaction) throws -> ItemStatus? {
        let place = "WHERE chat_item_id = ? AND group_member_id = ?"
        let key: [Argument] = [itemId, memberId]
        if let viaProxy { try tx.db.execute("UPDATE group_item_statuses SET via_proxy = ? \(place)", [viaProxy] + key) }
        let received: [Argument] = [GroupSndStatus.receivedIntact.stored, GroupSndStatus.receivedOther.stored]
        try tx.db.execute(
            "UPDATE group_item_statuses SET status = ? \(place) AND status NOT IN (?, ?, ?)", [status.stored] + key + [status.stored] + received)
        return tx.db.changes == 0 ? nil : try shown(itemId, tx.db)
    }

    private static func shown(_ itemId: Int64, _ db: StoreConnection) throws -> ItemStatus {
        var counts: [String: Int64] = [:]
        for row in try db.query("SELECT status, count(*) AS n FROM group_item_statuses WHERE chat_item_id = ? GROUP BY status", [itemId]) {
            counts[try row.string("status")] = try row.int64("n")
        }
        let total = counts.values.reduce(0, +)
        let received = counts[GroupSndStatus.receivedIntact.stored] ?? 0
        let other = counts[GroupSndStatus.receivedOther.stored] ?? 0
        let sent = counts[GroupSndStatus.sent.stored] ?? 0
        if received == total { return .sndReceived }
        if received + other == total { return .other(.sndRcvd(msgRcptStatus: .badMsgHash, sndProgress: .complete)) }
        if other > 0 { return .other(.sndRcvd(msgRcptStatus: .badMsgHash, sndProgress: .partial)) }
        if received > 0 { return .other(.sndRcvd(msgRcptStatus: .ok, sndProgress: .partial)) }
        if sent == total { return .sndSent }
        if sent > 0 { return .other(.sndSent(sndProgress: .partial)) }
        return .sndNew
    }

    /// As `/_get item info` shows them, in the order of the members; nil for an item that was sent to nobody.
    static func all(of itemId: Int64, _ db: StoreConnection) throws -> [MemberDeliveryStatus]? {
        let statuses = try db.query(
            "SELECT group_member_id, status, via_proxy FROM group_item_statuses WHERE chat_item_id = ? ORDER BY group_member_id", [itemId]
        ).map { row in
            MemberDeliveryStatus(
                groupMemberId: try row.int64("group_member_id"), memberDeliveryStatus: GroupSndStatus(stored: try row.string("status")),
                sentViaProxy: try row.int64OrNil("via_proxy").map { $0 != 0 })
        }
        return statuses.isEmpty ? nil : statuses
    }
}

extension GroupSndStatus {
    static let receivedIntact = GroupSndStatus.rcvd(msgRcptStatus: .ok)
    static let receivedOther = GroupSndStatus.rcvd(msgRcptStatus: .badMsgHash)

    /// The most frequent ones by their tags, the others as JSON.
    fileprivate var stored: String {
        switch self {
        case .new: "new"
        case .forwarded: "forwarded"
        case .sent: "sent"
        case .receivedIntact: "rcvd"
        default: (try? StoredJSON.encode(self)) ?? "new"
        }
    }

    fileprivate init(stored: String) {
        switch stored {
        case "new": self = .new
        case "forwarded": self = .forwarded
        case "sent": self = .sent
        case "rcvd": self = .receivedIntact
        default: self = (try? StoredJSON.decode(GroupSndStatus.self, stored)) ?? .new
        }
    }
}
