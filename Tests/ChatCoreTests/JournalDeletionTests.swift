import ChatAPI
import ChatStoreTestSupport
import Foundation
import JSON
import SimpleXCrypto
import SQLCipher
import TestSupport
import Testing

@testable import ChatCore
@testable import ChatStore

@Suite("Deleted items in the journal", .socketTimeLimit)
struct JournalDeletionTests {
    @Test(arguments: ["internal", "internalMark", "peer"])
    func `Deleting a message removes its content from the journal, but keeps the journal entries`(
        mode: String
    ) async throws {
        let (alice, bob) = try await World().makeConnectedCores()
        try await alice.run("/_send @1 text quokka")
        try await alice.run("/_send @1 text wombat")
        try await waitForText("wombat", bob)
        let before = try await bob.journalEntries()
        #expect(before.contains { $0.text.contains("quokka") })
        if mode == "peer" {
            let sent = try await alice.run("/_get chat @1 count=2").itemIds
            try await alice.run("/_delete item @1 \(sent[0]) broadcast")
            try await bob.wait(for: "chatItemsDeleted")
        } else {
            let received = try await bob.run("/_get chat @1 count=2").itemIds
            try await bob.run("/_delete item @1 \(received[0]) \(mode)")
        }
        let after = try await bob.journalEntries()
        #expect(!after.contains { $0.text.contains("quokka") })
        #expect(after.count { $0.text.contains("wombat") } == before.count { $0.text.contains("wombat") })
        #expect(Array(after.map(\.cursor).prefix(before.count)) == before.map(\.cursor))
        // The redacted entry keeps its type.
        let place = try #require(before.firstIndex { $0.text.contains("quokka") })
        let event = try JSONDecoder().decode(ChatEvent.self, from: Array(after[place].text.utf8))
        guard case .newChatItems(_, let items) = event else {
            Issue.record("\(event)")
            return
        }
        #expect(items.map(\.chatItem.content) == [.rcvDeleted(deleteMode: .internal)])
        #expect(items.map(\.chatItem.meta.itemText) == [""])
        await close(alice, bob)
    }

    @Test
    func `Deleting an edited message removes all its texts from the journal`() async throws {
        let (alice, bob) = try await World().makeConnectedCores()
        try await alice.run("/_send @1 text quokka first")
        let sent = try await alice.run("/_get chat @1 count=1").itemIds[0]
        try await alice.run("/_update item @1 \(sent) text quokka second")
        try await bob.wait(for: "chatItemUpdated")
        #expect(try await bob.journalEntries().count { $0.text.contains("quokka") } == 2)
        let received = try await bob.run("/_get chat @1 count=1").itemIds[0]
        try await bob.run("/_delete item @1 \(received) internal")
        #expect(try await bob.journalEntries().contains { $0.text.contains("quokka") } == false)
        await close(alice, bob)
    }

