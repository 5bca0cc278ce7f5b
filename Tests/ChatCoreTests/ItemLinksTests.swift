import ChatAPI
import Foundation
import JSON
import SQLCipher
import SimpleXCrypto
import Testing

@testable import ChatCore

@Suite("Items with links")
struct ItemLinksTests {
    private func linkItemTexts(_ core: Core) async throws -> [String?] {
        let items = try await core.run("/_get chat *1 content=link count=10")["chat"]?["chatItems"]?.arrayValue ?? []
        return items.map { $0["meta"]?["itemText"]?.stringValue }
    }

    private func createNote(_ text: String, _ core: Core) async throws -> JSONValue? {
        let content = JSONValue.array([["msgContent": ["type": "text", "text": .string(text)]]])
        return try await core.run("/_create *1 json \(content.text)")["chatItems"]?[0]?["chatItem"]?["meta"]
    }

    @Test
    func `The list of links of a chat has only items with a link`() async throws {
        let core = try await World().core("links")
        try await core.createUser("alice")
        #expect(try await createNote("see https://simplex.chat", core)?["hasLink"] == true)
        #expect(try await createNote("see *nothing*", core)?["hasLink"] == false)
        #expect(try await linkItemTexts(core) == ["see https://simplex.chat"])
        await core.controller.close()
    }

    @Test
    func `An edited item is in the list of links of its chat if its new text has a link`() async throws {
        let core = try await World().core("links")
        try await core.createUser("alice")
        let item = try #require(try await createNote("nothing", core)?["itemId"]?.integerValue)
        for (text, hasLink) in [("https://simplex.chat", true), ("nothing again", false)] {
            let content: JSONValue = ["msgContent": ["type": "text", "text": .string(text)], "mentions": [:]]
            let changed = try await core.run("/_update item *1 \(item) live=off json \(content.text)")
            #expect(changed["chatItem"]?["chatItem"]?["meta"]?["hasLink"] == .bool(hasLink), "\(changed)")
            #expect(try await linkItemTexts(core) == (hasLink ? [text] : []))
        }
        await core.controller.close()
    }
}
