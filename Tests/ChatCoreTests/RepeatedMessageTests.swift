import ChatProtocol
import JSON
import Testing

@testable import Agent
@testable import ChatCore

@Suite(.timeLimit(.minutes(3))) struct RepeatedMessageTests {
    private let id = SharedMessageID(bytes: [9, 8, 7, 6])
    private func text(_ text: String) -> String { #"{"content":{"type":"text","text":"\#(text)"}}"# }

    @Test
    func `A message with an id that the contact has already used adds no item or event, and gets a receipt`()
        async throws
    {
        let (alice, bob) = try await World().makeConnectedCores()
        func awaited() async throws -> [Int64] {
            try await alice.controller.services.agent.database.read { db in
                try db.query("SELECT snd_id FROM awaited_receipts").map { try $0.int64("snd_id") }
            }
        }
        // This text is sent after all messages of the handshake, and has a receipt, which some of them do not have. So
        // its receipt shows that all of them have arrived.
        try await alice.run("/_send @1 text the beginning")
        try await alice.waitForStatus("sndRcvd", of: ["the beginning"])
        let before = try await awaited()
        for number in 1...3 { try await alice.sendRaw("x.msg.new", text("number \(number)"), sharedID: id) }
        try await alice.run("/_send @1 text the end")
        try await waitForText("the end", bob)
        #expect(try await bob.run("/_get chat @1 count=2").itemTexts == ["number 1", "the end"])
        let told = try await bob.events().map(\.event).filter {
            $0.text.contains("number ") || $0["type"] == "chatError"
        }
        #expect(told.map { $0["type"] } == ["newChatItems"])
        // Receipts arrive in order, so all earlier receipts have arrived when this receipt arrives.
        try await alice.waitForStatus("sndRcvd", of: ["the end"])
        let unanswered = try await awaited()
        #expect(Set(unanswered).isSubset(of: before), "\(unanswered)")
        for core in [alice, bob] { await core.controller.close() }
    }

    @Test
    func `A repeated message does not change edits, reactions and deletions of the first message`() async throws {
        let (alice, bob) = try await World().makeConnectedCores()
        let object = #""msgId":"CQgHBg==""#
        try await alice.sendRaw("x.msg.new", text("said"), sharedID: id)
        try await alice.sendRaw("x.msg.update", #"{\#(object),"content":{"type":"text","text":"changed"}}"#)
        try await alice.sendRaw("x.msg.new", text("said"), sharedID: id)
        try await alice.sendRaw("x.msg.react", #"{\#(object),"reaction":{"type":"emoji","emoji":"👍"},"add":true}"#)
        try await bob.wait(for: "chatItemReaction")
        let items = try await bob.run("/_get chat @1 count=1")
        #expect(items.itemTexts == ["changed"])
        #expect(items["chat"]?["chatItems"]?[0]?["reactions"]?.arrayValue?.count == 1)
        try await alice.sendRaw("x.msg.del", "{\(object)}")
        try await alice.sendRaw("x.msg.new", text("said"), sharedID: id)
        try await alice.run("/_send @1 text the end")
        try await waitForText("the end", bob)
        let both = try await bob.run("/_get chat @1 count=2")
        #expect(both.itemTexts == ["changed", "the end"])
        #expect(both["chat"]?["chatItems"]?[0]?["meta"]?["itemDeleted"] != nil)
        #expect(
            try await bob.events().count { $0.event["type"] == "newChatItems" && $0.event.text.contains("said") } == 1
        )
        for core in [alice, bob] { await core.controller.close() }
    }

    @Test
    func `The same message id is accepted from two contacts, but refused if the user's own message has the id`()
        async throws
    {
        let world = try await World()
        let (alice, bob) = try await world.makeConnectedCores()
        let carol = try await world.core("carol")
        try await carol.createUser("carol")
        try await connectUsers(carol, 1, to: bob, 1)
        try await alice.sendRaw("x.msg.new", text("from alice"), sharedID: id)
        try await carol.sendRaw("x.msg.new", text("from carol"), sharedID: id)
        try await waitForText("from alice", bob)
        try await waitForText("from carol", bob)

        try await bob.run("/_send @1 text own")
        try await waitForText("own", alice)
        let shared = try #require(
            try await bob.run("/_get chat @1 count=1")["chat"]?["chatItems"]?[0]?["meta"]?["itemSharedMsgId"]?
                .stringValue
        )
        try await alice.sendRaw("x.msg.new", text("taken"), sharedID: SharedMessageID(parsing: shared))
        let error = try await bob.wait(for: "chatError").last
        #expect(error?.text.contains("the message ID belongs to another message") == true, "\(error ?? .null)")
        #expect(try await bob.run("/_get chat @1 count=1").itemTexts == ["own"])
        for core in [alice, bob, carol] { await core.controller.close() }
    }
}
