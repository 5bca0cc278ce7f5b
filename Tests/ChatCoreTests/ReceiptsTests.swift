import ChatAPI
import ChatStore
import JSON
import Synchronization
import Testing
import TestSupport

@testable import Agent
@testable import ChatCore

@Suite(.socketTimeLimit) struct ReceiptsTests {
    @Test
    func `A message is shown as received when the contact's program has received it, unless receipts are off`()
        async throws
    {
        let (alice, bob) = try await World().makeConnectedCores()

        try await alice.run("/_send @1 text with receipt")
        try await alice.waitForStatus("sndRcvd", of: ["with receipt"])

        try await bob.run("/_set receipts contacts 1 off")
        try await alice.run("/_send @1 text without")
        try await alice.waitForStatus("sndSent", of: ["without"])
        try await waitForText("without", bob)
        try await bob.run("/_set receipts contacts 1 on")
        try await alice.run("/_send @1 text with again")
        try await alice.waitForStatus("sndRcvd", of: ["with again"])

        let chat = try await alice.run("/_get chat @1 count=3")
        let statuses = chat["chat"]?["chatItems"]?.arrayValue?.compactMap {
            $0["meta"]?["itemStatus"]?["type"]?.stringValue
        }
        #expect(statuses == ["sndRcvd", "sndSent", "sndRcvd"])
        let received = chat["chat"]?["chatItems"]?[0]?["meta"]?["itemStatus"]
        #expect(received == ["type": "sndRcvd", "msgRcptStatus": "ok", "sndProgress": "complete"])
        await alice.controller.close()
        await bob.controller.close()
    }

    @Test
    func `A receipt that arrives after a skipped message number adds one item about the skipped message`() async throws
    {
        let world = try await World()
        let (alice, bob) = try await world.makeConnectedCores()
        // Bob's program has used the number of a message that it never sent.
        try await bob.controller.services.agent.database.write { db in
            try db.execute("UPDATE connections SET last_snd_id = last_snd_id + 1")
        }
        try await alice.run("/_send @1 text with receipt")
        try await alice.waitForStatus("sndRcvd", of: ["with receipt"])

        func errors(_ core: Core) async throws -> [JSONValue] {
            try await core.run("/_get chat @1 count=10")["chat"]?["chatItems"]?.arrayValue?
                .filter { $0["content"]?["type"] == "rcvIntegrityError" } ?? []
        }
        let shown = try await errors(alice)
        #expect(shown.count == 1)
        #expect(shown.first?["content"]?["msgError"]?["type"] == "msgSkipped")
        #expect(shown.first?["meta"]?["itemText"]?.stringValue?.hasPrefix("skipped message ID ") == true)
        // A repeated report after a crash is recognized.
        let connection = try #require(
            try await alice.controller.store.read { db in try ConnectionRecord.find(1, in: db) }
        )
        let gap = MessageGap(
            changeNumber: connection.lastShownChangeNumber,
            integrity: .badHash,
            brokerTimestampSeconds: 0
        )
        try await alice.controller.handleAgentEvents([
            .gap(try #require(ConnectionID(text: connection.agentConnId)), gap)
        ])
        #expect(try await errors(alice).count == 1)
        await alice.controller.close()
        await bob.controller.close()
    }

    @Test
    func `The trace of a message lists all steps up to the receipt in the order of time`() async throws {
        let world = try await World()
        let (alice, bob) = try await world.makeConnectedCores()
        try await alice.run("/_send @1 text traced")
        try await alice.waitForStatus("sndRcvd", of: ["traced"])
        let sent = try #require(try await readSteps(of: "traced", alice))
        #expect(sent.map(\.kind) == [.accepted, .committed, .atRelay, .receipt])
        #expect(sent.map(\.contactId) == [nil, 1, 1, 1])
        let times = sent.map(\.time.nanoseconds)
        #expect(times == times.sorted(), "\(times)")

        try await waitForText("traced", bob)
        let received = try #require(try await readSteps(of: "traced", bob))
        #expect(received.map(\.kind) == [.atRelay, .received])

        // Without a relay, the message stays in the outbox.
        await world.relay.stopAndWait()
        try await alice.run("/_send @1 text without a relay")
        let waiting = try #require(try await readSteps(of: "without a relay", alice))
        #expect(waiting.map(\.kind) == [.accepted, .committed])
        // An edit adds no step to the trace.
        let item = try await itemId(of: "traced", alice)
        try await alice.run(
            #"/_update item @1 \#(item) live=off json {"msgContent":{"type":"text","text":"edited"},"mentions":{}}"#
        )
        #expect(try await readSteps(of: "edited", alice) == sent)
        // The item is in another chat, so the notes have no trace of the item.
        let notes = ChatRef(chatType: .local, chatId: 1)
        #expect(try await alice.controller.messageTraces.readSteps(of: item, in: notes, user: 1) == nil)
        await alice.controller.close()
        await bob.controller.close()
    }

