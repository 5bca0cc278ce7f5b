import ChatAPI
import JSON
import TestSupport
import Testing

@testable import ChatCore

@Suite("Broadcasts", .socketTimeLimit)
struct BroadcastTests {
    private func sendBroadcast(
        _ world: PlannedWorld,
        _ texts: [String],
        to receivers: PlannedRequest.Receivers,
        rate: Int = 1
    ) async throws -> PlannedMessage {
        let request = PlannedRequest(
            .broadcast,
            to: receivers,
            PlannedContent(messages: texts.map(PlannedWorld.makeTextMessage)),
            rate: rate
        )
        return try await world.controller.planMessages(request, by: world.caller) { _ in nil }
    }

    private func findBroadcast(_ world: PlannedWorld, _ id: Int64) async throws -> PlannedMessage {
        try #require(try await world.controller.findPlannedMessage(id, .broadcast, for: world.caller))
    }

    private func listReceivers(_ world: PlannedWorld, _ id: Int64) async throws -> [PlannedReceiver] {
        try await world.controller.listBroadcastReceivers(
            of: id,
            nil,
            for: world.caller,
            PlannedListPart(limit: PlannedLimits.maxReceivers)
        ) ?? []
    }

    private func contactRef(_ id: Int64) -> ChatRef { ChatRef(chatType: .direct, chatId: id) }

    /// Connects alice and bob again: bob's new users become further contacts of alice.
    private func addContacts(_ count: Int, _ world: PlannedWorld) async throws {
        for number in 0..<count {
            try await world.bob.createUser("bob\(number)")
            try await connectUsers(world.alice, 1, to: world.bob, Int64(number + 2))
        }
    }

    @Test
    func `A broadcast sends its messages to each chat once, at the rate that the request sets`() async throws {
        try await PlannedWorld.withWorld { world in
            try await addContacts(1, world)
            let made = try await sendBroadcast(
                world,
                ["a", "b"],
                to: .chats([contactRef(1), contactRef(2), contactRef(1)])
            )
            try await world.sendDueMessages()
            #expect(try await listReceivers(world, made.id).map(\.state) == [.sent, .waiting])
            world.advanceClock(by: 1)
            try await world.sendDueMessages()
            #expect(try await findBroadcast(world, made.id).receiverCounts == [.sent: 1, .waiting: 1])
            world.advanceClock(by: 1)
            try await world.sendDueMessages()
            let done = try await findBroadcast(world, made.id)
            #expect(done.receiverCounts == [.sent: 2] && done.isFinished && done.content == nil)
            #expect(try await listReceivers(world, made.id).allSatisfy { $0.itemIds.count == 2 })
            try await waitUntil("all messages arrive") { try await world.receivedTexts().count >= 4 }
            #expect(try await world.receivedTexts().sorted() == ["a", "a", "b", "b"])
        }
    }

    @Test
    func `After a restart, a broadcast continues with the next chat, and sends no message twice`() async throws {
        try await PlannedWorld.withWorld { world in
            try await addContacts(2, world)
            let made = try await sendBroadcast(world, ["once"], to: .allContacts)
            for _ in 0..<3 {
                try await world.sendDueMessages()
                try await world.restart(after: 1)
            }
            try await world.sendDueMessages()
            #expect(try await findBroadcast(world, made.id).receiverCounts == [.sent: 3])
            try await waitUntil("all messages arrive") { try await world.receivedTexts().count >= 3 }
            #expect(try await world.receivedTexts() == ["once", "once", "once"])
        }
    }

    @Test
    func `A broadcast to a thousand chats reports each unknown chat as failed`() async throws {
        try await PlannedWorld.withWorld { world in
            let count = 1_000
            let chats = (0..<count).map { contactRef(Int64(count - $0)) }
            let made = try await sendBroadcast(world, ["found"], to: .chats(chats))
            try await world.sendDueMessages()
            try await waitForText("found", world.bob)
            let done = try await findBroadcast(world, made.id)
            #expect(done.receiverCounts == [.sent: 1, .failed: count - 1] && done.isFinished)
            let results = try await listReceivers(world, made.id)
            #expect(results.map(\.chat) == chats && results.last?.state == .sent)
            #expect(results.first?.problem?["storeError"]?["type"] == "contactNotFound")
        }
    }

