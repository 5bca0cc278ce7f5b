import JSON
import TestSupport
import Testing

@Suite(.socketTimeLimit) struct WebTests {
    @Test
    func `The web command prints a link with a ticket for an API key that has only the scope 'admin'`() async throws {
        try await Folder.withNewFolder { folder in
            let node = Node(folder: folder.path, ["--relay-port", "0"])
            let running = try await node.waitUntilRunning()
            let made = try await Program.run(["web", "--url", running.url, "--data", folder.path])
            #expect(made.exitCode == 0 && made.output.contains("▄"), "\(made)")
            let link = try #require(made.output.split(separator: "\n").last.map(String.init))
            #expect(link.hasPrefix("\(running.url)/app#ticket=sxgw_"), "\(link)")
            let keys = try await node.callForObject("GET", "/v1/keys")["keys"]?.arrayValue ?? []
            let page = try #require(keys.first { $0["name"] == "Web client" })
            #expect(page["scopes"] == ["admin"] && page["expiresAt"] != nil, "\(page)")
            let other = try await Program.run([
                "web", "--url", running.url, "--data", folder.path, "--page", "https://chat.example.org/sub/",
            ])
            #expect(other.output.contains("\nhttps://chat.example.org/sub/app#ticket=sxgw_"), "\(other)")
            for wrong in [
                ["--page", "example.org"], ["--page", "https://"], ["--page", "https://a b"],
                ["--page", "https://a#b"], ["--days", "0"],
            ] {
                let refused = try await Program.run(["web", "--url", running.url, "--data", folder.path] + wrong)
                #expect(refused.exitCode == 2, "\(wrong): \(refused)")
            }
            await node.stop()
            let gone = try await Program.run(["web", "--url", running.url, "--data", folder.path])
            #expect(gone.exitCode == 1 && gone.errors.contains("no gateway answers"), "\(gone)")
        }
    }
}
