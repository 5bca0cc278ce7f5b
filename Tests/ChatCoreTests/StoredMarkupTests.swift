import ChatAPI
import ChatText
import JSON
import SQLCipher
import Testing

@testable import ChatCore
@testable import ChatStore

@Suite("Stored markup of items")
struct StoredMarkupTests {
    private func storedMarkup(_ core: Core) async throws -> [String?] {
        try await core.controller.store.read { db in
            try db.query(
                "SELECT formatted_text FROM chat_items WHERE msg_content_tag IS NOT NULL ORDER BY chat_item_id"
            ).map { try $0.stringOrNil("formatted_text") }
        }
    }

    private func shownMarkup(_ core: Core) async throws -> [JSONValue?] {
        let items = try await core.run("/_get chat @1 count=100")["chat"]?["chatItems"]?.arrayValue ?? []
        return items.filter { $0["content"]?["msgContent"] != nil }.map { $0["formattedText"] }
    }

    @Test
    func `Both sides store the markup of new and edited messages, and show the stored markup`() async throws {
        let (alice, bob) = try await World().makeConnectedCores()
        try await alice.run("/_send @1 text *bold*")
        try await alice.run("/_send @1 text plain")
        try await waitForText("plain", bob)
        let bold: JSONValue = [["format": ["type": "bold"], "text": "bold"]]
        for core in [alice, bob] {
            let stored = try await storedMarkup(core)
            #expect(stored.count == 2)
            #expect(try JSONValue(parsing: (stored.first ?? nil) ?? "") == bold)
            #expect(stored.last == "")
            #expect(try await shownMarkup(core) == [bold, nil])
        }
        let item = try #require(try await alice.run("/_get chat @1 count=2").itemIds.first)
        try await alice.run(
            ##"/_update item @1 \##(item) live=off json {"msgContent":{"type":"text","text":"#secret#"},"mentions":{}}"##
        )
        try await bob.wait(for: "chatItemUpdated")
        let secret: JSONValue = [["format": ["type": "secret"], "text": "secret"]]
        for core in [alice, bob] {
            #expect(try await shownMarkup(core) == [secret, nil])
            // The stored markup is shown, and the text is not parsed again.
            try await core.controller.store.write { tx in
                try tx.db.execute(
                    "UPDATE chat_items SET formatted_text = ? WHERE formatted_text = ''",
                    [try StoredJSON.encode([FormattedText(format: .bold, text: "stored")])]
                )
            }
            #expect(try await shownMarkup(core) == [secret, [["format": ["type": "bold"], "text": "stored"]]])
        }
        for core in [alice, bob] { await core.controller.close() }
    }

    @Test
    func `If the stored markup of an item is missing or broken, the text of the item is parsed`() async throws {
        let (alice, bob) = try await World().makeConnectedCores()
        try await alice.run("/_send @1 text *bold*")
        for broken in [nil, "{"] as [String?] {
            try await alice.controller.store.write { tx in
                try tx.db.execute("UPDATE chat_items SET formatted_text = ?", [broken])
            }
            #expect(try await shownMarkup(alice) == [[["format": ["type": "bold"], "text": "bold"]]])
        }
        for core in [alice, bob] { await core.controller.close() }
    }

    @Test
    func `The markup that is read from the database equals the parsed markup for every format`() throws {
        for text in [
            "", "plain", "*b* _i_ ~s~ `c` #x# !1 r! @a /c [a](https://b.c) +1 (234) 567-8901 a@b.cd https://a.b",
            "/command", "*a*\n_b_",
        ] {
            let markup = ItemMarkup(of: text)
            #expect(ItemMarkup(stored: try markup.storedText()) == markup)
            #expect(markup.fragments(of: "") == MarkdownParser.parse(text))
        }
    }
}
