import JSON
import Testing
import TestSupport

@testable import ChatCore

@Suite(.socketTimeLimit) struct NotesTests {
    /// Returns the value without ids, times and the user, which differ in each store. All other parts must be equal.
    private func withoutIdsAndTimes(_ value: JSONValue) -> JSONValue {
        if let object = value.objectValue {
            var result = JSONObject()
            for (key, value) in object {
                switch key {
                case "user", "user_", "itemTs", "createdAt", "updatedAt", "chatTs", "itemVersionTs", "fileId":
                    result[key] = "…"
                default: result[key] = withoutIdsAndTimes(value)
                }
            }
            return .object(result)
        }
        return value.arrayValue.map { .array($0.map(withoutIdsAndTimes)) } ?? value
    }

    @Test
    func `Commands on notes have the same answers as the recording`() async throws {
        let lines = try Fixture.readTranscript("notes-folder")
        let alice = try await World.makeAlice()
        try alice.writeFile("n.txt", sampleBytes(9))
        try alice.writeFile("n.png", sampleBytes(411))
        // Other tests cover settings. Unlike version 6.4.5, this core filters by content, and creates notes only with
        // the text form of the command.
        let notHere = ["content=", "/_get chats", "/_settings", "/_send"]
        var compared = 0
        for (index, line) in lines.enumerated() where line["dir"] == "cmd" {
            guard let command = line["cmd"]?.stringValue, let corrId = line["corrId"],
                !notHere.contains(where: command.contains)
            else { continue }
            let expected = try #require(
                lines[index...].first { $0["dir"] == "resp" && $0["corrId"] == corrId }?["json"]
            )
            if !command.hasPrefix("/_") {
                // The command makes the ids equal to the ids of the recording.
                let text = expected["chatItems"]?[0]?["chatItem"]?["meta"]?["itemText"]?.stringValue ?? ""
                try await alice.run("/_create *1 text \(text.isEmpty ? "x" : text)")
                continue
            }
            let ours = try await alice.run(command)
            if expected["type"] == "chatCmdError" {
                #expect(ours == expected["chatError"], "\(command)")
            } else if expected["type"] == "apiChat" {
                #expect(ours.itemIds == expected.itemIds, "\(command)")
                #expect(ours["chat"]?["chatStats"] == expected["chat"]?["chatStats"], "\(command)")
                #expect(ours["navInfo"] == expected["navInfo"], "\(command)")
                #expect(
                    ours["chat"]?["chatItems"]?[0].map(withoutIdsAndTimes)
                        == expected["chat"]?["chatItems"]?[0].map(withoutIdsAndTimes),
                    "\(command)"
                )
            } else {
                #expect(withoutIdsAndTimes(ours) == withoutIdsAndTimes(expected), "\(command)")
            }
            compared += 1
        }
        #expect(compared >= 20)
        #expect(try await alice.events().contains { $0.event["type"] == "chatErrors" })
        await alice.controller.close()
    }

    @Test
    func `The list of chats finds the notes by their time and unread mark, but not by a search for a name`()
        async throws
    {
        let alice = try await World.makeAlice()
        func types(_ tail: String) async throws -> [JSONValue] {
            (try await alice.run("/_get chats 1 pcc=on\(tail)")["chats"]?.arrayValue ?? []).compactMap {
                $0["chatInfo"]?["type"]
            }
        }
        #expect(try await types("") == ["local"])
        try await alice.run("/_create *1 text one")
        let chat = try await alice.run("/_get chats 1 pcc=on")["chats"]?[0]
        #expect(chat?["chatItems"]?[0]?["meta"]?["itemText"] == "one")
        #expect(chat?["chatStats"]?["unreadChat"] == false)
        #expect(try await types(#" count=10 {"type":"filters","favorite":false,"unread":true}"#) == [])
        try await alice.run("/_unread chat *1 on")
        #expect(try await types(#" count=10 {"type":"filters","favorite":false,"unread":true}"#) == ["local"])
        #expect(try await types(#" count=10 {"type":"search","search":""}"#) == ["local"])
        #expect(try await types(#" count=10 {"type":"search","search":"one"}"#) == [])
        #expect(try await types(" before=2001-01-01T00:00:00Z count=2") == [])
        #expect(try await types(" after=2001-01-01T00:00:00Z count=2") == ["local"])
        await alice.controller.close()
    }

    @Test
    func `Notes are returned page by page, and are also in the list of items of all chats`() async throws {
        let alice = try await World.makeAlice()
        let notes = JSONValue.array((0..<20).map { ["msgContent": ["type": "text", "text": .string("note \($0)")]] })
        try await alice.run("/_create *1 json \(notes.text)")
        let ids = try await alice.run("/_get chat *1 count=100").itemIds
        try #require(ids.count == 20)
        #expect(try await alice.run("/_get chat *1 count=3").itemIds == Array(ids.suffix(3)))
        #expect(try await alice.run("/_get chat *1 before=\(ids[5]) count=2").itemIds == [ids[3], ids[4]])
        #expect(try await alice.run("/_get chat *1 after=\(ids[5]) count=2").itemIds == [ids[6], ids[7]])
        let around = try await alice.run("/_get chat *1 around=\(ids[5]) count=2")
        #expect(around.itemIds == Array(ids[3...7]))
        #expect(around["navInfo"] == ["afterUnread": 0, "afterTotal": 12])
        #expect(try await alice.run("/_get chat *1 initial=4").itemIds == Array(ids.suffix(4)))
        #expect(try await alice.run("/_get chat *1 count=100 search=NOTE 1").itemIds.count == 11)
        let items = try await alice.run("/_get items count=2")["chatItems"]?.arrayValue ?? []
        #expect(items.compactMap { $0["chatItem"]?["meta"]?["itemId"]?.integerValue } == Array(ids.suffix(2)))
        #expect(items.allSatisfy { $0["chatInfo"]?["type"] == "local" })
        #expect(
            try await alice.run("/_get chat *2 count=1")["storeError"] == [
                "type": "noteFolderNotFound", "noteFolderId": 2,
            ]
        )
        #expect(try await alice.run("/_read chat items *1 \(ids[0])").errorType == "commandError")
        await alice.controller.close()
    }

    @Test
    func `Notes of one user are separate from the notes of another user, and are deleted with the user`() async throws {
        let alice = try await World.makeAlice()
        try await alice.run("/_create *1 text of alice")
        try await alice.createUser("bob")
        #expect(try await alice.run("/_get chat *1 count=5", as: 2).itemTexts == [])
        #expect(try await alice.run("/_get chat *1 count=5", as: 1).itemTexts == ["of alice"])
        try await alice.run("/_delete user 1 del_smp=on")
        #expect(try await alice.run("/_get chat *1 count=5", as: 2).itemTexts == [])
        await alice.controller.close()
    }
}
