import JSON
import TestSupport
import Testing

@testable import ChatCore

@Suite(.socketTimeLimit) struct ChatListTests {
    private func foundContactNames(_ core: Core, _ search: String) async throws -> [String] {
        let query: JSONValue = ["type": "search", "search": .string(search)]
        let answer = try await core.run("/_get chats 1 pcc=on count=10 \(query.text)")
        return (answer["chats"]?.arrayValue ?? []).compactMap {
            $0["chatInfo"]?["contact"]?["localDisplayName"]?.stringValue
        }
    }

    @Test
    func `A search in the list of chats finds a chat by the names, description and alias of the contact`() async throws
    {
        let world = try await World()
        let (alice, bob) = (try await world.core("alice"), try await world.core("bob"))
        try await alice.createUser("alice")
        let profile: JSONValue = [
            "profile": [
                "displayName": "bob", "fullName": "Robert \"Bob\" Smith", "shortDescr": "keeps bees 100%",
                "image": "data:image/png;base64,Zebra",
            ],
            "pastTimestamp": false,
        ]
        try await bob.run("/_create user \(profile.text)")
        try await connectUsers(alice, 1, to: bob, 1)
        for search in ["BOB", "smith", #""bob" s"#, "BEES", "0%"] {
            #expect(try await foundContactNames(alice, search) == ["bob"], "\(search)")
        }
        for search in ["zebra", "fullName", "%", "_", "nobody"] where search != "%" {
            #expect(try await foundContactNames(alice, search).isEmpty, "\(search)")
        }
        try await alice.run("/_set alias @1 the beekeeper")
        #expect(try await foundContactNames(alice, "keeper") == ["bob"])

        try await alice.run("/_send @1 text nice bees")
        try await waitForText("nice bees", bob)
        let last = try #require(try await bob.run("/_get chat @1 count=1").itemIds.last)
        try await bob.run(#"/_reaction @1 \#(last) on {"type":"emoji","emoji":"👍"}"#)
        try await alice.wait(for: "chatItemReaction")
        for (core, mine) in [(alice, false), (bob, true)] {
            let chats = try await core.run("/_get chats 1 pcc=on")["chats"]?.arrayValue
            let item = chats?.first { $0["chatInfo"]?["type"] == "direct" }?["chatItems"]?[0]
            #expect(
                item?["reactions"] == [
                    ["reaction": ["type": "emoji", "emoji": "👍"], "userReacted": .bool(mine), "totalReacted": 1]
                ]
            )
        }
        await alice.controller.close()
        await bob.controller.close()
    }
}
