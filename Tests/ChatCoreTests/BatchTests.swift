import ChatProtocol
import JSON
import TestSupport
import Testing

@testable import ChatCore
@testable import ChatStore

@Suite(.socketTimeLimit) struct BatchTests {
    private func composedMessagesJSON(_ texts: [String]) -> String {
        JSONValue.array(texts.map { ["msgContent": ["type": "text", "text": .string($0)], "mentions": [:]] }).text
    }

    @Test
    func `Messages of one command are sent as one batch, and their statuses are reported in one event`() async throws {
        let (alice, bob) = try await World().makeConnectedCores()
        try await alice.recordOutgoingMessages()
        try await alice.run(
            "/_send @1 json \(composedMessagesJSON(["first of three", "second of three", "third of three"]))"
        )
        try await waitForText("third of three", bob)
        let told = try await alice.wait(for: "chatItemsStatusesUpdated", count: 2)
        let statuses = told.map { event in
            (event["chatItems"]?.arrayValue ?? []).compactMap { $0["chatItem"]?["meta"]?["itemStatus"]?["type"] }
        }
        #expect(statuses == [["sndSent", "sndSent", "sndSent"], ["sndRcvd", "sndRcvd", "sndRcvd"]])
        let received = try await bob.events().filter { $0.event["type"] == "newChatItems" }.map(\.event).suffix(3)
        #expect(received.map { $0["chatItems"]?.arrayValue?.count } == [1, 1, 1])
        #expect(
            try await bob.run("/_get chat @1 count=3").itemTexts == [
                "first of three", "second of three", "third of three",
            ]
        )
        let bodies = try await alice.outgoingMessages().filter { $0.text.contains("x.msg.new") }
        #expect(bodies.count == 3)
        let shipments = try await alice.controller.store.read { db in
            try db.query(
                "SELECT delivery_id, agent_msg_id, last_delivery_id FROM deliveries ORDER BY delivery_id DESC LIMIT 3"
            ).reversed().map { row in
                (id: try row.int64(0), agent: try row.int64(1), last: try row.int64OrNil(2))
            }
        }
        #expect(Set(shipments.map(\.agent)).count == 1)
        #expect(
            shipments.map(\.last) == [shipments.last?.id, nil, nil],
            "The first delivery of the batch names the last one."
        )
        for core in [alice, bob] { await core.controller.close() }
    }

    @Test
    func `Deletions of one command are sent as one batch, and the recipient gets one event for each deletion`()
        async throws
    {
        let (alice, bob) = try await World().makeConnectedCores()
        let sent = try await alice.run("/_send @1 json \(composedMessagesJSON(["one", "two"]))")
        let ids = (sent["chatItems"]?.arrayValue ?? []).compactMap { $0["chatItem"]?["meta"]?["itemId"]?.integerValue }
        try #require(ids.count == 2)
        try await waitForText("two", bob)
        // The command repeats an id, which counts once.
        let deleted = try await alice.run("/_delete item @1 \(ids[0]),\(ids[1]),\(ids[0]) broadcast")
        #expect(deleted["chatItemDeletions"]?.arrayValue?.count == 2)
        let told = try await bob.wait(for: "chatItemsDeleted", count: 2)
        #expect(
            told.map { $0["chatItemDeletions"]?[0]?["deletedChatItem"]?["chatItem"]?["meta"]?["itemText"] } == [
                "one", "two",
            ]
        )
        for core in [alice, bob] { await core.controller.close() }
    }

    @Test
    func `If one message of a command is too large, the other messages of the command are sent`() async throws {
        let (alice, bob) = try await World().makeConnectedCores()
        let long = String(repeating: "y", count: 16_000)
        #expect(
            try await alice.run("/_send @1 text \(long)") == ["type": "errorStore", "storeError": ["type": "largeMsg"]]
        )
        #expect(try await alice.events().allSatisfy { $0.event["type"] != "chatErrors" })
        let sent = try await alice.run("/_send @1 json \(composedMessagesJSON(["before", long, "after"]))")
        #expect(
            sent["chatItems"]?.arrayValue?.compactMap { $0["chatItem"]?["meta"]?["itemText"] } == ["before", "after"]
        )
        #expect(
            try await alice.wait(for: "chatErrors").last?["chatErrors"] == [
                ["type": "errorStore", "storeError": ["type": "largeMsg"]]
            ]
        )
        try await waitForText("after", bob)
        #expect(try await bob.run("/_get chat @1 count=2").itemTexts == ["before", "after"])
        for core in [alice, bob] { await core.controller.close() }
    }

    @Test
    func `If a command can send none of its messages, the command fails and reports all errors`() async throws {
        let (alice, bob) = try await World().makeConnectedCores()
        let long = String(repeating: "y", count: 16_000)
        let largeMsg: JSONValue = ["type": "errorStore", "storeError": ["type": "largeMsg"]]
        let before = try await alice.run("/_get chat @1 count=100").itemIds
        #expect(try await alice.run("/_send @1 json \(composedMessagesJSON([long, long]))") == largeMsg)
        let told = try await alice.events().filter { $0.event["type"] == "chatErrors" }
        #expect(told.map { $0.event["chatErrors"] } == [[largeMsg, largeMsg]])
        #expect(told.map(\.user) == [1])
        #expect(try await alice.run("/_get chat @1 count=100").itemIds == before)
        for core in [alice, bob] { await core.controller.close() }
    }

    @Test
    func `A thousand messages of one command arrive in order`() async throws {
        let (alice, bob) = try await World().makeConnectedCores()
        var random = SeededRandom()
        let texts = (0..<1000).map { index in
            "\(index) "
                + String(
                    (0..<Int.random(in: 1...300, using: &random)).map { _ in
                        Character(Unicode.Scalar(UInt8.random(in: 48...122, using: &random)))
                    }
                )
        }
        let sent = try await alice.run("/_send @1 json \(composedMessagesJSON(texts))")
        #expect(sent["chatItems"]?.arrayValue?.count == 1000)
        try await waitForText(texts[999], bob)
        #expect(try await bob.run("/_get chat @1 count=1000").itemTexts == texts)
        for core in [alice, bob] { await core.controller.close() }
    }

    @Test(arguments: [true, false])
    func `Batches do not exceed the size limit, and together contain all deliveries in order`(joinable: Bool) throws {
        var random = SeededRandom()
        for limit in [1, 100, 3_000, 15_000] {
            let deliveries = try (1...50 as ClosedRange<Int64>).map { index in
                let text = String(
                    (0..<Int.random(in: 1...limit, using: &random)).map { _ in
                        Character(Unicode.Scalar(UInt8.random(in: 48...57, using: &random)))
                    }
                )
                let container = MessageContainer(content: ["type": "text", "text": .string("\(index) \(text)")])
                let message = try OutgoingChatMessage(
                    ChatMessage(sharedID: .random(), event: .messageNew(container)),
                    over: []
                )
                return Delivery(
                    deliveryId: index,
                    connectionId: 1,
                    agentConnId: "a",
                    body: message.body,
                    notifiesReceiver: true,
                    canBeBatched: joinable
                )
            }
            let shipments = Shipment.joinDeliveries(deliveries)
            #expect(shipments.flatMap(\.deliveries).map(\.deliveryId) == deliveries.map(\.deliveryId))
            for shipment in shipments where shipment.deliveries.count > 1 {
                #expect(shipment.makeAgentBody().count <= ChatMessageLimits.compressedMessageBytes)
                #expect(MessageBody.parse(shipment.makeAgentBody()).count == shipment.deliveries.count)
                #expect(!shipment.isRecorded && shipment.recordedShipment.isRecorded)
            }
            #expect(joinable ? limit > 3_000 || shipments.count < 50 : shipments.count == 50)
        }
    }
}
