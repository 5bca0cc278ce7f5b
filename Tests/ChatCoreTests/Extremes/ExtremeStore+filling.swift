import Foundation
import JSON
import TestSupport
import Testing

@testable import ChatCore
@testable import ChatStore

extension ExtremeStore {
    /// Fills alice's store with data of many kinds.
    static func addData(_ alice: Core, _ bob: Core) async throws {
        try await alice.createUser("alice")
        try await bob.createUser("bob")
        try await connectUsers(alice, 1, to: bob, 1)
        try await exchangeMessages(alice, bob)
        try await addGroup(alice, bob)
        for command in [
            "/_connect 1 incognito=off", "/_connect 1 incognito=on", "/_address 1",
            #"/_address_settings 1 {"businessAddress":false,"autoReply":{"type":"text","text":"welcome"}}"#,
            "/_create link #1 member", #"/_create tag {"text":"work","emoji":"💼"}"#, #"/_create tag {"text":"family"}"#,
            "/_tags @1 1", "/_tags #1 1,2", #"/_save app settings {"privacyAcceptImages":true}"#, "/_ttl 1 86400",
            "/_set alias @1 the other one",
        ] { try await alice.run(command) }
        try await bob.run(#"/_call invite @1 {"media":"audio","capabilities":{"encryption":true}}"#)
        try await alice.wait(for: "callInvitation")
        try await addWebhook(alice)
        try await addNotes(alice)
    }

    private static func exchangeMessages(_ alice: Core, _ bob: Core) async throws {
        try await exchangeText(alice, bob, "one #word https://example.org")
        try await exchangeText(bob, alice, "two *words*")
        // The last item is bob's message.
        let first: Int64 = try #require(try await alice.run("/_get chat @1 count=1").itemIds.last)
        func text(_ text: String, _ more: String = "") -> String {
            #"[{\#(more)"msgContent":{"type":"text","text":"\#(text)"},"mentions":{}}]"#
        }
        try await alice.run("/_send @1 live=off ttl=86400 json \(text("soon gone"))")
        let answer = try await alice.run("/_send @1 json \(text("thre", #""quotedItemId":\#(first),"#))")
        let sent = try #require(answer.firstItemId)
        try await alice.run(
            #"/_update item @1 \#(sent) json {"msgContent":{"type":"text","text":"three"},"mentions":{}}"#
        )
        try await alice.run(#"/_reaction @1 \#(first) on {"type":"emoji","emoji":"👍"}"#)
        try await exchangeText(bob, alice, "four")
    }

    private static func addGroup(_ alice: Core, _ bob: Core) async throws {
        try await alice.createGroup()
        try await alice.run("/_add #1 1 moderator")
        try await bob.wait(for: "receivedGroupInvitation")
        try await bob.run("/_join #1")
        try await alice.wait(for: "joinedGroupMember")
        try await bob.wait(for: "userJoinedGroup")
        try await alice.sendToGroup("hello", to: 1)
        try await bob.waitForGroupText("hello")
        try await bob.sendToGroup("hello to you", to: 1)
        try await alice.waitForGroupText("hello to you")
    }

    /// Adds a webhook that has accepted some events and refused others.
    private static func addWebhook(_ alice: Core) async throws {
        let subscriptions = alice.controller.subscriptions
        let subscription = EventSubscription(
            id: "wh_1",
            kind: "webhook",
            keyId: "key",
            settings: #"{"url":"https://example.org"}"#,
            position: 2,
            created: 1
        )
        _ = try await subscriptions.add(subscription, limit: 10, share: 10)
        for seq: UInt64 in 3...6 {
            var change = SubscriptionChange(subscription)
            change.entriesToStore = [
                SubscribedEntry(seq: seq, state: .waiting, attempts: 1, firstAttempt: 1, nextAttempt: 2)
            ]
            change.attempt = DeliveryAttempt(
                eventId: "\(seq)",
                type: "newChatItems",
                attempt: 1,
                started: 1,
                milliseconds: 1,
                status: 500,
                outcome: "failed"
            )
            try await subscriptions.apply(change)
        }
        _ = try await subscriptions.findOrCreateSenderKey("push") { [1, 2, 3] }
    }

    /// Writes more notes than a small span of the search index contains (128), so that the index has a span and the
    /// journal has blocks.
    private static func addNotes(_ alice: Core) async throws {
        try alice.writeFile("a.txt", Array("contents".utf8))
        try await alice.run(
            #"/_create *1 json [{"filePath":"a.txt","msgContent":{"type":"file","text":"a file"},"mentions":{}}]"#
        )
        for number in 0..<140 {
            let note = #"[{"msgContent":{"type":"text","text":"note \#(number)"},"mentions":{}}]"#
            try await alice.run("/_create *1 json \(note)")
        }
        try await alice.controller.journal.packEntries()
        while try await alice.controller.findWorker(SearchIndexWorker.self).buildNextSpan() {}
    }
}