    @Test
    func `The content of a disappeared message is removed from the journal`() async throws {
        let (alice, bob) = try await World().makeConnectedCores()
        try await alice.run("/_send @1 text quokka")
        try await waitForText("quokka", bob)
        try await bob.controller.store.write { tx in
            try tx.db.execute("UPDATE chat_items SET timed_delete_at = 1 WHERE item_text = 'quokka'")
            try TimedItems.deleteDueItems(tx)
        }
        let told = try await bob.wait(for: "chatItemsDeleted")
        // A listener gets the event with the text, as in the original. The journal then loses the text.
        #expect(told[0].text.contains("quokka"))
        let journal = try await bob.journalEntries()
        #expect(!journal.contains { $0.text.contains("quokka") })
        #expect(
            journal.contains { $0.text.hasPrefix(#"{"type":"chatItemsDeleted""#) && $0.text.contains(#""timed":true"#) }
        )
        await close(alice, bob)
    }

    @Test
    func `A disappearing message whose chat no longer exists is deleted at its time`() async throws {
        let (alice, bob) = try await World().makeConnectedCores()
        try await alice.run("/_send @1 text quokka")
        let (due, count) = try await alice.controller.store.write { tx in
            try tx.db.execute("UPDATE chat_items SET timed_delete_at = 1, chat_id = 99 WHERE item_text = 'quokka'")
            try TimedItems.deleteDueItems(tx)
            return (
                try TimedItems.findNextDueTime(tx.db),
                try tx.db.query("SELECT 1 FROM chat_items WHERE item_text = 'quokka'").count
            )
        }
        #expect(due == nil && count == 0)
        await close(alice, bob)
    }

    @Test
    func `Expired messages of a chat are removed from the journal`() async throws {
        let (alice, bob) = try await World().makeConnectedCores()
        try await alice.run("/_send @1 text quokka")
        try await waitForText("quokka", bob)
        try await bob.controller.store.write { tx in
            try tx.db.execute("UPDATE chat_items SET created_at = 1, order_ts = 1 WHERE item_text = 'quokka'")
            try tx.db.execute("UPDATE contacts SET chat_item_ttl = 3600")
            _ = try ExpiringItems.deleteDueItems(tx)
        }
        #expect(try await bob.journalEntries().contains { $0.text.contains("quokka") } == false)
        await close(alice, bob)
    }

    @Test
    func `Events about a message that was marked as deleted do not contain the text of the message`() async throws {
        let (alice, bob) = try await World().makeConnectedCores()
        try await bob.run("/_stop")
        try await alice.run("/_send @1 text quokka")
        let sent = try await alice.run("/_get chat @1 count=1").itemIds[0]
        try await alice.run("/_delete item @1 \(sent) internalMark")
        try await bob.run("/_start")
        _ = try await alice.waitForStatus("sndRcvd", of: ["quokka"])
        #expect(try await alice.journalEntries().contains { $0.text.contains("quokka") } == false)
        await close(alice, bob)
    }

    @Test
    func `A cleared chat leaves no message in the journal`() async throws {
        let (alice, bob) = try await World().makeConnectedCores()
        for text in ["quokka one", "quokka two"] { try await alice.run("/_send @1 text \(text)") }
        try await waitForText("quokka two", bob)
        let before = try await bob.journalEntries().count
        try await bob.run("/_clear chat @1")
        let journal = try await bob.journalEntries()
        #expect(!journal.contains { $0.text.contains("quokka") })
        #expect(journal.count == before)
        #expect(journal.contains { $0.text == #"{"type":"redacted"}"# })
        // The name of the contact remains in the journal.
        #expect(journal.contains { $0.text.hasPrefix(#"{"type":"contactConnected""#) })
        await close(alice, bob)
    }

    @Test
    func `Journal entries about a deleted contact are replaced by entries without content`() async throws {
        let (alice, bob) = try await World().makeConnectedCores()
        try await alice.run("/_send @1 text quokka")
        try await waitForText("quokka", bob)
        #expect(try await bob.journalEntries().contains { $0.text.contains("alice") })
        try await bob.run("/_delete @1 full notify=off")
        let journal = try await bob.journalEntries()
        #expect(!journal.contains { $0.text.contains("quokka") || $0.text.contains("alice") })
        #expect(journal.contains { $0.text == #"{"type":"redacted"}"# })
        await close(alice, bob)
    }

    @Test
    func `Deleting one of several items in a journal event changes only this item in the event`() throws {
        let event = #"{"type":"newChatItems","chatItems":[\#(itemJSON(1, "quokka")),\#(itemJSON(2, "wombat"))]}"#
        let changed = try #require(EventRedaction.redactItemsInEvent(Array(event.utf8), withoutItems: [1]))
        let items = try #require(try JSONValue(parsing: changed)["chatItems"]?.arrayValue)
        #expect(items[0]["chatItem"]?["content"] == ["type": "rcvDeleted", "deleteMode": "internal"])
        #expect(items[0]["chatItem"]?["quotedItem"] == nil && items[0]["chatItem"]?["formattedText"] == nil)
        #expect(items[1] == (try JSONValue(parsing: itemJSON(2, "wombat"))))
        #expect(EventRedaction.redactItemsInEvent(Array(event.utf8), withoutItems: [3]) == nil)
    }

    private func itemJSON(_ id: Int, _ text: String) -> String {
        """
        {"chatInfo":{"type":"direct"},"chatItem":{"chatDir":{"type":"directRcv"},"meta":{"itemId":\(id),"itemText":"\(text)"},\
        "content":{"type":"rcvMsgContent","msgContent":{"type":"text","text":"\(text)"}},"mentions":{},"formattedText":[{"text":"\(text)"}],\
        "quotedItem":{"content":{"text":"\(text)"}},"reactions":[]}}
        """
    }

    @Test
    func `An event about a reaction to a deleted message does not contain the message`() {
        let event = #"{"type":"chatItemReaction","reaction":{"chatReaction":\#(itemJSON(1, "quokka"))}}"#
        #expect(EventRedaction.redactItemsInEvent(Array(event.utf8), withoutItems: [1]) == EventRedaction.redactedEvent)
    }

    @Test
    func `If a journal entry about deleted items cannot be read, its whole content is removed`() throws {
        for broken in ["", "{", #"{"type":"newChatItems","chatItems":5}"#] {
            #expect(
                try EventRedaction.redactChatInEvent(Array(broken.utf8), withoutChat: "@1")
                    == EventRedaction.redactedEvent,
                "\(broken)"
            )
        }
        #expect(EventRedaction.redactItemsInEvent(Array("{".utf8), withoutItems: [1]) == EventRedaction.redactedEvent)
        let error = #"{"type":"messageError","user":{},"severity":"error","errorMessage":"\u0000"}"#
        #expect(EventRedaction.redactItemsInEvent(Array(error.utf8), withoutItems: [1]) == nil)
    }

