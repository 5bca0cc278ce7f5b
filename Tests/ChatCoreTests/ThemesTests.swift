import JSON
import TestSupport
import Testing

@testable import ChatCore

@Suite(.socketTimeLimit) struct ThemesTests {
    private static let themesJSON = """
        {"light":{"mode":"light","wallpaper":{"preset":"cats","scale":1.25},"colors":{"accent":"#ff0088ff"}},"dark":{"mode":"dark","colors":{}}}
        """

    @Test
    func `Theme colours of a user and a chat are stored, shown with the user and the chat, and removed`() async throws {
        let (alice, bob) = try await World().makeConnectedCores()
        let themes = try JSONValue(parsing: Self.themesJSON)
        // The answer contains the user before the change.
        #expect(try await alice.run("/_set theme user 1 \(Self.themesJSON)")["user_"]?["uiThemes"] == nil)
        #expect(try await alice.run("/u")["user"]?["uiThemes"] == themes)
        #expect(try await alice.run("/_set theme @1 \(Self.themesJSON)")["type"] == "cmdOk")
        #expect(try await alice.run("/_info @1")["contact"]?["uiThemes"] == themes)
        #expect(try await alice.run("/_set theme @1")["type"] == "cmdOk")
        #expect(try await alice.run("/_info @1")["contact"]?["uiThemes"] == nil)
        #expect(try await alice.run("/_set theme user 1")["type"] == "cmdOk")
        #expect(try await alice.run("/u")["user"]?["uiThemes"] == nil)
        await alice.controller.close()
        await bob.controller.close()
    }

    @Test
    func `Setting theme colours for unknown or unsupported users and chats fails with the errors of the original`()
        async throws
    {
        let core = try await World().core("themes")
        try await core.createUser("alice")
        let notSupported: JSONValue = [
            "type": "error", "errorType": ["type": "commandError", "message": "not supported"],
        ]
        #expect(try await core.run("/_set theme *1 \(Self.themesJSON)") == notSupported)
        #expect(try await core.run("/_set theme :1") == notSupported)
        #expect(
            try await core.run("/_set theme user 9 \(Self.themesJSON)") == [
                "type": "errorStore", "storeError": ["type": "userNotFound", "userId": 9],
            ]
        )
        #expect(
            try await core.run("/_set theme @99 \(Self.themesJSON)") == [
                "type": "errorStore", "storeError": ["type": "contactNotFound", "contactId": 99],
            ]
        )
        await core.controller.close()
    }
}
