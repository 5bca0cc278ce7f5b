import JSON
import NIOPosix
import TestSupport
import Testing

@Suite(.socketTimeLimit) struct InviteTests {
    private func runInvite(
        _ running: Node.RunningProcess,
        _ folder: Folder,
        _ more: [String] = []
    ) async throws -> Program.ProgramEnding {
        try await Program.run(["invite", "--url", running.url, "--data", folder.path] + more)
    }

    @Test
    func `The invite command prints an invitation link of the active profile, also as a QR code`() async throws {
        try await Folder.withNewFolder { folder in
            let node = Node(folder: folder.path, ["--relay-port", "0"])
            let running = try await node.waitUntilRunning()
            let without = try await runInvite(running, folder)
            #expect(without.exitCode == 2 && without.errors.contains("--name"), "\(without)")
            let made = try await runInvite(running, folder, ["--name", "alice"])
            #expect(made.exitCode == 0 && made.output.contains("▄"), "\(made)")
            // The output is a pipe and not a terminal, so the QR code has no colours.
            #expect(!made.output.contains("\u{1B}"))
            // The relay is on loopback, so the command warns that other machines cannot reach it.
            #expect(made.errors.contains("--servers network"))
            let link = try #require(made.output.split(separator: "\n").last.map(String.init))
            _ = try await node.callForObject("POST", "/v1/users", ["profile": ["displayName": "bob", "fullName": ""]])
            #expect(
                try await node.call("POST", "/v1/users/2/connections", ["incognito": false, "connLink": .string(link)])
                    .status == 202
            )
            // Bob is the active user now, so the second invitation is his.
            let second = try await runInvite(running, folder).output.split(separator: "\n").last.map(String.init)
            let chats = try await node.callForObject("GET", "/v1/users/2/chats")["chats"]?.arrayValue ?? []
            #expect(
                chats.contains {
                    $0["chatInfo"]?["contactConnection"]?["connLinkInv"]?["connShortLink"]?.stringValue == second
                },
                "\(chats)"
            )
            await node.stop()
        }
    }

    @Test
    func `The invite command fails for an unknown profile, with a wrong API key, or without a running gateway`()
        async throws
    {
        try await Folder.withNewFolder { folder in
            let node = Node(folder: folder.path, ["--relay-port", "0"])
            let running = try await node.waitUntilRunning()
            let unknown = try await runInvite(running, folder, ["--user", "7"])
            #expect(unknown.exitCode == 1 && unknown.errors.contains("refuses"), "\(unknown)")
            let wrong = try folder.writeFile("wrong.key", "sxgw_wrong\n")
            let refused = try await runInvite(running, folder, ["--key-file", wrong])
            #expect(refused.exitCode == 1, "\(refused)")
            await node.stop()
            let gone = try await runInvite(running, folder)
            #expect(gone.exitCode == 1 && gone.errors.contains("no gateway answers"), "\(gone)")
        }
    }

    @Test(arguments: [
        ("http://192.0.2.1:5225", "not on this machine"), ("http://example.org", "not on this machine"),
        ("http://127.0.0.1.example.org:5225/", "not on this machine"),
        ("http://[2001:db8::1]:5225", "not on this machine"), ("https://127.0.0.1", "TLS"),
        ("HTTPS://localhost", "TLS"), ("127.0.0.1", "is not the URL"),
        ("ftp://127.0.0.1", "is not the URL"), ("", "url is empty"), ("http://", "host, a port"),
        ("http://127.0.0.1:0", "host, a port"),
        ("http://127.0.0.1:99999", "host, a port"), ("http://127.0.0.1:+1", "host, a port"),
        ("http://ann:secret@127.0.0.1:5225", "host, a port"),
        ("http://127.0.0.1:5225@example.org", "host, a port"), ("http://127.0.0.1:5225/v1", "host, a port"),
        ("http://[::1", "host, a port"),
        ("http://::1:5225", "host, a port"), ("http://127.0.0.1\r\nX: y", "host, a port"),
    ])
    func `The invite and backup commands refuse the URL of another machine, a URL with TLS and an invalid URL`(
        url: String,
        reason: String
    ) async throws {
        try await Folder.withNewFolder { folder in
            let key = try folder.writeFile("key", "sxgw_key\n")
            for command in [["invite"], ["backup", folder.path + "/copy"]] {
                let ending = try await Program.run(command + ["--url", url, "--key-file", key])
                #expect(
                    ending.exitCode == 2 && ending.errors.contains(reason) && !ending.errors.contains("secret"),
                    "\(ending)"
                )
            }
        }
    }

    @Test
    func `The invite command fails if the gateway closes the connection without an answer`() async throws {
        try await Folder.withNewFolder { folder in
            let group = MultiThreadedEventLoopGroup.singleton
            let listening = try await ServerBootstrap(group: group).childChannelInitializer { $0.close() }.bind(
                host: "127.0.0.1",
                port: 0
            ).get()
            let port = try #require(listening.localAddress?.port)
            let ending = try await Program.run([
                "invite", "--url", "http://127.0.0.1:\(port)", "--key-file", try folder.writeFile("key", "sxgw_key\n"),
            ])
            #expect(
                ending.exitCode == 1 && ending.errors.contains("uses TLS, which this command does not support"),
                "\(ending)"
            )
            try await listening.close()
        }
    }

    @Test
    func `The invite command accepts a gateway URL with the IPv6 loopback address`() async throws {
        try await Folder.withNewFolder { folder in
            let ending = try await Program.run([
                "invite", "--url", "http://[::1]:1/", "--key-file", try folder.writeFile("key", "sxgw_key\n"),
            ])
            #expect(
                ending.exitCode == 1 && ending.errors.contains("no gateway answers on http://[::1]:1:"),
                "\(ending)"
            )
        }
    }

    @Test
    func `The commands 'invite' and 'key' read the environment and configuration file that 'serve' reads`() async throws
    {
        try await Folder.withNewFolder { folder in
            let node = Node(folder: folder.path + "/data", ["--relay-port", "0"])
            let running = try await node.waitUntilRunning()
            for name in ["alice", "bob"] {
                _ = try await node.callForObject(
                    "POST",
                    "/v1/users",
                    ["profile": ["displayName": .string(name), "fullName": ""]]
                )
            }
            let port = try #require(running.url.split(separator: ":").last)
            let file = try folder.writeFile(
                "gateway.json",
                #"{"data": "\#(folder.path)/data", "port": \#(port), "relay-port": 0, "journal-size": 5}"#
            )
            let made = try await Program.run(["invite"], environment: ["SXGW_CONFIG": file, "SXGW_USER": "1"])
            #expect(made.exitCode == 0, "\(made)")
            let chats = try await node.callForObject("GET", "/v1/users/1/chats")["chats"]?.arrayValue ?? []
            #expect(chats.contains { $0["chatInfo"]?["contactConnection"] != nil })
            let listed = try await Program.run(
                ["key", "list"],
                environment: ["SXGW_CONFIG": file, "SXGW_URL": running.url, "SXGW_KEY": "sxgw_wrong", "SXGW_USER": "1"]
            )
            #expect(listed.exitCode == 0 && listed.output.contains("admin"), "\(listed)")
            let wrong = try await Program.run(["invite"], environment: ["SXGW_CONFIG": file, "SXGW_KEY": "sxgw_wrong"])
            #expect(wrong.exitCode == 1 && wrong.errors.contains("refuses"), "\(wrong)")
            let misspelt = try folder.writeFile("misspelt.json", #"{"relay-prot": 5225}"#)
            let refused = try await Program.run(
                ["key", "list", "--data", folder.path + "/data"],
                environment: ["SXGW_CONFIG": misspelt]
            )
            #expect(refused.exitCode == 2 && refused.errors.contains("relay-port?"), "\(refused)")
            await node.stop()
        }
    }
}
