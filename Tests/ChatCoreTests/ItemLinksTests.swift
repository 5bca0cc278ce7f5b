import ChatAPI
import Foundation
import JSON
import SQLCipher
import SimpleXCrypto
import Testing

@testable import ChatCore

@Suite("Items with links")
struct ItemLinksTests {
    private func links(_ core: Core) async throws -> [String?] {
        let items = try await core.run("/_get chat *1 content=link count=10")["chat"]?["chatItems"]?.arrayValue ?? []
        return items.map { $0["meta"]?["itemText"]?.stringValue }
    }

    private func note(_ text: String, _ core: Core) async throws -> JSONValue? {
        let content = JSONValue.array([["msgContent": ["type": "text", "text": .string(text)]]])
        return try await core.run("/_create *1 json \(content.text)")["chatItems"]?[0]?["chatItem"]?["meta"]
    }

    @Test("An item states whether its text has a link, and is then among the links of its chat")
    func shown() async throws {
        let core = try await World().core("links")
        try await core.createUser("alice")
        #expect(try await note("see https://simplex.chat", core)?["hasLink"] == true)
        #expect(try await note("see *nothing*", core)?["hasLink"] == false)
        #expect(try await links(core) == ["see https://simplex.chat"])
        await core.controller.close()
    }

    @Test("A changed item is among the links of its chat if its new text has a link")
    func changed() async throws {
        let core = try await World().core("links")
        try await core.createUser("alice")
        let item = try #require(try await note("nothing", core)?["itemId"]?.integerValue)
        for (text, hasLink) in [("https://simplex.chat", true), ("nothing again", false)] {
            let content: JSONValue = ["msgContent": ["type": "text", "text": .string(text)], "mentions": [:]]
            let changed = try await core.run("/_update item *1 \(item) live=off json \(content.text)")
            #expect(changed["chatItem"]?["chatItem"]?["meta"]?["hasLink"] == .bool(hasLink), "\(changed)")
            #expect(try await links(core) == (hasLink ? [text] : []))
        }
        await core.controller.close()
    }

    @Test("Links of a store from before their marking are found")
    func older() async throws {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent("chats-\(UUID().uuidString).db").path
        defer { for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + suffix) } }
        let key = DatabaseKey.raw([UInt8](repeating: 7, count: 32))
        let older = Array(ChatSchema.migrations.prefix { $0.name != ItemLinks.migration.name })
        let before = try await Database.open(at: path, key: key, migrations: older, readers: 1)
        let marked = try #require(try ItemMarkup(of: "simplex.chat").stored())
        try await before.write { db in
            try db.execute("INSERT INTO users (agent_user_id, contact_profile_id, local_display_name, created_at, updated_at) VALUES (1, 1, 'alice', 0, 0)")
            for (text, tag, markup) in [
                ("a link", "link", ""), ("https://unread", "text", nil), ("simplex.chat", "text", marked), ("https://in a snippet", "text", ""),
                ("https://feature", nil, nil), ("plain", "text", nil),
            ] as [(String, String?, String?)] {
                try db.execute(
                    """
                    INSERT INTO chat_items (user_id, chat_type, chat_id, item_sent, item_ts, item_status, item_content, msg_content_tag, item_text,
                      formatted_text, created_at, updated_at) VALUES (1, \(ChatKey.Kind.notes.rawValue), 1, 1, 0, 'sndNew', '{}', ?, ?, ?, 0, 0)
                    """, tag, text, markup)
            }
        }
        await before.close()
        let store = try await ChatStore.open(at: path, key: key, retention: JournalRetention())
        let found = try await store.read { db in
            try db.query("SELECT item_text FROM chat_items WHERE has_link = 1 ORDER BY chat_item_id").map { try $0.string("item_text") }
        }
        #expect(found == ["a link", "https://unread", "simplex.chat"])
        await store.database.close()
    }
}
