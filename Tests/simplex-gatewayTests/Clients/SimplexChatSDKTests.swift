import Foundation
import JSON
import TestSupport
import Testing

/// Tests of the official Python library with our libsimplex.so.
@Suite(.socketTimeLimit)
struct SimplexChatSDKTests {
    @Test
    func `A bot of the official Python library answers messages with libsimplex.so, even after a restart`()
        async throws
    {
        try await Folder.withNewFolder { folder in
            let gateway = Node(folder: folder.path + "/gateway", ["--relay-port", "0"])
            do {
                try await runBots(gateway, folder)
            } catch {
                await gateway.stop()
                throw error
            }
            await gateway.stop()
        }
    }

    private func runBots(_ gateway: Node, _ folder: Folder) async throws {
        let relay = try #require(try await gateway.waitUntilRunning().relay)
        _ = try await gateway.callForObject("POST", "/v1/users", ["profile": ["displayName": "alice", "fullName": ""]])
        let environment = [
            "SIMPLEX_LIBS_DIR": URL(filePath: Program.path).deletingLastPathComponent().path, "SXGW_SMP_SERVER": relay,
        ]
        let database = folder.path + "/bot"

        let address = try await PythonClient.withScript("doubling_bot.py", [database], environment: environment) {
            bot in
            let address = try await bot.waitForLine("Bot address:")
            _ = try await gateway.callForObject(
                "POST",
                "/v1/users/1/connections",
                ["incognito": false, "connLink": .string(address)]
            )
            let contact = try await gateway.waitForContact(named: "Doubler")
            try await gateway.waitForText("Send a number, and it comes back twice as large.")
            try await gateway.sendAndExpect("21", with: contact, answer: "42")
            try await gateway.sendAndExpect("twenty-one", with: contact, answer: "This is no number.")
            try await gateway.sendAndExpect("/help", with: contact, answer: "Numbers are doubled here.")
            bot.signal(SIGTERM)
            #expect(await bot.waitForEnd().exitCode == 0)
            return address
        }
        try await PythonClient.withScript("doubling_bot.py", [database], environment: environment) { bot in
            #expect(try await bot.waitForLine("Bot address:") == address)
            try await gateway.sendAndExpect("4", with: try await gateway.waitForContact(named: "Doubler"), answer: "8")
        }
    }
}

extension Node {
    /// Waits until a contact is connected, and returns its id.
    func waitForContact(named name: String) async throws -> Int64 {
        var contact: Int64?
        try await readJournal { entry in
            guard let event = entry["event"], event["type"] == "contactConnected",
                event["contact"]?["profile"]?["displayName"]?.stringValue == name
            else { return false }
            contact = event["contact"]?["contactId"]?.integerValue
            return contact != nil
        }
        return contact ?? 0
    }

    /// Waits for a message with this text.
    func waitForText(_ text: String) async throws {
        try await readJournal { entry in
            guard let event = entry["event"], event["type"] == "newChatItems" else { return false }
            return (event["chatItems"]?.arrayValue ?? []).contains { item in
                item["chatItem"]?["chatDir"]?["type"] == "directRcv"
                    && item["chatItem"]?["content"]?["msgContent"]?["text"]?.stringValue == text
            }
        }
    }

    func sendAndExpect(_ text: String, with contact: Int64, answer: String) async throws {
        _ = try await callForObject("POST", "/v1/users/1/chats/direct/\(contact)/messages", textMessages([text]))
        try await waitForText(answer)
    }
}
