internal import Agent
internal import ChatAPI
internal import ChatStore
internal import SQLCipher

/// Applies the agent's results for messages to the chat items of the messages.
enum DeliveryStatus {
    /// Marks messages as sent, after the relay has accepted them.
    static func recordSent(_ messages: [SentMessage], on peer: ConnectionPeer, _ tx: Transaction) throws {
        let finished = try messages.map { (message: $0, items: try finishDeliveries($0, "sent", on: peer, tx)) }
        let proxied = Set(finished.filter(\.message.isProxied).flatMap(\.items))
        try updateItems(finished.flatMap(\.items), on: peer, .sndSent, proxied: proxied, tx) {
            $0 == .sndNew || $0.isWarning
        }
    }

    /// Records delivery receipts, which confirm that the peer's program has the messages.
    static func recordReceipts(_ receipts: [MessageReceipt], on peer: ConnectionPeer, _ tx: Transaction) throws {
        let news = try receipts.map { (receipt: $0, items: try finishReceipt(of: $0, on: peer, tx)) }
        for (isIntact, status) in [(true, ItemStatus.sndReceived), (false, .sndReceivedAltered)] {
            let received = news.filter { $0.receipt.isIntact == isIntact }.flatMap(\.items)
            try updateItems(received, on: peer, status, tx) { $0 != .sndReceived && $0 != .sndReceivedAltered }
        }
    }

    private static func finishReceipt(
        of receipt: MessageReceipt,
        on peer: ConnectionPeer,
        _ tx: Transaction
    ) throws -> [Int64] {
        let itemIds =
            if let external = receipt.externalID {
                try finishDeliveries(
                    SentMessage(id: receipt.messageID, externalID: external),
                    "sent",
                    on: peer,
                    tx
                )
            } else {
                try itemIds(
                    of: tx.db.query(
                        """
                        SELECT delivery_id, chat_item_id FROM deliveries
                        WHERE connection_id = :connection_id AND agent_msg_id = :agent_msg_id ORDER BY delivery_id
                        """,
                        ["connection_id": peer.connection.connectionId, "agent_msg_id": receipt.messageID]
                    )
                )
            }
        // The time of a receipt is needed only for message traces, and only messages with items have traces.
        if !itemIds.isEmpty {
            try reportReceipt(receipt, on: peer, tx)
            try tx.db.execute(
                """
                UPDATE OR FAIL deliveries SET receipt_at = :receipt_at
                WHERE connection_id = :connection_id AND agent_msg_id = :agent_msg_id AND receipt_at IS NULL
                """,
                [
                    "receipt_at": tx.now.nanoseconds, "connection_id": peer.connection.connectionId,
                    "agent_msg_id": receipt.messageID,
                ]
            )
        }
        return itemIds
    }

    /// Reports a delivery receipt to the message traces. Call this function before the time of the receipt is stored.
    /// The function skips deliveries for which a time is already stored.
    private static func reportReceipt(_ receipt: MessageReceipt, on peer: ConnectionPeer, _ tx: Transaction) throws {
        guard tx.reportsMessageSteps else { return }
        let rows = try tx.db.query(
            """
            SELECT delivery_id, chat_item_id, created_at, finished_at FROM deliveries
            WHERE connection_id = :connection_id AND agent_msg_id = :agent_msg_id AND receipt_at IS NULL
            AND chat_item_id IS NOT NULL
            """,
            ["connection_id": peer.connection.connectionId, "agent_msg_id": receipt.messageID]
        )
        for row in rows {
            let begin = try row.int64OrNil("finished_at") ?? row.int64("created_at")
            try tx.reportStep(makeReport(.receipt, row, from: begin, on: peer, tx))
        }
    }

    /// Makes a report for the message traces about one step in the delivery of a message. The step has lasted from
    /// `begin` until now.
    private static func makeReport(
        _ step: MessageStepReport.Step,
        _ row: Row,
        from begin: Int64,
        on peer: ConnectionPeer,
        _ tx: Transaction
    ) throws -> MessageStepReport {
        MessageStepReport(
            step,
            of: try row.int64("chat_item_id"),
            delivery: try row.int64("delivery_id"),
            contact: peer.member == nil ? peer.contact?.contactId : nil,
            member: peer.member?.member.memberId,
            from: Timestamp(nanoseconds: begin),
            to: tx.now
        )
    }

