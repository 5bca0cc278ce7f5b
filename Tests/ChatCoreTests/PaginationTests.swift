import JSON
import Testing
import TestSupport

@testable import ChatCore

@Suite(.socketTimeLimit) struct PaginationTests {
    @Test
    func `The pages of a chat, their unread counts and the numbers of following items equal the recording`()
        async throws
    {
        let lines = try Fixture.readTranscript("messages-pagination").filter { $0["client"] == "bob" }
        let all = try #require(lines.first { $0["json"]?.itemIds.count == 39 }?["json"])
        let texts = all.itemTexts.dropFirst(7)
        let (alice, bob) = try await World().makeConnectedCores()
        let messages = JSONValue.array(
            texts.map { ["msgContent": ["type": "text", "text": .string($0)], "mentions": [:]] }
        )
        try await alice.run("/_send @1 live=off ttl=default json \(messages.text)")
        try await bob.wait(for: "newChatItems", count: 3 + texts.count)

        var compared = 0
        for (index, line) in lines.enumerated() where line["dir"] == "cmd" {
            guard let command = line["cmd"]?.stringValue, let corrId = line["corrId"],
                command.hasPrefix("/_get chat @4")
                    || command.hasPrefix("/_read chat") || command.hasPrefix("/_get items"),
                line["n"]?.integerValue ?? 0 > 60
            else { continue }
            let answer = lines[index...].first { $0["dir"] == "resp" && $0["corrId"] == corrId }?["json"]
            let expected = try #require(answer)
            let ours = try await bob.run(command.replacing("@4", with: "@1"))
            if expected["type"] == "chatCmdError" {
                #expect(ours == expected["chatError"], "\(command)")
            } else {
                #expect(ours.itemIds == expected.itemIds, "\(command)")
                // For items of all chats, only the number is compared: they are sorted by the second of sending, and
                // here one command has sent all of them.
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

    @Test
    func `The first page of a chat is around the last read item, even if very many items are unread`()
        async throws
    {
        let searched = try #require(ItemQueries.lastViewedItemSearchSizes.last)
        let (alice, bob) = try await World().makeConnectedCores()
        try await alice.run("/_send @1 text read")
        try await waitForText("read", bob)
        let read = try #require(try await bob.run("/_get chat @1 count=1").itemIds.last)
        #expect(try await bob.run("/_read chat items @1 \(read)")["type"] != "errorStore")
        try await alice.run("/_send @1 text unread")
        try await waitForText("unread", bob)
        #expect(try await bob.run("/_get chat @1 initial=1").itemIds.dropFirst().first == read)
        // Simulates a long time in which the user reads no messages.
        try await bob.controller.store.write { tx in
            for _ in 0..<searched {
                try tx.db.execute(
                    """
                    INSERT INTO chat_items (user_id, chat_type, chat_id, item_sent, item_ts, item_status, item_content, msg_content_tag, item_text, order_ts, created_at,
                      updated_at) SELECT user_id, chat_type, chat_id, 0, item_ts, 'rcvNew', item_content, msg_content_tag, item_text, order_ts, created_at, updated_at
                      FROM chat_items ORDER BY chat_item_id DESC LIMIT 1
                    """
                )
            }
        }
        #expect(try await bob.run("/_get chat @1 initial=1").itemIds.dropFirst().first == read)
        for core in [alice, bob] { await core.controller.close() }
    }
}
