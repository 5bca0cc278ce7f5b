import Foundation
import JSON
import ServerSupport
import TestSupport
import Testing

/// Tests of files of stores in a bucket of an S3 server that checks signatures.
@Suite(
    "A gateway with object storage",
    .socketTimeLimit,
    .enabled(if: S3Server.isInstalled, "moto is not installed: sh deploy/object-storage")
) struct ObjectStorageTests {
    struct World {
        let folder: Folder
        let server: S3Server

        var options: [String] { ["--files-s3", folder.path + "/bucket", "--files-s3-after", "1"] }

        func makeNode(_ more: [String] = []) -> Node {
            Node(folder: folder.path + "/data", ["--relay-port", "0"] + options + more)
        }

        static func run(_ body: (World) async throws -> Void) async throws {
            let server = try S3Server()
            defer { server.endProcess() }
            try await Folder.withNewFolder { folder in
                let world = World(folder: folder, server: server)
                _ = try folder.writeFile("bucket", server.url(prefix: "gateway") + "\n")
                try await body(world)
            }
        }

        /// Returns the files of messages on disk.
        func listFiles(_ store: String = "") -> [String] {
            ((try? FileManager.default.contentsOfDirectory(atPath: folder.path + "/data\(store)/files")) ?? []).filter {
                !$0.hasPrefix(".")
            }.sorted()
        }
    }

    /// Sends a request, whose optional body is bytes.
    private func sendRequest(
        _ node: Node,
        _ method: String,
        _ target: String,
        _ bytes: [UInt8]? = nil,
        range: String? = nil,
        as key: String? = nil
    ) async throws -> PlainRequest.Reply {
        let running = try await node.waitUntilRunning()
        var headers = [("Authorization", "Bearer \(key ?? running.key)")]
        if let range { headers.append(("Range", range)) }
        if bytes != nil { headers.append(("Content-Type", "application/octet-stream")) }
        return try await PlainRequest.send(method, running.url + target, headers: headers, body: bytes)
    }

    /// Makes a note of the first user with a file.
    /// - Returns: the request target of the file's contents.
    private func makeNote(
        _ node: Node,
        _ name: String,
        _ bytes: [UInt8],
        as key: String? = nil
    ) async throws -> (content: String, item: Int64) {
        let uploaded = try await sendRequest(node, "POST", "/v1/users/1/files?name=\(name)", bytes, as: key)
        let source = try #require(try JSONValue(parsing: uploaded.body)["fileSource"], "\(uploaded)")
        let message: JSONValue = [
            "composedMessages": [["fileSource": source, "msgContent": ["type": "file", "text": ""], "mentions": [:]]]
        ]
        let noted = try await node.call("POST", "/v1/users/1/chats/local/1/messages", message, as: key).json
        let item = noted["chatItems"]?[0]?["chatItem"]
        return (
            "/v1/users/1/files/\(try #require(item?["file"]?["fileId"]?.integerValue, "\(noted)"))/content",
            try #require(item?["meta"]?["itemId"]?.integerValue)
        )
    }

    private func makeUser(_ node: Node, as key: String? = nil) async throws {
        #expect(
            try await node.callWhenOpen(
                "POST",
                "/v1/users",
                ["profile": ["displayName": "alice", "fullName": ""]],
                as: key
            )
            .status == 201
        )
    }

    private func readMetric(_ node: Node, _ name: String, _ key: String? = nil) async throws -> Int? {
        let text = String(decoding: try await node.callWhenOpen("GET", "/metrics", as: key).body, as: UTF8.self)
        return text.split(separator: "\n").first { $0.hasPrefix(name + " ") }.flatMap {
            Int($0.dropFirst(name.count + 1))
        }
    }

    private func makeBytes(_ count: Int, _ seed: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: ($0 &* 31 &+ seed &* 7) ^ ($0 >> 8)) }
    }

    @Test
    func `A file in the bucket is sent completely or in parts, and with 503 while the bucket is unreachable`()
        async throws
    {
        try await World.run { world in
            let node = world.makeNode()
            try await makeUser(node)
            let content = makeBytes(1_500_000, 1)
            let (target, item) = try await makeNote(node, "a.txt", content)
            try await waitUntil("the file is only in the bucket") {
                try world.server.listKeys().count == 1 && world.listFiles().isEmpty
            }
            #expect(try world.server.listKeys().allSatisfy { $0.hasPrefix("gateway/") && !$0.contains("a.txt") })
            let part = try await sendRequest(node, "GET", target, range: "bytes=1000000-1000099")
            #expect(part.status == 206 && part.body == Array(content[1_000_000..<1_000_100]))
            #expect(try await sendRequest(node, "GET", target).body == content)
            #expect(try await readMetric(node, "sxgw_object_kept") == 1)
            try await waitUntil("the file leaves the disk again") { world.listFiles().isEmpty }
            try world.server.closePort()
            for _ in 0..<3 {
                let away = try await sendRequest(node, "GET", target)
                #expect(
                    away.status == 503 && Int(away.headers["retry-after"] ?? "") ?? 0 > 0
                        && String(decoding: away.body, as: UTF8.self).contains("object storage"),
                    "\(away)"
                )
            }
            #expect(try await readMetric(node, "sxgw_object_storage_up") == 0)
            try await node.waitUntilRunning().program.waitForError(with: "The object storage cannot be used")
            try world.server.openPort()
            try await waitUntil("the file can be read again") {
                try await sendRequest(node, "GET", target).body == content
            }
            #expect(try await readMetric(node, "sxgw_object_storage_up") == 1)
            try await waitUntil("the file leaves the disk once more") { world.listFiles().isEmpty }
            try world.server.alterObject(try #require(try world.server.listKeys().first))
            #expect(try await sendRequest(node, "GET", target).status == 500)
            let deleted = try await node.call(
                "DELETE",
                "/v1/users/1/chats/local/1/messages?itemIds=\(item)&mode=internal"
            )
            #expect(deleted.status == 200, "\(deleted)")
            try await waitUntil("the object of the file is deleted") { try world.server.listKeys().isEmpty }
            await node.stop(SIGTERM)
        }
    }

    @Test
    func `A repeatedly killed gateway loses no file, and leaves no object in the bucket that belongs to no file`()
        async throws
    {
        try await World.run { world in
            let node = world.makeNode()
            try await makeUser(node)
            var notes: [(content: String, bytes: [UInt8])] = []
            for round in 0..<6 {
                // Some files may move to the bucket before the test has made all files of the round.
                let before = try world.server.readRequestCount("PUT")
                for index in 0..<4 {
                    let content = makeBytes(400_000 + index, round * 10 + index)
                    notes.append((try await makeNote(node, "\(round)-\(index).bin", content).content, content))
                }
                try await waitUntil("some files are being moved") {
                    try world.server.readRequestCount("PUT") > before + round % 4
                }
                await node.restart(SIGKILL)
                #expect(try await node.callWhenOpen("GET", "/v1/users").status == 200)
            }
            try await waitUntil("all files are moved") { world.listFiles().isEmpty }
            for note in notes { #expect(try await sendRequest(node, "GET", note.content).body == note.bytes) }
            let (kept, deleting) = (
                try await readMetric(node, "sxgw_object_kept") ?? 0,
                try await readMetric(node, "sxgw_object_deleting") ?? 0
            )
            // An interrupted upload cannot complete any more and is deleted, so the bucket has no other objects.
            let keys = try world.server.listKeys().count
            #expect(kept == notes.count && (kept...kept + deleting).contains(keys), "\(kept) \(deleting) \(keys)")
            await node.stop(SIGTERM)
        }
    }

    @Test
    func `If the bucket refuses the credentials, files stay on the local disk and can be read`() async throws {
        try await World.run { world in
            _ = try world.folder.writeFile("bucket", world.server.url(secret: "wrong-word") + "\n")
            let node = world.makeNode()
            try await makeUser(node)
            let content = makeBytes(100_000, 1)
            let target = try await makeNote(node, "a.txt", content).content
            let said = try await node.waitUntilRunning().program.waitForError(with: "The object storage refuses")
            #expect(said.contains("SignatureDoesNotMatch") && !said.contains("wrong-word"))
            #expect(try await sendRequest(node, "GET", target).body == content && world.listFiles() == ["a.txt"])
            #expect(try world.server.listKeys().isEmpty)
            await node.stop(SIGTERM)
        }
    }

    @Test
    func `The bucket's objects of a deleted store are removed, even if the bucket is unreachable at first`()
        async throws
    {
        try await World.run { world in
            let node = world.makeNode()
            _ = try await node.waitUntilRunning()
            var stores: [(id: String, key: String)] = []
            for _ in 0..<2 {
                let made = try await node.callForObject(
                    "POST",
                    "/v1/stores",
                    ["name": "store", "passphrase": "correct horse"]
                )
                let (id, key) = (
                    try #require(made["store"]?["storeId"]?.stringValue), try #require(made["key"]?.stringValue)
                )
                try await makeUser(node, as: key)
                _ = try await makeNote(node, "a.txt", makeBytes(1_000, 1), as: key)
                stores.append((id, key))
            }
            try await waitUntil("both stores have an object") { try world.server.listKeys().count == 2 }
            #expect(
                try world.server.listKeys()
                    == world.server.listKeys().filter { key in stores.contains { key.hasPrefix("gateway/\($0.id)/") } }
            )
            #expect(try await node.call("DELETE", "/v1/stores/\(stores[0].id)").status == 204)
            try await waitUntil("one object is deleted") { try world.server.listKeys().count == 1 }
            #expect(try await node.call("POST", "/v1/stores/\(stores[1].id)/lock").status == 200)
            try world.server.closePort()
            #expect(try await node.call("DELETE", "/v1/stores/\(stores[1].id)").status == 204)
            await node.restart(SIGKILL)
            _ = try await node.waitUntilRunning()
            try world.server.openPort()
            try await waitUntil("both objects are deleted") { try world.server.listKeys().isEmpty }
            await node.stop(SIGTERM)
        }
    }

    @Test(.enabled(if: PostgresServer.isInstalled, "PostgreSQL is not installed"))
    func `The bucket's files of a store that moves to another node can be read at the new node`() async throws {
        try await World.run { world in
            try await NodesTests.World.run { nodes in
                let both = [
                    nodes.makeNode("one", lease: 8, world.options), nodes.makeNode("two", lease: 8, world.options),
                ]
                let made = try await both[0].callForObject("POST", "/v1/stores", ["name": "store"])
                let (id, key) = (
                    try #require(made["store"]?["storeId"]?.stringValue), try #require(made["key"]?.stringValue)
                )
                try await makeUser(both[0], as: key)
                let content = makeBytes(200_000, 3)
                let target = try await makeNote(both[0], "a.txt", content, as: key).content
                let files = "\(nodes.folder.path)/stores/\(id)/files"
                try await waitUntil("the file is only in the bucket") {
                    try world.server.listKeys().count == 1
                        && FileManager.default.contentsOfDirectory(atPath: files).isEmpty
                }
                #expect(try await both[0].call("POST", "/v1/stores/\(id)/move", ["node": "two"]).status == 200)
                #expect(try await both[1].callWhenOpen("GET", "/v1/users", as: key).status == 200)
                #expect(try await sendRequest(both[1], "GET", target, as: key).body == content)
                for node in both { await node.stop(SIGTERM) }
            }
        }
    }

    @Test
    func `Wrong bucket options end the program with exit code 2, and 'check' reports an unusable bucket`() async throws
    {
        try await World.run { world in
            let wrong = try world.folder.writeFile("wrong", "https://key:secret-word@example.org/bucket\n")
            let remote = try world.folder.writeFile("remote", "s3+http://key:secret-word@10.1.2.3/bucket\n")
            for (arguments, word) in [
                (["--files-s3", wrong], "no URL of a bucket"), (["--files-s3", remote], "without TLS"),
                (["--files-s3-after", "10"], "--files-s3"), (["--files-s3", "/nonexistent"], "/nonexistent"),
                (["--files-s3", world.folder.path + "/bucket", "--files-s3-allow", "10.0.0.1/8"], "10.0.0.1/8"),
                (["--files-s3", world.folder.path + "/bucket", "--files-s3-ca-file", "/nonexistent"], "/nonexistent"),
            ] {
                let ending = try await Program.run(
                    ["serve", "--data", world.folder.path + "/x", "--port", "0", "--relay-port", "0"] + arguments
                )
                #expect(
                    ending.exitCode == 2 && ending.errors.contains(word) && !ending.errors.contains("secret-word"),
                    "\(arguments) \(ending)"
                )
            }
            func check(_ file: String) async throws -> Program.ProgramEnding {
                try await Program.run([
                    "check", "--data", world.folder.path + "/x", "--port", "0", "--relay-port", "0", "--files-s3", file,
                ])
            }
            let sound = try await check(world.folder.path + "/bucket")
            #expect(
                sound.exitCode == 0
                    && sound.output.contains(
                        "ok:    the bucket of files s3+http://127.0.0.1:\(world.server.port)/files/gateway"
                    ),
                "\(sound)"
            )
            let refused = try await check(try world.folder.writeFile("refused", world.server.url(secret: "wrong-word")))
            #expect(
                refused.exitCode == 1 && refused.output.contains("SignatureDoesNotMatch")
                    && !refused.output.contains("wrong-word"),
                "\(refused)"
            )
            let away = try await check(
                try world.folder.writeFile("away", "s3+http://key:secret-word@127.0.0.1:1/bucket")
            )
            #expect(
                away.exitCode == 1 && away.output.contains("cannot be connected to")
                    && !away.output.contains("secret-word"),
                "\(away)"
            )
            #expect(try await check(wrong).exitCode == 2)
        }
    }
}