    private static func itemIds(of deliveries: [Row]) throws -> [Int64] {
        try deliveries.compactMap { try $0.int64OrNil("chat_item_id") }
    }

    /// Records a warning: the agent could not send the message yet. The agent keeps trying.
    static func recordWarning(
        _ message: SentMessage,
        _ error: AgentError,
        on peer: ConnectionPeer,
        _ tx: Transaction
    ) throws {
        guard let deliveryId = Delivery.parseExternalID(external: message.externalID, epoch: tx.epoch) else { return }
        let status = ItemStatus(sendWarning: error)
        try updateItems(itemIds(of: findShipmentRows(deliveryId, tx)), on: peer, status, tx) {
            $0 != status && ($0 == .sndNew || $0.isWarning)
        }
    }

    /// Returns the rows of all deliveries of a shipment, which is one message of the agent.
    /// - Parameter first: the id of the first delivery.
    private static func findShipmentRows(_ first: Int64, _ tx: Transaction) throws -> [Row] {
        let columns =
            "delivery_id, chat_item_id, body_id, connection_id, last_delivery_id, msg_flags, created_at, finished_at"
        guard let delivery = try tx.db.queryFirst("SELECT \(columns) FROM deliveries WHERE delivery_id = ?", [first])
        else {
            return []
        }
        guard let last = try delivery.int64OrNil("last_delivery_id") else { return [delivery] }
        return try tx.db.query(
            """
            SELECT \(columns) FROM deliveries
            WHERE delivery_id BETWEEN :first AND :last AND connection_id = :connection_id ORDER BY delivery_id
            """,
            ["first": first, "last": last, "connection_id": delivery.int64("connection_id")]
        )
    }

    /// Marks a message as failed, after the agent has given it up.
    static func recordFailure(
        _ message: SentMessage,
        _ error: AgentError,
        on peer: ConnectionPeer,
        _ tx: Transaction
    ) throws {
        try updateItems(finishDeliveries(message, "failed", on: peer, tx), on: peer, ItemStatus(sendError: error), tx) {
            _ in true
        }
    }

    /// Marks the items of a delivery as failed, after the agent has refused the delivery.
    static func markDeliveryFailed(_ delivery: Delivery, _ error: AgentError, _ tx: Transaction) throws {
        guard let peer = try ConnectionPeer.find(delivery.connectionId, in: tx.db) else { return }
        try updateItems(
            finishDeliveries(delivery.deliveryId, nil, "failed", on: peer, tx),
            on: peer,
            ItemStatus(sendError: error),
            tx
        ) { _ in
            true
        }
    }

    /// Marks an item as failed, because too many messages wait for the connection to a member.
    /// - Parameter recipient: the member for whom the message waited. For a message that waited for the first relay of
    ///   a channel, this is the user's own membership.
    static func markWaitingItemFailed(_ itemId: Int64, for recipient: Recipients.MemberRef, _ tx: Transaction) throws {
        guard let user = try UserRecord.find(recipient.userId, in: tx.db),
            let member = try MemberRecord.find(recipient.memberId, user: user.userId, in: tx.db),
            let group = try GroupRecord.find(member.groupId, user: user.userId, in: tx.db)
        else { return }
        let status = ItemStatus.other(
            .sndError(agentError: .other(sndError: "too many messages wait for the connection"))
        )
        guard member.category == .user else {
            return try updateItems(
                [itemId],
                at: GroupMembership(group: group, member: member),
                status,
                proxied: [],
                user,
                tx
            )
        }
        guard var item = try ItemQueries.findItems([itemId], anywhereIn: group, tx.db).first, item.status == .sndNew
        else {
            return
        }
        try ItemWriter.setStatus(&item, status, tx)
        let chat =
            if case .memberSupport(let memberId) = item.chat {
                try group.supportChatGroup(of: memberId, tx.db).chatInfo(user)
            } else {
                group.chatInfo(user)
            }
        try tx.emit(
            .chatItemsStatusesUpdated(user: user.api, chatItems: [item.api(in: chat, at: tx.now)]),
            user: user.userId
        )
    }

