import Foundation
import JSON
import TestSupport
import Testing

@testable import ChatCore

/// A conversation as the peer receives it.
@Suite(.socketTimeLimit) struct WireFormTests {
    @Test
    func `Every message of a conversation has its own message id, as in the apps`() async throws {
        let (alice, bob) = try await World().makeStrangers()
        try await alice.recordOutgoingMessages()
        try await connectUsers(alice, 1, to: bob, 1)
        try await alice.run("/_send @1 text one")
        try await waitForText("one", bob)
        let page = try await alice.run("/_get chat @1 count=1")
        let itemId = try #require(page["chat"]?["chatItems"]?[0]?["meta"]?["itemId"]?.integerValue)
        try await alice.run("/_update item @1 \(itemId) text two")
        try await alice.run(#"/_reaction @1 \#(itemId) on {"type":"emoji","emoji":"👍"}"#)
        try await alice.run(#"/_set prefs @1 {"voice":{"allow":"no"}}"#)
        try await alice.run("/_delete item @1 \(itemId) broadcast")
        try await alice.run(#"/_profile 1 {"displayName":"alice","fullName":"Alice"}"#)
        try await alice.run("/_send @1 text last")
        try await waitForText("last", bob)
        let messages = try await alice.outgoingMessages()
        let events = Set(messages.compactMap { $0["event"]?.stringValue })
        #expect(
            events.isSuperset(of: ["x.msg.new", "x.msg.update", "x.msg.react", "x.info", "x.msg.del", "x.info.probe"]),
            "\(events)"
        )
        let ids = messages.compactMap { $0["msgId"]?.stringValue }
        #expect(ids.count == messages.count && Set(ids).count == ids.count, "\(messages)")
        for core in [alice, bob] { await core.controller.close() }
    }

    @Test
    func `A program gets an event if another program with a copy of the same store takes over the subscriptions`()
        async throws
    {
        let world = try await World()
        let (alice, bob) = try await world.makeConnectedCores()
        try await bob.run("/_connect 1 incognito=off")
        await bob.controller.close()
        let folder = world.directory.appending(path: "bob")
        try FileManager.default.copyItem(at: folder, to: world.directory.appending(path: "copy"))
        let first = try await world.core("bob")
        try await first.run("/_send @1 text from the first")
        try await waitForText("from the first", alice)
        let second = try await world.core("copy", key: World.databaseKey(of: "bob"))
        let told = try await first.wait(for: "contactAnotherClient")
        #expect(told[0]["contact"]?["localDisplayName"] == "alice")
        let pending = try await first.wait(for: "subscriptionEnd")
        #expect(pending[0]["connectionEntity"]?["type"] == "rcvDirectMsgConnection")
        #expect(pending[0]["connectionEntity"]?["entityConnection"]?["connStatus"]?["type"] == "new")
        try await alice.run("/_send @1 text to the second")
        try await waitForText("to the second", second)
        for core in [alice, first, second] { await core.controller.close() }
    }
}
