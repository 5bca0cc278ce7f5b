import JSON
import Testing
import TestSupport

@testable import ChatCore

@Suite(.overSockets) struct PaginationTests {
    @Test("Pages, counts and what follows a page are those of the recording")
    func recording() async throws {
        let lines = try Fixture.transcript("messages-pagination").filter { $0["client"] == "bob" }
        let all = try #require(lines.first { $0["json"]?.itemIds.count == 39 }?["json"])
        let texts = all.itemTexts.dropFirst(7)
        let (alice, bob) = try await World().pair()
        let messages = JSONValue.array(texts.map { ["msgContent": ["type": "text", "text": .string($0)], "mentions": [:]] })
        try await alice.run("/_send @1 live=off ttl=default json \(messages.text)")
        try await bob.wait(for: "newChatItems", count: 3 + texts.count)

        var compared = 0
        for (index, line) in lines.enumerated() where line["dir"] == "cmd" {
            guard let command = line["cmd"]?.stringValue, let corrId = line["corrId"], command.hasPrefix("/_get chat @4")
                    || command.hasPrefix("/_read chat") || command.hasPrefix("/_get items"), line["n"]?.integerValue ?? 0 > 60 else { continue }
            let answer = lines[index...].first { $0["dir"] == "resp" && $0["corrId"] == corrId }?["json"]
            let expected = try #require(answer)
            let ours = try await bob.run(command.replacing("@4", with: "@1"))
            if expected["type"] == "chatCmdError" {
                #expect(ours == expected["chatError"], "\(command)")
            } else {
                #expect(ours.itemIds == expected.itemIds, "\(command)")
                // The items of all chats are in the order of the seconds in which they were sent: here all came in one command.
                #expect(ours["chatItems"]?.arrayValue?.count == expected["chatItems"]?.arrayValue?.count, "\(command)")
                #expect(ours["chat"]?["chatStats"] == expected["chat"]?["chatStats"], "\(command)")
                #expect(ours["navInfo"] == expected["navInfo"], "\(command)")
            }
            compared += 1
        }
        #expect(compared > 15)
        await alice.controller.close()
        await bob.controller.close()
    }
}