    @Test
    func `The search for ids in JSON text finds only integers of JSON members with the given name`() {
        let json = #"{"itemId":5,"a":[{"itemId":17}],"text":"\"itemId\":9","xitemId":8,"itemId":"#
        #expect(JSONNumbers.findIntegers("itemId", in: Array(json.utf8)) == [5, 17])
    }

    @Test
    func `The journal entries of an item or of a chat are found with an index`() async throws {
        let store = try await TemporaryStore()
        try await store.chats.database.read { db in
            for condition in ["chat_item_id IN (1, 2)", "chat_item_id > 0"] {
                let plan = try db.query(
                    "EXPLAIN QUERY PLAN SELECT seq FROM event_subjects WHERE user_id = 1 AND chat = '@1' AND \(condition)"
                )
                #expect(try plan.allSatisfy { try !$0.string("detail").contains("SCAN") } && !plan.isEmpty)
            }
            let plan = try db.query(
                "EXPLAIN QUERY PLAN SELECT request_key FROM request_items WHERE chat_item_id IN (1, 2)"
            )
            #expect(try plan.allSatisfy { try !$0.string("detail").contains("SCAN") } && !plan.isEmpty)
        }
    }

    @Test
    func `Stored answers do not contain the text of a deleted message`() async throws {
        let (alice, bob) = try await World().makeConnectedCores()
        func claim(_ name: String) -> RequestClaim {
            RequestClaim(requestID: Array(name.utf8), fingerprint: []) {
                Array("201 /here\n".utf8) + (try JSONEncoder().encode($0))
            }
        }
        func keep(_ name: String, _ answer: JSONValue) async throws {
            let (request, response) = (claim(name), try JSONDecoder().decode(ChatResponse.self, from: answer))
            try await alice.controller.store.database.write { db in try request.storeAnswer(response, at: .now, in: db)
            }
        }
        func stored(_ name: String) async throws -> String {
            let request = try #require(try await alice.controller.findStoredRequest(claim(name).requestID))
            return String(decoding: try #require(request.answer), as: UTF8.self)
        }
        let sent = try await alice.run("/_send @1 text quokka")
        let item = try #require(sent.firstItemId)
        try await keep("early", sent)
        #expect(try await stored("early").contains("quokka"))
        let deleted = try await alice.run("/_delete item @1 \(item) internal")
        #expect(deleted.text.contains("quokka"))
        try await keep("late", sent)
        try await keep("deletion", deleted)
        for name in ["early", "late", "deletion"] {
            let answer = try await stored(name)
            #expect(!answer.contains("quokka") && answer.hasPrefix("201 /here\n{"), "\(name)")
            #expect(answer.contains("\"itemId\":\(item)"))
        }
        await close(alice, bob)
    }

    private func close(_ cores: Core...) async { for core in cores { await core.controller.close() } }
}

extension Core {
    /// Returns the journal. Memory and database contain the same entries.
    fileprivate func journalEntries() async throws -> [(cursor: EventCursor, text: String)] {
        let held = try await controller.journal.readEntries(after: 0, limit: 100_000)
        let stored = try await EventJournal.open(on: controller.store.database, retention: JournalRetention())
            .readEntries(
                after: 0,
                limit: held.count
            )
        #expect(held == stored)
        return held.map { ($0.cursor, String(decoding: $0.eventJSON, as: UTF8.self)) }
    }
}