    /// Deletes the deliveries of messages that the user has forwarded as a relay of channels. No chat item shows the
    /// result of such a delivery.
    /// - Returns: the messages that the user has not forwarded as a relay.
    static func deleteForwardedDeliveries(_ messages: [SentMessage], _ tx: Transaction) throws -> [SentMessage] {
        try messages.filter { message in
            guard let deliveryId = Delivery.parseExternalID(external: message.externalID, epoch: tx.epoch) else {
                return true
            }
            try tx.db.execute(
                "DELETE FROM deliveries WHERE delivery_id = ? AND msg_flags = \(Delivery.forwardedAsRelayFlag)",
                [deliveryId]
            )
            return tx.db.changeCount == 0
        }
    }

    private static func finishDeliveries(
        _ message: SentMessage,
        _ status: String,
        on peer: ConnectionPeer,
        _ tx: Transaction
    ) throws -> [Int64] {
        guard let deliveryId = Delivery.parseExternalID(external: message.externalID, epoch: tx.epoch) else {
            return []
        }
        return try finishDeliveries(deliveryId, message.id, status, on: peer, tx)
    }

    /// Marks all deliveries of a shipment as finished. Stores the agent's number of the message, because receipts refer
    /// to this number. Releases the stored bodies, since the chat items keep the contents.
    /// - Parameter first: the id of the first delivery of the shipment.
    /// - Returns: the ids of the items that show the messages.
    private static func finishDeliveries(
        _ first: Int64,
        _ agentMessageID: Int64?,
        _ status: String,
        on peer: ConnectionPeer,
        _ tx: Transaction
    ) throws -> [Int64] {
        let deliveries = try findShipmentRows(first, tx)
        // A forwarded message is never part of a batch, so the first delivery is the only one.
        if try deliveries.first?.int64OrNil("msg_flags") == Delivery.forwardedAsRelayFlag {
            try tx.db.execute("DELETE FROM deliveries WHERE delivery_id = ?", [first])
            return []
        }
        for delivery in deliveries {
            try tx.db.execute(
                """
                UPDATE OR FAIL deliveries
                SET agent_msg_id = :agent_msg_id, delivery_status = :delivery_status,
                finished_at = COALESCE(finished_at, :finished_at), body_id = NULL
                WHERE delivery_id = :delivery_id
                """,
                [
                    "agent_msg_id": agentMessageID, "delivery_status": status, "finished_at": tx.now.nanoseconds,
                    "delivery_id": delivery.int64("delivery_id"),
                ]
            )
            // The agent may report the same delivery again. Only the first report is passed to the message traces.
            if try delivery.int64OrNil("chat_item_id") != nil, try delivery.int64OrNil("finished_at") == nil {
                try tx.reportStep(
                    makeReport(
                        status == "failed" ? .fail : .send,
                        delivery,
                        from: delivery.int64("created_at"),
                        on: peer,
                        tx
                    )
                )
            }
            if let bodyId = try delivery.int64OrNil("body_id") { try MessageBodies.release(bodyId, in: tx.db) }
            if status == "sent", try delivery.int64OrNil("chat_item_id") == nil {
                try SentFiles.recordDescriptionDelivery(delivery.int64("delivery_id"), tx)
            }
        }
        return try itemIds(of: deliveries)
    }