    @Test
    func `A broadcast to ten thousand chats is accepted, and a broadcast to one more chat is refused`() async throws {
        try await PlannedWorld.withWorld { world in
            let chats = (1...PlannedLimits.maxReceivers).map { contactRef(Int64($0)) }
            let made = try await sendBroadcast(world, ["a"], to: .chats(chats))
            #expect(made.receiverCounts == [.waiting: 10_000])
            #expect(try await listReceivers(world, made.id).map(\.chat) == chats)
            await #expect(throws: PlannedRefusal.self) {
                try await sendBroadcast(world, ["a"], to: .chats(chats + [contactRef(20_000)]))
            }
        }
    }

    @Test
    func `A cancelled broadcast sends no further message, and keeps the results of the messages already sent`()
        async throws
    {
        try await PlannedWorld.withWorld { world in
            try await addContacts(1, world)
            let made = try await sendBroadcast(world, ["a"], to: .allContacts)
            try await world.sendDueMessages()
            let answer = try await world.controller.cancelPlannedMessages(made.id, .broadcast, by: world.caller)
            guard case .found(let cancelled) = answer else {
                Issue.record("\(answer)")
                return
            }
            #expect(cancelled.receiverCounts == [.sent: 1, .cancelled: 1] && cancelled.content == nil)
            world.advanceClock(by: 10)
            try await world.sendDueMessages()
            #expect(try await findBroadcast(world, made.id).receiverCounts == [.sent: 1, .cancelled: 1])
        }
    }

    @Test
    func `If the message of a broadcast is refused for one chat, the other chats still get the message`() async throws {
        try await PlannedWorld.withWorld { world in
            try await addContacts(1, world)
            // The first contact is deleted without the conversation, so messages to the first chat are refused.
            try await world.alice.run("/_delete @1 entity notify=off")
            let made = try await sendBroadcast(world, ["a", "b"], to: .chats([contactRef(1), contactRef(2)]))
            try await world.sendDueMessages()
            #expect(try await listReceivers(world, made.id).map(\.state) == [.failed, .sent])
            let items = try await world.alice.run("/_get chat @1 count=10")["chat"]?["chatItems"]?.arrayValue ?? []
            #expect(items.allSatisfy { $0["meta"]?["itemText"] != "a" })
        }
    }

    @Test
    func `A broadcast to a tag reaches only the contacts with this tag`() async throws {
        try await PlannedWorld.withWorld { world in
            try await addContacts(1, world)
            try await world.alice.run(#"/_create tag {"text":"news"}"#)
            try await world.alice.run("/_tags @2 1")
            let made = try await sendBroadcast(world, ["a"], to: .tag(1))
            #expect(try await listReceivers(world, made.id).map(\.chat) == [contactRef(2)])
            await #expect(throws: PlannedRefusal.self) { try await sendBroadcast(world, ["a"], to: .tag(7)) }
            let bound = PlannedCaller(
                userId: 1,
                keyId: "bound",
                rights: CommandRights(scopes: [.write], chats: [.contact(1)], paths: .ownFolders)
            )
            for receivers in [.allContacts, .tag(1), .chats([contactRef(1), contactRef(2)])]
                as [PlannedRequest.Receivers]
            {
                let request = PlannedRequest(
                    .broadcast,
                    to: receivers,
                    PlannedContent(messages: [PlannedWorld.makeTextMessage("a")])
                )
                await #expect(throws: PlannedRefusal.self) {
                    try await world.controller.planMessages(request, by: bound) { _ in nil }
                }
            }
        }
    }

    @Test
    func `The content of a broadcast is deleted as soon as no chat waits for the messages any more`() async throws {
        try await PlannedWorld.withWorld { world in
            try await addContacts(2, world)
            let made = try await sendBroadcast(world, ["a"], to: .allContacts)
            try await world.sendDueMessages()
            try await world.alice.run("/_delete @2 full notify=off")
            let waiting = try await findBroadcast(world, made.id)
            #expect(waiting.receiverCounts == [.sent: 1, .failed: 1, .waiting: 1] && waiting.content != nil)
            try await world.alice.run("/_delete @3 full notify=off")
            let done = try await findBroadcast(world, made.id)
            #expect(done.receiverCounts == [.sent: 1, .failed: 2] && done.content == nil && done.isFinished)
        }
    }
}
