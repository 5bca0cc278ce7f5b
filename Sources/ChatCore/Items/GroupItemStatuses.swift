internal import ChatAPI
internal import ChatStore
internal import SQLCipher

/// The delivery statuses of the items of a group: one status for each recipient, and the combined status that the item
/// shows.
enum GroupItemStatuses {
    static func addRecipients(_ itemId: Int64, _ recipients: Recipients, _ tx: Transaction) throws {
        var members: Int64 = 0
        func add(_ memberIds: [Int64], _ status: GroupSndStatus) throws {
            for some in memberIds.chunks(of: 200) {
                try tx.db.execute(
                    """
                    INSERT OR IGNORE INTO group_item_statuses (chat_item_id, group_member_id, status)
                      WITH \(valuesTable(some.count)) SELECT ?, id, ? FROM many
                    """,
                    some.arguments + [itemId, status.storedText]
                )
                members += Int64(tx.db.changeCount)
            }
        }
        try add(recipients.connections.compactMap(\.owner.memberId) + recipients.waitingMembers.map(\.memberId), .new)
        try add(recipients.forwardedMembers.map(\.memberId), .forwarded)
        guard members > 0 else { return }
        try tx.db.execute(
            """
            UPDATE OR FAIL group_item_totals SET members = members + :added_members WHERE chat_item_id = :chat_item_id
            """,
            ["added_members": members, "chat_item_id": itemId]
        )
        if tx.db.changeCount == 0 {
            try tx.db.execute(
                "INSERT INTO group_item_totals (chat_item_id, members) VALUES (:chat_item_id, :members)",
                ["chat_item_id": itemId, "members": members]
            )
        }
    }

    /// Adds a relay as a recipient of an item that has waited for the first relay of its channel.
    static func addRelay(_ itemId: Int64, at relay: MemberRecord, _ tx: Transaction) throws {
        // An item that was deleted while it waited needs no status. The relay receives the deletion too.
        guard let connection = relay.connection,
            try tx.db.queryFirst("SELECT 1 AS n FROM chat_items WHERE chat_item_id = ?", [itemId]) != nil
        else { return }
        try addRecipients(itemId, Recipients([connection]), tx)
    }

    /// Sets the delivery status of an item for one member. If the member has already received the item, the status does
    /// not change.
    /// - Returns: the status that the item shows now; nil if the status has not changed.
    static func setStatus(
        _ status: GroupSndStatus,
        of itemId: Int64,
        at memberId: Int64,
        viaProxy: Bool?,
        _ tx: Transaction
    ) throws -> ItemStatus? {
        let place = "WHERE chat_item_id = :chat_item_id AND group_member_id = :group_member_id"
        guard
            let before = try tx.db.firstRow(
                "SELECT status FROM group_item_statuses \(place)",
                ["chat_item_id": itemId, "group_member_id": memberId]
            )?.string("status")
        else { return nil }
        let isNews =
            before != status.storedText && before != GroupSndStatus.receivedIntact.storedText
            && before != GroupSndStatus.receivedAltered.storedText
        guard isNews || viaProxy != nil else { return nil }
        try tx.db.execute(
            """
            UPDATE OR FAIL group_item_statuses SET status = :status, via_proxy = coalesce(:via_proxy, via_proxy)
            \(place)
            """,
            [
                "status": isNews ? status.storedText : before, "via_proxy": viaProxy.map { Int64($0 ? 1 : 0) },
                "chat_item_id": itemId, "group_member_id": memberId,
            ]
        )
        guard isNews else { return nil }
        func computeCountChange(_ counted: GroupSndStatus) -> Int64 {
            (status.storedText == counted.storedText ? 1 : 0) - (before == counted.storedText ? 1 : 0)
        }
        try tx.db.execute(
            """
            UPDATE OR FAIL group_item_totals
            SET sent = sent + :added_sent, received = received + :added_received,
            received_other = received_other + :added_received_other WHERE chat_item_id = :chat_item_id
            """,
            [
                "added_sent": computeCountChange(.sent), "added_received": computeCountChange(.receivedIntact),
                "added_received_other": computeCountChange(.receivedAltered), "chat_item_id": itemId,
            ]
        )
        return try readCombinedStatus(itemId, tx.db)
    }

    private static func readCombinedStatus(_ itemId: Int64, _ db: StoreConnection) throws -> ItemStatus? {
        guard
            let row = try db.queryFirst(
                "SELECT members, sent, received, received_other FROM group_item_totals WHERE chat_item_id = ?",
                [itemId]
            )
        else {
            return nil
        }
        let (total, sent): (Int64, Int64) = (try row.readClampedCount("members"), try row.readClampedCount("sent"))
        let (received, other): (Int64, Int64) = (
            try row.readClampedCount("received"), try row.readClampedCount("received_other")
        )
        if received == total { return .sndReceived }
        if received + other == total { return .other(.sndRcvd(msgRcptStatus: .badMsgHash, sndProgress: .complete)) }
        if other > 0 { return .other(.sndRcvd(msgRcptStatus: .badMsgHash, sndProgress: .partial)) }
        if received > 0 { return .other(.sndRcvd(msgRcptStatus: .ok, sndProgress: .partial)) }
        if sent == total { return .sndSent }
        if sent > 0 { return .other(.sndSent(sndProgress: .partial)) }
        return .sndNew
    }

    /// Returns the statuses that `/_get item info` shows, in the order of the members; nil for an item that was sent to
    /// nobody.
    static func all(of itemId: Int64, _ db: StoreConnection) throws -> [MemberDeliveryStatus]? {
        let statuses = try db.query(
            "SELECT group_member_id, status, via_proxy FROM group_item_statuses WHERE chat_item_id = ? ORDER BY group_member_id",
            [itemId]
        ).map { row in
            MemberDeliveryStatus(
                groupMemberId: try row.int64("group_member_id"),
                memberDeliveryStatus: GroupSndStatus(stored: try row.string("status")),
                sentViaProxy: try row.int64OrNil("via_proxy").map { $0 != 0 }
            )
        }
        return statuses.isEmpty ? nil : statuses
    }
}

extension GroupSndStatus {
    static let receivedIntact = GroupSndStatus.rcvd(msgRcptStatus: .ok)
    static let receivedAltered = GroupSndStatus.rcvd(msgRcptStatus: .badMsgHash)

    /// The text form of the status in the database: a short word for the frequent statuses, JSON for other statuses.
    var storedText: String {
        switch self {
        case .new: "new"
        case .forwarded: "forwarded"
        case .sent: "sent"
        case .receivedIntact: "rcvd"
        default: (try? StoredJSON.encode(self)) ?? "new"
        }
    }

    init(stored: String) {
        switch stored {
        case "new": self = .new
        case "forwarded": self = .forwarded
        case "sent": self = .sent
        case "rcvd": self = .receivedIntact
        default: self = (try? StoredJSON.decode(GroupSndStatus.self, stored)) ?? .new
        }
    }
}
