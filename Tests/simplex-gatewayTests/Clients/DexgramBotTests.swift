import Foundation
import JSON
import TestSupport
import Testing

/// Tests with dexgram-bot, which uses the interface of the original's terminal client and has no API key.
@Suite(.socketTimeLimit)
struct DexgramBotTests {
    /// Runs `body` with a gateway that has the profile of a bot and a terminal port, and another gateway with alice.
    private func withGateways(_ body: (_ socket: String, _ alice: Node, Folder) async throws -> Void) async throws {
        try await Folder.withNewFolder { folder in
            let home = Node(folder: folder.path + "/home", ["--relay-port", "0", "--terminal-port", "0"])
            let other = Node(folder: folder.path + "/other", ["--relay-port", "0"])
            do {
                let socket = try await home.waitUntilRunning().program.waitForLine("Terminal:")
                for (node, name) in [(home, "Bot"), (other, "alice")] {
                    _ = try await node.callForObject(
                        "POST",
                        "/v1/users",
                        ["profile": ["displayName": .string(name), "fullName": ""]]
                    )
                }
                try await body(socket, other, folder)
            } catch {
                await home.stop()
                await other.stop()
                throw error
            }
            await home.stop()
            await other.stop()
        }
    }

    @Test
    func `A bot of the client dexgram-bot accepts a contact, and answers messages, commands and buttons`()
        async throws
    {
        try await withGateways { socket, alice, _ in
            try await PythonClient.withScript("echo_bot.py", [socket]) { bot in
                let address = try await bot.waitForLine("Bot address:")
                _ = try await alice.callForObject(
                    "POST",
                    "/v1/users/1/connections",
                    ["incognito": false, "connLink": .string(address)]
                )
                let contact = try await alice.waitForContact(named: "Bot")
                try await alice.sendAndExpect("hello", with: contact, answer: "You said: hello")
                try await alice.sendAndExpect("/help", with: contact, answer: "Commands: /help")
                let button = #"__BOT_CB__{"messageId":"1","data":"help"}"#
                try await alice.sendAndExpect(button, with: contact, answer: "You pressed a button.")
                #expect(
                    try await alice.readTexts(of: contact).contains {
                        $0.hasPrefix("__BOT_MSG__") && $0.contains("What would you like?")
                    }
                )
            }
        }
    }

    @Test
    func `All calls of the low-level client in dexgram-bot get the expected answers`() async throws {
        try await withGateways { socket, alice, _ in
            let invitation = try await alice.callForObject(
                "POST",
                "/v1/users/1/connections/invitations",
                ["incognito": false]
            )
            let link = try #require(invitation["connLinkInvitation"]?["connFullLink"]?.stringValue)
            try await PythonClient.withScript("low_level.py", [socket, link]) { client in
                let done = try await client.waitForLine("Done:")
                #expect(done == "everything")
                let ending = await client.waitForEnd()
                #expect(ending.exitCode == 0 && ending.output.contains("Connecting: sentConfirmation"), "\(ending)")
            }
        }
    }
}
