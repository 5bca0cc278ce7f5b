import Foundation
import JSON
import NIOPosix
import SMP
import SimpleXCrypto
import TestSupport
import Testing
import XFTP

@Suite(.socketTimeLimit) struct FileRelayTests {
    /// A file of the smallest size with its keys. The relay has given the ids when it created the file.
    private struct Upload: Sendable {
        let contents = RandomBytes.make(count: 65536)
        let sender: AuthorizationPrivateKey
        let recipient: AuthorizationPrivateKey
        var digest: [UInt8] { Digest.sha256(contents) }

        init() throws { (sender, recipient) = (.ed25519(try .init()), .ed25519(try .init())) }

        func uploadContents(_ session: XFTPSession, password: String? = nil) async throws -> [UInt8] {
            let info = ChunkInfo(senderKey: sender.publicKey, size: 65536, digest: digest)
            let ids = try await session.createChunk(
                info,
                recipients: [recipient.publicKey],
                password: password,
                key: sender
            )
            try await session.uploadChunk(contents, to: ids.senderID, key: sender)
            return ids.recipientIDs[0]
        }

        func isDownloadable(_ id: [UInt8], _ session: XFTPSession) async throws -> Bool {
            try await session.downloadChunk(id, size: 65536, digest: digest, key: recipient) == contents
        }
    }

    private func connectSession(_ address: String) async throws -> XFTPSession {
        try await XFTPSession.connect(
            to: ProtocolServer(parsing: address),
            group: MultiThreadedEventLoopGroup.singleton
        )
    }

    private func readFileServers(_ node: Node) async throws -> [String] {
        let lists = try await node.callForObject("GET", "/v1/users/1/servers")["userServers"]?.arrayValue ?? []
        return lists.flatMap { $0["xftpServers"]?.arrayValue ?? [] }.compactMap { $0["server"]?.stringValue }
    }

    @Test
    func `New profiles use the gateway's own file relay, which keeps its address and files after a restart`()
        async throws
    {
        try await Folder.withNewFolder { folder in
            let port = String(TestPort.takeUnused())
            let node = Node(folder: folder.path, ["--relay-port", "0", "--file-relay-port", port])
            _ = try await node.callForObject(
                "POST",
                "/v1/users",
                ["profile": ["displayName": "alice", "fullName": ""]]
            )
            let address = try await node.waitUntilRunning().program.waitForLine("File relay:")
            #expect(address.hasSuffix("@127.0.0.1:\(port)"))
            #expect(try await readFileServers(node) == [address])
            let upload = try Upload()
            let id = try await upload.uploadContents(connectSession(address))
            await node.restart()
            #expect(try await node.waitUntilRunning().program.waitForLine("File relay:") == address)
            #expect(try await readFileServers(node) == [address])
            #expect(try await upload.isDownloadable(id, connectSession(address)))
            await node.stop()
            let other = Node(folder: folder.path, ["--relay-port", "0", "--no-file-relay"])
            #expect(try await readFileServers(other) == [])
            await other.stop()
            let named = Node(folder: folder.path, ["--relay-port", "0", "--xftp-server", address])
            #expect(try await readFileServers(named) == [address])
            await named.stop()
        }
    }

    @Test
    func `An option for the other type of relay, or a server address of another protocol, is refused`() async throws {
        try await Folder.withNewFolder { folder in
            let address = "xftp://\(Base64URL.encode([UInt8](repeating: 1, count: 32)))@localhost"
            let nonsense = try folder.writeFile("nonsense.pem", "nonsense")
            for arguments in [
                ["relay", "--files", "--quota", "5"], ["relay", "--files", "--max-queues", "5"],
                ["relay", "--file-quota", "5"],
                ["relay", "--files", "--forward-allow", "10.0.0.0/8"], ["relay", "--forward-allow", "10.0.0.0/33"],
                ["relay", "--web-certificate", "x", "--web-key", "y"],
                ["relay", "--files", "--web-certificate", nonsense],
                ["relay", "--files", "--web-certificate", nonsense, "--web-key", nonsense],
                ["serve", "--file-relay-web-certificate", nonsense, "--file-relay-web-key", nonsense],
                ["relay", "--files", "--file-quota", "0"], ["serve", "--xftp-server", "smp" + address.dropFirst(4)],
                ["serve", "--xftp-server", address, "--servers", "network"], ["serve", "--file-hours", "x"],
            ] {
                let ending = try await Program.run(
                    [arguments[0], "--data", folder.path + "/other", "--port", "0"] + arguments.dropFirst()
                        + (arguments[0] == "serve" ? ["--relay-port", "0"] : [])
                )
                #expect(ending.exitCode == 2 || ending.exitCode == 64, "\(arguments): \(ending)")
            }
        }
    }

