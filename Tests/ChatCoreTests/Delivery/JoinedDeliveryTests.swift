import JSON
import TestSupport
import Testing

@testable import ChatCore

@Suite(.socketTimeLimit) struct JoinedDeliveryTests {
    private func setNetworkInfo(_ isOnline: Bool, _ core: Core) async throws {
        try await core.run(#"/_network info {"networkType":"\#(isOnline ? "wifi" : "none")","online":\#(isOnline)}"#)
    }

    /// Returns the number of agent messages that contained the last `count` deliveries.
    private func countShipments(_ core: Core, last count: Int) async throws -> Int64 {
        try await core.controller.store.read { db in
            try db.queryFirst(
                "SELECT count(DISTINCT agent_msg_id) AS n FROM (SELECT agent_msg_id FROM deliveries ORDER BY delivery_id DESC LIMIT ?)",
                [Int64(count)]
            )?.int64("n") ?? 0
        }
    }

    @Test
    func `Messages that wait for the network are sent in a few batches and arrive in order`() async throws {
        let (alice, bob) = try await World().makeConnectedCores()
        try await setNetworkInfo(false, alice)
        let texts = (0..<40).map { "waiting \($0)" }
        for text in texts { try await alice.run("/_send @1 text \(text)") }
        try await setNetworkInfo(true, alice)
        try await waitForText("waiting 39", bob)
        #expect(try await alice.waitForStatus("sndRcvd", of: texts).sorted() == texts.sorted())
        #expect(try await bob.run("/_get chat @1 count=40").itemTexts == texts)
        #expect(try await countShipments(alice, last: 40) <= 5)
        for core in [alice, bob] { await core.controller.close() }
    }

    @Test
    func `After a restart, each message of a batch that was waiting for the network is sent once`() async throws {
        let world = try await World()
        let (alice, bob) = try await world.makeConnectedCores()
        try await setNetworkInfo(false, alice)
        let texts = (0..<12).map { "before \($0)" }
        for text in texts { try await alice.run("/_send @1 text \(text)") }
        // The agent has the messages but has not reported their results.
        await alice.controller.services.outbox.flush()
        try await alice.run("/_send @1 text handed over by nobody")
        await alice.controller.close()

        let again = try await world.core("alice", started: false)
        try await setNetworkInfo(false, again)
        try await again.controller.start()
        try await again.run("/_send @1 text after")
        try await setNetworkInfo(true, again)
        let all = texts + ["handed over by nobody", "after"]
        try await waitForText("after", bob)
        #expect(try await again.waitForStatus("sndRcvd", of: all).sorted() == all.sorted())
        #expect(try await bob.run("/_get chat @1 count=14").itemTexts == all)
        #expect(try await countShipments(again, last: 14) <= 6)
        for core in [again, bob] { await core.controller.close() }
    }

    @Test
    func `Edits, reactions and deletions that wait for the network with their messages take effect in order`()
        async throws
    {
        let (alice, bob) = try await World().makeConnectedCores()
        try await bob.run("/_send @1 text from bob")
        try await waitForText("from bob", alice)
        let received = try #require(try await alice.run("/_get chat @1 count=1").itemIds.first)
        try await setNetworkInfo(false, alice)
        let first = try #require(try await alice.run("/_send @1 text first").firstItemId)
        let second = try #require(try await alice.run("/_send @1 text second").firstItemId)
        try await alice.run("/_update item @1 \(first) text changed")
        try await alice.run(#"/_reaction @1 \#(received) on {"type":"emoji","emoji":"👍"}"#)
        try await alice.run("/_delete item @1 \(second) broadcast")
        try await alice.run("/_send @1 text last")
        try await setNetworkInfo(true, alice)
        try await waitForText("last", bob)
        let chat = try await bob.run("/_get chat @1 count=4")
        #expect(chat.itemTexts == ["from bob", "changed", "second", "last"])
        let items = try #require(chat["chat"]?["chatItems"]?.arrayValue)
        #expect(items[0]["reactions"]?[0]?["reaction"]?["emoji"] == "👍")
        #expect(items[1]["meta"]?["itemEdited"] == true)
        #expect(items[2]["meta"]?["itemDeleted"] != nil)
        for told in try await alice.wait(for: "chatItemsStatusesUpdated") {
            let ids =
                told["chatItems"]?.arrayValue?.compactMap { $0["chatItem"]?["meta"]?["itemId"]?.integerValue } ?? []
            #expect(Set(ids).count == ids.count, "The event names an item once, although its edit was sent too.")
        }
        for core in [alice, bob] { await core.controller.close() }
    }

    @Test
    func `A profile update is not sent in the same batch as the messages after this update`() async throws {
        let (alice, bob) = try await World().makeConnectedCores()
        try await setNetworkInfo(false, alice)
        // Messages written while this one waits form a batch.
        try await alice.run("/_send @1 text before")
        try await alice.run(#"/_profile 1 {"displayName":"alicia","fullName":""}"#)
        for text in ["one", "two"] { try await alice.run("/_send @1 text \(text)") }
        try await setNetworkInfo(true, alice)
        try await waitForText("two", bob)
        try await alice.waitForStatus("sndRcvd", of: ["one", "two"])
        #expect(try await countShipments(alice, last: 2) == 1)
        #expect(try await countShipments(alice, last: 3) == 2)
        for core in [alice, bob] { await core.controller.close() }
    }

    @Test
    func `A contact who is deleted while messages wait gets these messages before the event about the deletion`()
        async throws
    {
        let (alice, bob) = try await World().makeConnectedCores()
        try await setNetworkInfo(false, alice)
        let texts = (0..<5).map { "farewell \($0)" }
        for text in texts { try await alice.run("/_send @1 text \(text)") }
        try await alice.run("/_delete @1 full notify=on")
        try await setNetworkInfo(true, alice)
        try await bob.wait(for: "contactDeletedByContact")
        #expect(try await Array(bob.run("/_get chat @1 count=6").itemTexts.prefix(5)) == texts)
        for core in [alice, bob] { await core.controller.close() }
    }
}
