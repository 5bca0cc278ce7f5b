import JSON
import TestSupport
import Testing

@Suite(.overSockets) struct InviteTests {
    private func invite(_ running: Node.Running, _ folder: Folder, _ more: [String] = []) async throws -> Program.Ending {
        try await Program.run(["invite", "--url", running.url, "--data", folder.path] + more)
    }

    @Test("an invitation is made in the name of the active profile, drawn, and printed as a link that others can accept")
    func invites() async throws {
        try await Folder.with { folder in
            let node = Node(folder: folder.path, ["--relay-port", "0"])
            let running = try await node.running()
            let without = try await invite(running, folder)
            #expect(without.code == 2 && without.errors.contains("--name"), "\(without)")
            let made = try await invite(running, folder, ["--name", "alice"])
            #expect(made.code == 0 && made.output.contains("▄"), "\(made)")
            // The relay of these tests is on loopback.
            #expect(made.errors.contains("--servers network"))
            let link = try #require(made.output.split(separator: "\n").last.map(String.init))
            _ = try await node.object("POST", "/v1/users", ["profile": ["displayName": "bob", "fullName": ""]])
            #expect(try await node.call("POST", "/v1/users/2/connections", ["incognito": false, "connLink": .string(link)]).status == 202)
            // Bob is the active one now.
            let second = try await invite(running, folder).output.split(separator: "\n").last.map(String.init)
            let chats = try await node.object("GET", "/v1/users/2/chats")["chats"]?.arrayValue ?? []
            #expect(chats.contains { $0["chatInfo"]?["contactConnection"]?["connLinkInv"]?["connShortLink"]?.stringValue == second }, "\(chats)")
            await node.stop()
        }
    }

    @Test("what stands in the way is said: no gateway, no key, a profile that is not there, a URL with TLS")
    func refused() async throws {
        try await Folder.with { folder in
            let node = Node(folder: folder.path, ["--relay-port", "0"])
            let running = try await node.running()
            let unknown = try await invite(running, folder, ["--user", "7"])
            #expect(unknown.code == 1 && unknown.errors.contains("refuses"), "\(unknown)")
            let wrong = try folder.write("wrong.key", "sxgw_wrong\n")
            let refused = try await invite(running, folder, ["--key-file", wrong])
            #expect(refused.code == 1, "\(refused)")
            await node.stop()
            let gone = try await invite(running, folder)
            #expect(gone.code == 1 && gone.errors.contains("no gateway answers"), "\(gone)")
            for url in ["https://127.0.0.1", "http://", "http://127.0.0.1:0", "127.0.0.1"] {
                let ending = try await Program.run(["invite", "--url", url, "--data", folder.path])
                #expect(ending.code == 2 && ending.errors.contains("is no URL"), "\(url): \(ending)")
            }
        }
    }
}
