import Foundation
import JSON
import TestSupport
import Testing

@Suite(.socketTimeLimit) struct BackupTests {
    private func backUp(_ node: Node, _ data: String, to target: String) async throws -> Program.ProgramEnding {
        try await Program.run(["backup", target, "--url", try await node.waitUntilRunning().url, "--data", data])
    }

    /// Makes two profiles of one gateway contacts of each other.
    private func makeConnectedUsers(_ node: Node) async throws -> (alice: Int64, bob: Int64) {
        for name in ["alice", "bob"] {
            _ = try await node.callForObject(
                "POST",
                "/v1/users",
                ["profile": ["displayName": .string(name), "fullName": ""]]
            )
        }
        let invitation = try await node.callForObject(
            "POST",
            "/v1/users/1/connections/invitations",
            ["incognito": false]
        )
        let link = invitation["connLinkInvitation"]?["connFullLink"] ?? .null
        _ = try await node.callForObject("POST", "/v1/users/2/connections", ["incognito": false, "connLink": link])
        var contacts: [Int64: Int64] = [:]
        try await node.readJournal { entry in
            if entry["event"]?["type"] == "contactConnected" {
                contacts[entry["userId"]?.integerValue ?? 0] = entry["event"]?["contact"]?["contactId"]?.integerValue
            }
            return contacts.count == 2
        }
        return (try #require(contacts[1]), try #require(contacts[2]))
    }

    private func sendTexts(_ texts: [String], from user: Int, to contact: Int64, on node: Node) async throws {
        _ = try await node.callForObject(
            "POST",
            "/v1/users/\(user)/chats/direct/\(contact)/messages",
            textMessages(texts)
        )
    }

    @Test
    func `A backup that is made while messages arrive contains each message once and in order`() async throws {
        try await Folder.withNewFolder { folder in
            let (data, copy, port) = (folder.path + "/data", folder.path + "/copy", TestPort.takeUnused())
            let node = Node(folder: data, ["--relay-port", "\(port)"])
            let (alice, bob) = try await makeConnectedUsers(node)
            let store = try #require(
                try await node.callForObject("POST", "/v1/stores", ["name": "Bob", "passphrase": "a long passphrase"])[
                    "store"
                ]?["storeId"]?.stringValue
            )
            let sending = Task {
                for number in 0..<100 {
                    try await sendTexts(["\(number) a", "\(number) b"], from: 1, to: alice, on: node)
                }
            }
            try await waitUntil("some messages are sent") { try await node.readTexts(of: alice).count > 20 }
            let made = try await backUp(node, data, to: copy)
            #expect(made.exitCode == 0 && made.output.contains("files"), "\(made)")
            try await sending.value
            await node.stop()

            let restored = Node(folder: copy, ["--relay-port", "\(port)"])
            let sent = try await restored.readTexts(of: alice)
            #expect(sent.count > 20 && sent == (0..<sent.count).map { "\($0 / 2) \($0.isMultiple(of: 2) ? "a" : "b")" })
            try await waitUntil("all messages are received") {
                try await restored.readTexts(of: bob, user: 2).count >= sent.count
            }
            try await sendTexts(["back"], from: 2, to: bob, on: restored)
            try await sendTexts(["on"], from: 1, to: alice, on: restored)
            try await waitUntil("both users receive new messages") {
                let (one, other) = (
                    try await restored.readTexts(of: alice), try await restored.readTexts(of: bob, user: 2)
                )
                return Set(one) == Set(other) && one.count == sent.count + 2 && other.count == sent.count + 2
            }
            #expect(try await restored.readTexts(of: bob, user: 2).filter { $0 != "back" } == sent + ["on"])
            #expect(
                try await restored.call("POST", "/v1/stores/\(store)/unlock", ["passphrase": "a long passphrase"])
                    .status == 200
            )
            await restored.stop()
        }
    }

    @Test
    func `The backup command fails with the API key of another gateway, and names the URL and '--url'`() async throws {
        try await Folder.withNewFolder { folder in
            let node = Node(folder: folder.path + "/data", ["--relay-port", "0"])
            let (url, key) = (try await node.waitUntilRunning().url, folder.path + "/other.key")
            try Data("sxgw_of_another_gateway".utf8).write(to: URL(filePath: key))
            let ending = try await Program.run(["backup", folder.path + "/copy", "--url", url, "--key-file", key])
            #expect(ending.exitCode == 1 && ending.errors.contains(url) && ending.errors.contains("--url"), "\(ending)")
            await node.stop()
        }
    }

    @Test
    func `The backup command refuses an existing path, a path in the data folder, and a key without full rights`()
        async throws
    {
        try await Folder.withNewFolder { folder in
            let data = folder.path + "/data"
            let node = Node(folder: data, ["--relay-port", "0"])
            for target in [folder.path, data + "/copy", folder.path + "/none/copy", data + "/space/../../copy"] {
                let ending = try await backUp(node, data, to: target)
                #expect(ending.exitCode == 1 && ending.errors.contains("refuses"), "\(target): \(ending)")
            }
            let key = try await Program.run(["key", "add", "most", "--data", data, "--scope", "admin"]).output
                .trimmingCharacters(in: .newlines)
            try await waitUntil("the key is known") { try await node.call("GET", "/v1/users", as: key).status == 200 }
            #expect(
                try await node.call("POST", "/v1/backup", ["folder": .string(folder.path + "/copy")], as: key).status
                    == 403
            )
            #expect(!FileManager.default.fileExists(atPath: folder.path + "/copy"))
            await node.stop()
        }
    }
}
