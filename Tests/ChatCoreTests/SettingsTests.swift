import ChatAPI
import JSON
import TestSupport
import Testing

@testable import ChatCore

@Suite(.socketTimeLimit) struct SettingsTests {
    @Test
    func `The value of an app's setting is the saved value, the app's default, or the common default, in this order`()
        async throws
    {
        let world = try await World()
        let core = try await world.core("settings")
        #expect(try await core.run("/_get app settings")["appSettings"]?["privacyAcceptImages"] == true)
        #expect(
            try await core.run(#"/_save app settings {"privacyAcceptImages":false,"uiThemes":[]}"#) == ["type": "cmdOk"]
        )
        let settings = try await core.run(
            #"/_get app settings {"privacyAcceptImages":true,"oneHandUI":false,"privacyMediaBlurRadius":24}"#
        )
        #expect(settings["appSettings"]?["privacyAcceptImages"] == false)
        #expect(settings["appSettings"]?["oneHandUI"] == false)
        #expect(settings["appSettings"]?["privacyMediaBlurRadius"] == 24)
        #expect(
            settings["appSettings"]?["iosCallKitEnabled"] == true
                && settings["appSettings"]?["privacySanitizeLinks"] == false
        )
        await core.controller.close()
        let again = try await world.core("settings")
        #expect(try await again.run("/_get app settings")["appSettings"]?["privacyAcceptImages"] == false)
        #expect(try await again.run("/_get app settings")["appSettings"]?["iosCallKitEnabled"] == true)
        await again.controller.close()
    }

    @Test
    func `The settings of a chat are shown with the chat, and its favourite mark filters the list of chats`()
        async throws
    {
        let (alice, bob) = try await World().makeConnectedCores()
        let favourites = #"/_get chats 1 pcc=on count=10 {"type":"filters","favorite":true,"unread":false}"#
        #expect(try await alice.run(favourites)["chats"] == [])
        #expect(
            try await alice.run(#"/_settings @1 {"enableNtfs":"none","sendRcpts":null,"favorite":true}"#)["type"]
                == "cmdOk"
        )
        #expect(
            try await alice.run(favourites)["chats"]?[0]?["chatInfo"]?["contact"]?["chatSettings"] == [
                "enableNtfs": "none", "favorite": true,
            ]
        )
        #expect(
            try await alice.run(#"/_settings @1 {"enableNtfs":"mentions","sendRcpts":false,"favorite":false}"#)["type"]
                == "cmdOk"
        )
        #expect(
            try await alice.run("/_info @1")["contact"]?["chatSettings"] == [
                "enableNtfs": "mentions", "sendRcpts": false, "favorite": false,
            ]
        )
        #expect(
            try await alice.run(#"/_settings @99 {"enableNtfs":"all","favorite":false}"#)
                == ["type": "errorStore", "storeError": ["type": "contactNotFound", "contactId": 99]]
        )
        #expect(throws: CommandParseError.self) {
            try ChatCommand(parsing: #"/_settings @1 {"enableNtfs":"sometimes","favorite":false}"#)
        }
        await alice.controller.close()
        await bob.controller.close()
    }

    @Test
    func `The time to live of messages is stored for a user and for a chat, with the recorded answers`() async throws {
        let core = try await World().core("ttl")
        try await core.createUser("alice")
        #expect(try await core.run("/_ttl 1")["chatItemTTL"] == 0)
        #expect(try await core.run("/_ttl 1 86400")["type"] == "cmdOk")
        #expect(try await core.run("/_ttl 1")["chatItemTTL"] == 86400)
        for command in ["/_ttl 1 0", "/_ttl 1 *1 3600"] {
            #expect(try await core.run(command)["type"] == "cmdOk", "\(command)")
        }
        // Unlike the original, this program refuses a number of seconds that is too large.
        #expect(try await core.run("/_ttl 1 \(Int64.max)").errorType == "commandError")
        // Unlike the original, this program reports an error for a chat that does not exist.
        for command in ["/_ttl 1 @99 1", "/_ttl 1 @99 default"] {
            #expect(
                try await core.run(command) == [
                    "type": "errorStore", "storeError": ["type": "contactNotFound", "contactId": 99],
                ]
            )
        }
        #expect(try await core.run("/_ttl 1 *99 1")["storeError"]?["type"] == "noteFolderNotFound")
        #expect(try await core.run("/_ttl 7").errorType == "differentActiveUser")
        await core.controller.close()
    }

    @Test
    func `Expired items are deleted with an event, and a chat's time to live has priority over the user's`()
        async throws
    {
        let (alice, bob) = try await World().makeConnectedCores()
        try await alice.run("/_ttl 1 @1 0")
        try await alice.run("/_ttl 1 1")
        try await alice.run("/_send @1 text kept")
        #expect(try await alice.run("/_info @1")["contact"]?["chatItemTTL"] == 0)
        try await alice.run("/_ttl 1 @1 1")
        let sent = try await alice.run("/_send @1 text goes away soon")
        let item = try #require(sent.firstItemId)
        for count in 1... {
            let told = try await alice.wait(for: "chatItemsDeleted", count: count)
            #expect(told.last?["timed"] == true && told.last?["byUser"] == false)
            let gone = told.flatMap { $0["chatItemDeletions"]?.arrayValue ?? [] }
            if gone.contains(where: { $0["deletedChatItem"]?["chatItem"]?["meta"]?["itemId"]?.integerValue == item }) {
                break
            }
        }
        #expect(try await alice.run("/_get chat @1 count=20").itemTexts.allSatisfy { $0 == "chat banner" })
        await alice.controller.close()
        await bob.controller.close()
    }

    @Test
    func `At its start, the core deletes items that expired while the core was closed`() async throws {
        let (alice, bob) = try await World().makeConnectedCores()
        let item = try #require(try await alice.run("/_send @1 text old").firstItemId)
        try await alice.run("/_ttl 1 3600")
        await alice.controller.stop()
        try await alice.controller.store.write { tx in
            try tx.db.execute(
                "UPDATE chat_items SET created_at = created_at - 86400000000000, order_ts = order_ts - 86400000000000 WHERE chat_item_id = ?",
                [item]
            )
        }
        try await alice.controller.start()
        let told = try await alice.wait(for: "chatItemsDeleted")
        #expect(
            told[0]["chatItemDeletions"]?[0]?["deletedChatItem"]?["chatItem"]?["meta"]?["itemId"]?.integerValue == item
        )
        #expect(!(try await alice.run("/_get chat @1 count=20").itemTexts.contains("old")))
        await alice.controller.close()
        await bob.controller.close()
    }
}