    @Test(arguments: [false, true])
    func `A file relay has a separate certificate for browsers, and reads its file again at SIGHUP`(
        isEmbedded: Bool
    ) async throws {
        try await Folder.withNewFolder { folder in
            let (certificate, key, port) = (
                folder.path + "/cert.pem", folder.path + "/key.pem", String(TestPort.takeUnused())
            )
            func make(_ name: String) async throws {
                let made = try await Program(
                    "/usr/bin/openssl",
                    [
                        "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days",
                        "2", "-subj", "/CN=\(name)", "-keyout", key, "-out", certificate,
                    ]
                ).waitForEnd()
                #expect(made.exitCode == 0, "\(made)")
            }
            func subject(_ options: [String]) async throws -> String? {
                let ending = try await Program(
                    "/usr/bin/openssl",
                    ["s_client", "-connect", "127.0.0.1:\(port)"] + options
                ).waitForEnd()
                return ending.output.split(separator: "\n").first { $0.hasPrefix("subject=") }.map(String.init)
            }
            let browser = ["-servername", "localhost", "-alpn", "h2"]
            try await make("one")
            let program = try Program(
                (isEmbedded
                    ? [
                        "serve", "--port", "0", "--relay-port", "0", "--file-relay-port", port,
                        "--file-relay-web-certificate", certificate, "--file-relay-web-key", key,
                    ]
                    : ["relay", "--files", "--port", port, "--web-certificate", certificate, "--web-key", key]) + [
                        "--data", folder.path + "/data",
                    ]
            )
            _ = try await program.waitForLine("File relay:")
            #expect(try await subject(browser)?.contains("one") == true)
            #expect(try await subject(["-noservername", "-alpn", "xftp/1"])?.contains("127.0.0.1") == true)
            try await make("two")
            program.signal(SIGHUP)
            try await program.waitForError(with: "the TLS certificate for browsers was read again")
            #expect(try await subject(browser)?.contains("two") == true)
            program.signal(SIGTERM)
            #expect(await program.waitForEnd().exitCode == 0)
        }
    }

    @Test
    func `A standalone file relay still has all files that it confirmed after repeated kills`() async throws {
        try await Folder.withNewFolder { folder in
            let port = String(TestPort.takeUnused())
            func start() throws -> Program {
                try Program([
                    "relay", "--files", "--data", folder.path + "/files", "--port", port, "--metrics-port", "0",
                    "--password-file", folder.writeFile("pw", "secret\n"),
                ])
            }
            var program = try start()
            let address = try await program.waitForLine("File relay:")
            #expect(!address.contains("secret"))
            let metrics = try await program.waitForLine("Metrics:")
            let text = try await PlainRequest.send("GET", metrics, headers: []).body
            #expect(String(decoding: text, as: UTF8.self).contains("\nxftp_relay_bytes_quota \(10240 << 20)\n"))
            var confirmed: [(id: [UInt8], upload: Upload)] = []
            let rounds = ProcessInfo.processInfo.environment["SXGW_KILLS"].flatMap(Int.init) ?? 8
            for round in 0..<rounds {
                let server = try ProtocolServer(parsing: address)
                let sent = await withTaskGroup(of: [(id: [UInt8], upload: Upload)].self) { group in
                    for _ in 0..<4 {
                        group.addTask {
                            var sent: [(id: [UInt8], upload: Upload)] = []
                            guard
                                let session = try? await XFTPSession.connect(
                                    to: server,
                                    group: MultiThreadedEventLoopGroup.singleton
                                )
                            else { return sent }
                            while let upload = try? Upload(),
                                let id = try? await upload.uploadContents(session, password: "secret")
                            { sent.append((id, upload)) }
                            return sent
                        }
                    }
                    // The kill happens after a number of files, which differs in each round.
                    try? await waitUntil("the relay has some files") {
                        let names = try? FileManager.default.contentsOfDirectory(atPath: folder.path + "/files/files")
                        return (names?.count ?? 0) > confirmed.count + round
                    }
                    program.signal(SIGKILL)
                    var all: [(id: [UInt8], upload: Upload)] = []
                    for await part in group { all += part }
                    return all
                }
                confirmed += sent
                _ = await program.waitForEnd()
                program = try start()
                #expect(try await program.waitForLine("File relay:") == address)
                let session = try await connectSession(address)
                for (id, upload) in confirmed { #expect(try await upload.isDownloadable(id, session)) }
                await session.close()
                let strays = try FileManager.default.contentsOfDirectory(atPath: folder.path + "/files/incoming")
                #expect(strays.isEmpty)
            }
            #expect(!confirmed.isEmpty)
            program.signal(SIGTERM)
            #expect(await program.waitForEnd().exitCode == 0)
        }
    }
}