    private static func updateItems(
        _ itemIds: [Int64],
        on peer: ConnectionPeer,
        _ status: ItemStatus,
        proxied: Set<Int64> = [],
        _ tx: Transaction,
        where applies: (ItemStatus) -> Bool
    ) throws {
        guard !itemIds.isEmpty else { return }
        if let membership = peer.member {
            return try updateItems(itemIds, at: membership, status, proxied: proxied, peer.user, tx)
        }
        guard let chat = peer.chat else { return }
        let user = peer.user
        let info = chat.chatInfo(user)
        var changed: [AChatItem] = []
        // The agent's results may name an edited item twice, for the original and for the edited message. The item is
        // updated once.
        var seen: Set<Int64> = []
        for var item in try ItemQueries.findItems(itemIds.filter { seen.insert($0).inserted }, in: chat, tx.db) {
            guard applies(item.status) else { continue }
            // Only a message that was sent can have used a proxy.
            if !status.isFailure { item.isViaProxy = item.isViaProxy == true || proxied.contains(item.itemId) }
            try ItemWriter.setStatus(&item, status, tx)
            changed.append(item.api(in: info, at: tx.now))
        }
        guard !changed.isEmpty else { return }
        try tx.emit(.chatItemsStatusesUpdated(user: user.api, chatItems: changed), user: user.userId)
    }

    /// Stores a new status of messages for one member of a group. Few results change the shown status of an item with
    /// many recipients, so an item is read only when its shown status changes.
    private static func updateItems(
        _ itemIds: [Int64],
        at membership: GroupMembership,
        _ status: ItemStatus,
        proxied: Set<Int64>,
        _ user: UserRecord,
        _ tx: Transaction
    ) throws {
        guard let own = status.memberStatus else { return }
        let group = membership.group
        var changed: [Int64: ItemStatus] = [:]
        for itemId in Set(itemIds).sorted() {
            let row = try tx.db.queryFirst(
                """
                SELECT item_status FROM chat_items
                WHERE chat_item_id = ? AND +user_id = ? AND (+chat_type = ? AND +chat_id = ? OR +support_group_id = ?)
                """,
                [itemId] + group.keyArguments + [group.groupId]
            )
            guard let before = try row.map({ ItemStatus(stored: try $0.string("item_status")) }),
                before != .sndReceived,
                let shown = try GroupItemStatuses.setStatus(
                    own,
                    of: itemId,
                    at: membership.member.memberId,
                    viaProxy: own == .sent ? proxied.contains(itemId) : nil,
                    tx
                ),
                shown != before
            else { continue }
            changed[itemId] = shown
        }
        guard !changed.isEmpty else { return }
        let inGroup = group.groupWithoutScope.chatInfo(user)
        let items = try ItemQueries.findItems(changed.keys.sorted(), anywhereIn: group, tx.db).map { item in
            var item = item
            if let shown = changed[item.itemId] { try ItemWriter.setStatus(&item, shown, tx) }
            let chat =
                if case .memberSupport(let memberId) = item.chat {
                    try group.supportChatGroup(of: memberId, tx.db).chatInfo(user)
                } else {
                    inGroup
                }
            return item.api(in: chat, at: tx.now)
        }
        try tx.emit(.chatItemsStatusesUpdated(user: user.api, chatItems: items), user: user.userId)
    }
}

extension ItemStatus {
    /// The status of a message that the peer received with other content: the hash in the receipt is wrong.
    fileprivate static let sndReceivedAltered = ItemStatus.other(
        .sndRcvd(msgRcptStatus: .badMsgHash, sndProgress: .complete)
    )

    /// The status as it is stored for one member of a group; nil for a status that is not stored for members.
    fileprivate var memberStatus: GroupSndStatus? {
        switch self {
        case .sndSent: .sent
        case .sndReceived: .receivedIntact
        case .sndReceivedAltered: .receivedAltered
        case .sndErrorAuth: .error(agentError: .auth)
        case .other(.sndError(let error)): .error(agentError: error)
        case .other(.sndWarning(let error)): .warning(agentError: error)
        default: nil
        }
    }

    fileprivate var isFailure: Bool {
        switch self {
        case .sndErrorAuth, .other(.sndError), .other(.sndWarning): true
        default: false
        }
    }

    fileprivate var isWarning: Bool {
        if case .other(.sndWarning) = self { true } else { false }
    }
}
