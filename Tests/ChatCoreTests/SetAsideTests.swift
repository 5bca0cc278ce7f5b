import JSON
import SQLCipher
import TestSupport
import Testing

@testable import Agent
@testable import ChatCore

@Suite("Events of the agent that the core cannot handle")
struct SetAsideTests {
    /// Makes the chat database refuse items with this text.
    private func refuseItems(_ text: String, _ core: Core) async throws {
        try await core.controller.store.write { tx in
            try tx.db.execute(
                """
                CREATE TRIGGER refused BEFORE INSERT ON chat_items WHEN NEW.item_text = '\(text)' BEGIN SELECT RAISE(ABORT, 'refused'); END
                """
            )
        }
    }

    /// Returns the number of messages that the agent keeps for its core.
    private func countHeldMessages(_ core: Core) async throws -> Int64? {
        try await core.controller.services.agent.database.read { db in
            try db.firstRow("SELECT count(*) AS n FROM rcv_messages")?.int64("n")
        }
    }

    @Test
    func `If the database refuses a received message, the message is stored as unhandled and reported once`()
        async throws
    {
        let (alice, bob) = try await World().makeConnectedCores()
        try await refuseItems("poison", bob)
        try await alice.run("/_send @1 text poison")
        try await bob.wait(for: "chatError")
        try await alice.run("/_send @1 text after")
        try await waitForText("after", bob)
        #expect(try await bob.events().count { $0.event["type"] == "chatError" } == 1)
        let kept = try await bob.unhandledMessages()
        #expect(kept.count == 1)
        #expect(kept.contains { String(decoding: $0.body, as: UTF8.self).contains("poison") })
        try await waitUntil("the agent keeps no message") { try await countHeldMessages(bob) == 0 }
        for core in [alice, bob] { await core.controller.close() }
    }

    @Test
    func `At a start, only the refused message of a batch is stored as unhandled, and the other messages are received`()
        async throws
    {
        let world = try await World()
        let (alice, bob) = try await world.makeConnectedCores()
        try await refuseItems("poison", bob)
        await bob.controller.stop()
        for text in ["one", "poison", "two"] {
            try await alice.run("/_send @1 text \(text)")
            try await alice.waitForStatus("sndSent", of: [text])
        }
        try await bob.controller.start()
        try await waitForText("two", bob)
        let texts = try await bob.run("/_get chat @1 count=3").itemTexts
        #expect(texts.suffix(2) == ["one", "two"])
        #expect(try await bob.unhandledMessages().count == 1)
        #expect(try await bob.events().count { $0.event["type"] == "chatError" } == 1)
        for core in [alice, bob] { await core.controller.close() }
    }

    @Test
    func `A message that ended the process is stored as unhandled and reported, unless it was already handled`()
        async throws
    {
        let (alice, bob) = try await World().makeConnectedCores()
        try await alice.run("/_send @1 text one")
        try await waitForText("one", bob)
        let (id, last) = try await bob.controller.store.read { db in
            let connection = try #require(try ConnectionRecord.find(1, in: db))
            return (try #require(connection.agentConnectionID), connection.lastReceivedMessageId)
        }
        func setAside(_ number: AgentMessageID) async throws {
            let meta = MessageMeta(
                integrity: .ok,
                recipientInfo: .init(id: number, timestampSeconds: 0),
                brokerInfo: .init(id: [1], timestampSeconds: 0),
                sndMsgID: number
            )
            try await bob.controller.handleAgentEvents([
                .setAside(.message(id, meta, notify: true, body: Array("fatal".utf8)))
            ])
        }
        try await setAside(last)
        #expect(try await bob.unhandledMessages().isEmpty)
        try await setAside(last + 1)
        #expect(try await bob.unhandledMessages().map(\.body) == [Array("fatal".utf8)])
        let errors = try await bob.events().filter { $0.event["type"] == "chatError" }
        #expect(errors.map(\.user) == [1])
        #expect(errors.contains { $0.event.text.contains("the process ended each time the event was handled") })
        for core in [alice, bob] { await core.controller.close() }
    }

    @Test
    func `An error report that belongs to no known user goes to all users`() async throws {
        let (alice, bob) = try await World().makeConnectedCores()
        try await bob.controller.store.write { tx in
            for (table, number) in [("chat_items", 1), ("messages", 2)] {
                try tx.db.execute(
                    "CREATE TRIGGER refused\(number) BEFORE INSERT ON \(table) BEGIN SELECT RAISE(ABORT, 'refused'); END"
                )
            }
            try tx.db.execute(
                "CREATE TRIGGER refused3 BEFORE INSERT ON events WHEN NEW.user_id IS NOT NULL BEGIN SELECT RAISE(ABORT, 'refused'); END"
            )
        }
        try await alice.run("/_send @1 text poison")
        #expect(try await bob.wait(for: "chatError").count == 1)
        #expect(try await bob.events().last { $0.event["type"] == "chatError" }?.user == nil)
        for core in [alice, bob] { await core.controller.close() }
    }
}
