import ChatAPI
import ChatProtocol
import ChatStoreTestSupport
import Foundation
import SimpleXCrypto
import SQLCipher
import TestSupport
import Testing

@testable import Agent
@testable import ChatCore
@testable import ChatStore

@Suite("Bodies of waiting messages")
struct MessageBodiesTests {
    private func rowCounts(_ db: StoreConnection) throws -> [Int64] {
        try ["message_bodies", "deliveries"].map { try db.firstRow("SELECT count(*) FROM \($0)")?.int64(0) ?? -1 }
    }

    /// Adds `count` contacts with one connection each.
    private func addConnections(_ count: Int64, _ db: StoreConnection) throws -> [ChatCore.ConnectionRecord] {
        try (1...count).map { number in
            try db.execute(
                """
                INSERT INTO connections (user_id, contact_id, agent_conn_id, conn_status, chat_version, created_at, updated_at)
                VALUES (1, ?, ?, 'ready', 9, 0, 0)
                """,
                number,
                "connection \(number)"
            )
            return try #require(try ChatCore.ConnectionRecord.find(db.lastInsertRowID, in: db))
        }
    }

    private func makeMessage() throws -> ChatMessage {
        ChatMessage(
            sharedID: .random(),
            event: .messageNew(MessageContainer(content: ["type": "text", "text": "to all"]))
        )
    }

    @Test
    func `A message to several recipients is stored as one body, which is deleted after the last delivery's result`()
        async throws
    {
        let store = try await TemporaryStore()
        try await store.chats.write { tx throws in
            try tx.addUsers()
            let recipients = try addConnections(3, tx.db)
            try tx.enqueue(makeMessage(), to: recipients)
            #expect(try rowCounts(tx.db) == [1, 3])
            #expect(
                Set(tx.deliveries.map(\.body)).count == 1
                    && tx.deliveries.map(\.connectionId) == recipients.map(\.connectionId)
            )
            #expect(try Shipment.findPending(in: tx.db).map(\.firstDelivery.body) == tx.deliveries.map(\.body))
            for (index, delivery) in tx.deliveries.enumerated() {
                try DeliveryStatus.markDeliveryFailed(delivery, .command(.large, context: ""), tx)
                #expect(try rowCounts(tx.db) == [index < 2 ? 1 : 0, 3])
            }
            #expect(try Shipment.findPending(in: tx.db).isEmpty)
        }
    }

    @Test
    func `A message or deletion in a chat with three recipients is stored as one body with three deliveries`()
        async throws
    {
        let store = try await TemporaryStore()
        try await store.chats.write { tx throws in
            try tx.addUsers()
            let user = try #require(try UserRecord.find(1, in: tx.db))
            let recipients = try addConnections(3, tx.db)
            let chat = SeveralRecipientsChat(
                contact: try ContactRecord.get(1, user: user, in: tx.db),
                connections: recipients
            )
            let outgoing = OutgoingItem(content: .text(text: "to all"), markup: .unparsed, forwarded: nil)
            let answer = try RunningCommand.sendItems([outgoing], in: chat, live: false, ttl: nil, user, tx)
            guard case .newChatItems(_, let items) = answer else { throw UnexpectedAnswer() }
            #expect(items.count == 1)
            #expect(try rowCounts(tx.db) == [1, 3])
            #expect(tx.deliveries.map(\.connectionId) == recipients.map(\.connectionId))
            let itemId = try #require(items.first?.chatItem.meta.itemId)
            #expect(
                try tx.db.query("SELECT chat_item_id FROM deliveries").map { try $0.int64(0) } == [
                    itemId, itemId, itemId,
                ]
            )
            let item = try ItemQueries.get(itemId, in: chat, tx.db)
            _ = try RunningCommand.broadcastDeletion(of: [item], in: chat, user, tx)
            #expect(try rowCounts(tx.db) == [2, 6])
        }
    }

    @Test
    func `The deletion of a connection deletes its deliveries, and message bodies that have no other delivery`()
        async throws
    {
        let store = try await TemporaryStore()
        try await store.chats.write { tx throws in
            try tx.addUsers()
            let recipients = try addConnections(3, tx.db)
            try tx.enqueue(makeMessage(), to: recipients)
            try DeliveryStatus.markDeliveryFailed(#require(tx.deliveries.first), .command(.large, context: ""), tx)
            for (index, connection) in recipients.enumerated() {
                try tx.db.execute("DELETE FROM connections WHERE connection_id = ?", connection.connectionId)
                #expect(try rowCounts(tx.db) == [index < 2 ? 1 : 0, 2 - Int64(index)])
            }
        }
    }

    @Test
    func `Messages of one command are stored as one batch for each recipient, and read back as the same batch`()
        async throws
    {
        let store = try await TemporaryStore()
        try await store.chats.write { tx throws in
            try tx.addUsers()
            let recipients = try addConnections(2, tx.db)
            let messages = try (0..<3).map { _ in try OutgoingChatMessage(makeMessage(), over: recipients) }
            try tx.enqueue(messages, to: recipients)
            #expect(tx.deliveries.map(\.lastBatchDeliveryId) == [3, nil, nil, 6, nil, nil])
            let pending = try Shipment.findPending(in: tx.db)
            #expect(pending.map { $0.deliveries.map(\.deliveryId) } == [[1, 2, 3], [4, 5, 6]])
            #expect(pending.map(\.isRecorded) == [true, true])
            var queue = OutboxQueue(pending: [])
            for delivery in tx.deliveries { queue.add(delivery) }
            let taken = queue.takeShipments(limit: 10, flushing: false)
            let takenIds: [[Int64]] = taken.map { $0.deliveries.map(\.deliveryId) }
            #expect(takenIds.sorted { $0[0] < $1[0] } == [[1, 2, 3], [4, 5, 6]])
            #expect(taken.map(\.isRecorded) == [true, true], "The batches are recorded without another transaction.")
        }
    }
}

private struct UnexpectedAnswer: Error {}

/// A chat with several recipients for this test, since no other kind of chat has several.
private struct SeveralRecipientsChat: Conversation {
    var contact: ContactRecord
    let connections: [ChatCore.ConnectionRecord]

    var userId: Int64 { contact.userId }
    var chatKey: ChatKey { contact.chatKey }
    var isChatDeleted: Bool { false }
    var waitsForPeer: Bool { false }
    var group: GroupRecord? { nil }
    var peerKindName: String { "member" }
    func chatInfo(_ user: UserRecord) -> ChatInfo { contact.chatInfo(user) }
    mutating func moveToTop(_ tx: Transaction) throws { try contact.moveToTop(tx) }
    func setUnread(_ unread: Bool, _ tx: Transaction) throws { try contact.setUnread(unread, tx) }
    func findRecipients(_: UserRecord, in _: StoreConnection) -> Recipients { Recipients(connections) }
    func allows(_ feature: MessageFeature, by side: MessageFeature.Side, _ user: UserRecord) -> Bool {
        contact.allows(feature, by: side, user)
    }
    func messageLifetimeSeconds(_: UserRecord) -> Int64? { nil }
    func forwardedOrigin(of _: ItemRecord) -> CIForwardedFrom? { nil }
    func notFoundEvent(_: SharedMessageID, _: UserRecord) -> ChatEvent? { nil }
}