    /// The reports of steps that a core has made.
    private final class Reports: Sendable {
        private let state = Mutex((steps: [MessageStepReport](), epochs: Set<String>(), stores: Set<String?>()))

        func add(_ steps: [MessageStepReport], _ epoch: String, _ storeID: String?) {
            state.withLock { state in
                state.steps += steps
                state.epochs.insert(epoch)
                state.stores.insert(storeID)
            }
        }

        /// Returns the reports about an item, in the order of their steps.
        func steps(of itemId: Int64) -> [MessageStepReport] {
            let order: [MessageStepReport.Step] = [.accept, .receive, .encrypt, .send, .fail, .receipt]
            let steps = state.withLock { $0.steps }.filter { $0.itemId == itemId }
            return order.flatMap { step in steps.filter { $0.step == step } }
        }

        var epochs: Set<String> { state.withLock { $0.epochs } }
        var stores: Set<String?> { state.withLock { $0.stores } }
    }

    @Test
    func `Each step of sending a message is reported once, and the report has the store, the recipient and the times`()
        async throws
    {
        let world = try await World()
        let (atAlice, atBob) = (Reports(), Reports())
        let alice = try await world.core("alice") {
            $0.storeID = "s1"
            $0.onMessageSteps = { atAlice.add($0, $1, $2) }
        }
        let bob = try await world.core("bob") { $0.onMessageSteps = { atBob.add($0, $1, $2) } }
        try await alice.createUser("alice")
        try await bob.createUser("bob")
        try await connectUsers(alice, 1, to: bob, 1)
        try await alice.run("/_send @1 text traced")
        try await alice.waitForStatus("sndRcvd", of: ["traced"])
        let item = try await itemId(of: "traced", alice)
        try await waitUntil("the receipt is reported") { atAlice.steps(of: item).last?.step == .receipt }
        let sent = atAlice.steps(of: item)
        try #require(sent.map(\.step) == [.accept, .encrypt, .send, .receipt])
        #expect(sent.map(\.contactId) == [nil, nil, 1, 1] && sent.allSatisfy { $0.groupMemberId == nil })
        #expect(Set(sent.dropFirst().map(\.deliveryId)).count == 1 && sent[0].deliveryId == nil)
        #expect(
            sent.allSatisfy { $0.begin <= $0.end } && sent[2].begin == sent[1].begin && sent[3].begin == sent[2].end
        )
        #expect(atAlice.stores == ["s1"] && atAlice.epochs == [alice.controller.journal.epoch])

        try await waitForText("traced", bob)
        let received = atBob.steps(of: try await itemId(of: "traced", bob))
        #expect(received.map(\.step) == [.receive] && received.allSatisfy { $0.begin <= $0.end })
        #expect(atBob.stores == [nil])

        // A note has no recipient, so no steps are reported.
        let note = try await alice.run("/_create *1 text a note")["chatItems"]?[0]?["chatItem"]?["meta"]?["itemId"]
        #expect(atAlice.steps(of: try #require(note?.integerValue)).isEmpty)
        await alice.controller.close()
        await bob.controller.close()
    }

    private func readSteps(of text: String, _ core: Core) async throws -> [MessageStep]? {
        let chat = ChatRef(chatType: .direct, chatId: 1)
        return try await core.controller.messageTraces.readSteps(of: itemId(of: text, core), in: chat, user: 1)
    }

    private func itemId(of text: String, _ core: Core) async throws -> Int64 {
        let chat = try await core.run("/_get chat @1 count=20")
        let item = chat["chat"]?["chatItems"]?.arrayValue?.first { $0["meta"]?["itemText"]?.stringValue == text }
        return try #require(item?["meta"]?["itemId"]?.integerValue)
    }
}
