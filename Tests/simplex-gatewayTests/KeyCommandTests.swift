import Foundation
import TestSupport
import Testing

@Suite(.socketTimeLimit) struct KeyCommandTests {
    @Test
    func `An API key that the key command adds or revokes becomes valid or invalid in the running gateway`()
        async throws
    {
        try await Folder.withNewFolder { folder in
            let node = Node(folder: folder.path, ["--relay-port", "0"])
            let running = try await node.waitUntilRunning()
            let added = try await Program.run(["key", "add", "bot", "--data", folder.path, "--scope", "read"])
            #expect(added.exitCode == 0)
            let key = added.output.trimmingCharacters(in: .newlines)
            // The kernel may notify the gateway of the new file only after the end of the command, so the test waits.
            try await waitUntil("the key is known") { try await readStatus(running.url, key) == 200 }
            let list = try await Program.run(["key", "list", "--data", folder.path])
            let line = try #require(list.output.split(separator: "\n").first { $0.hasSuffix("  bot") })
            #expect(!list.output.contains(key) && line.contains("read"))
            let id = try #require(line.split(separator: " ").first.map(String.init))
            #expect(try await Program.run(["key", "revoke", id, "--data", folder.path]).exitCode == 0)
            try await waitUntil("the key is void") { try await readStatus(running.url, key) == 401 }
            #expect(try await Program.run(["key", "revoke", id, "--data", folder.path]).exitCode == 2)
            let nowhere = try await Program.run(["key", "add", "bot", "--data", folder.path + "/none"])
            #expect(nowhere.exitCode == 2 && nowhere.errors.contains("there is no folder"))
            await node.stop()
        }
    }

    @Test
    func `The key command refuses an invalid key name, an unknown profile and an unknown linked phone`() async throws {
        try await Folder.withNewFolder { folder in
            let node = Node(folder: folder.path, ["--relay-port", "0"])
            _ = try await node.callForObject(
                "POST",
                "/v1/users",
                ["profile": ["displayName": "alice", "fullName": ""]]
            )
            func add(_ name: String, _ more: [String]) async throws -> Program.ProgramEnding {
                try await Program.run(["key", "add", name, "--data", folder.path] + more)
            }
            let used = try await add("early", ["--user", "7"])
            #expect(used.exitCode == 0 && used.errors.contains("not checked whether the profile 7 exists"), "\(used)")
            await node.stop(SIGTERM)
            let list = try await Program.run(["key", "list", "--data", folder.path]).output
            for (name, more, words) in [
                ("a\nb", [], "line breaks"), ("a\u{1B}[2J", [], "control characters"), ("", [], "1 to 100 characters"),
                (String(repeating: "x", count: 101), [], "1 to 100 characters"),
                ("bot", ["--user", "7"], "there is no profile 7"), ("bot", ["--phone", "1"], "there is no phone 1"),
            ] {
                let refused = try await add(name, more)
                #expect(refused.exitCode == 2 && refused.errors.contains(words), "\(refused)")
            }
            #expect(try await Program.run(["key", "list", "--data", folder.path]).output == list)
            let added = try await add("bot", ["--user", "1"])
            #expect(added.exitCode == 0 && added.errors.isEmpty, "\(added)")
        }
    }

    @Test
    func `Revoking the last administrator key with the key command causes a warning`() async throws {
        try await Folder.withNewFolder { folder in
            #expect(
                try await Program.run(["key", "add", "boss", "--scope", "admin", "--data", folder.path]).exitCode == 0
            )
            #expect(try await Program.run(["key", "add", "bot", "--data", folder.path]).exitCode == 0)
            let list = try await Program.run(["key", "list", "--data", folder.path]).output.split(separator: "\n")
            for (name, isWarned) in [("bot", false), ("boss", true)] {
                let id = try #require(
                    list.first { $0.hasSuffix("  " + name) }?.split(separator: " ").first.map(String.init)
                )
                let revoked = try await Program.run(["key", "revoke", id, "--data", folder.path])
                #expect(
                    revoked.exitCode == 0 && revoked.errors.contains("no key with the scope admin is left") == isWarned,
                    "\(revoked)"
                )
            }
        }
    }

    @Test
    func `The key command adds an API key with a lifetime in days, and its list shows the expiry`() async throws {
        try await Folder.withNewFolder { folder in
            #expect(try await Program.run(["key", "add", "soon", "--data", folder.path, "--days", "2"]).exitCode == 0)
            let line = try await Program.run(["key", "list", "--data", folder.path]).output
            #expect(line.contains(", until 20") && line.hasSuffix("  soon\n"), "\(line)")
            for days in ["0", "-1", "36501", "x"] {
                #expect(
                    try await Program.run(["key", "add", "never", "--data", folder.path, "--days", days]).exitCode == 2,
                    "\(days)"
                )
            }
            #expect(try await Program.run(["key", "list", "--data", folder.path]).output == line)
        }
    }

    @Test
    func `The key command manages the API keys of any store that is given by its id`() async throws {
        try await Folder.withNewFolder { folder in
            let node = Node(folder: folder.path, ["--relay-port", "0"])
            let running = try await node.waitUntilRunning()
            let id = try #require(
                try await node.callForObject("POST", "/v1/stores", ["name": "Bob"])["store"]?["storeId"]?.stringValue
            )
            let options = ["--data", folder.path, "--store", id]
            let key = try await Program.run(["key", "add", "bot"] + options).output.trimmingCharacters(in: .newlines)
            try await waitUntil("the key is known") { try await readStatus(running.url, key) == 200 }
            let list = try await Program.run(["key", "list"] + options).output.split(separator: "\n")
            #expect(list.map { $0.split(separator: " ").last } == ["admin", "bot"])
            let other = try await Program.run(["key", "list", "--data", folder.path]).output
            #expect(!other.contains("  bot"))
            let record = try #require(list.last?.split(separator: " ").first.map(String.init))
            let revoked = try await Program.run(["key", "revoke", record] + options)
            #expect(revoked.exitCode == 0)
            try await waitUntil("the key is void") { try await readStatus(running.url, key) == 401 }
            let refused = try await Program.run(["key", "add", "bot", "--scope", "stores"] + options)
            #expect(refused.exitCode == 2)
            let unknown = try await Program.run(["key", "list", "--data", folder.path, "--store", "abcdefghijkmnpq"])
            #expect(unknown.exitCode == 2)
            let byVariables = try await Program.run(
                ["key", "add", "reader"],
                environment: [
                    "SXGW_DATA": folder.path, "SXGW_STORE": id, "SXGW_SCOPE": "read,events", "SXGW_DAYS": "3",
                ]
            )
            #expect(byVariables.exitCode == 0, "\(byVariables)")
            let line = try #require(
                try await Program.run(["key", "list"] + options).output.split(separator: "\n").last
            )
            #expect(
                line.contains("read,events") && line.contains(", until 20") && line.hasSuffix("  reader"),
                "\(line)"
            )
            await node.stop()
        }
    }

    private func readStatus(_ url: String, _ key: String) async throws -> Int {
        try await PlainRequest.send("GET", url + "/v1/users", headers: [("Authorization", "Bearer \(key)")]).status
    }
}
