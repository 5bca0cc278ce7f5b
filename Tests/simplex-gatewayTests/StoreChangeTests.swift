import Foundation
import JSON
import TestSupport
import Testing
import ZIP

@Suite(.socketTimeLimit) struct StoreChangeTests {
    private let sharedRandom = SharedRandom(of: "StoreChangeTests")

    private func readKeyFile(_ folder: Folder) throws -> String {
        try String(contentsOfFile: folder.path + "/database.key", encoding: .utf8).trimmingCharacters(
            in: .whitespacesAndNewlines
        )
    }

    private func readUserNames(_ node: Node) async throws -> [String] {
        try await node.callForObject("GET", "/v1/users")["users"]?.arrayValue?.compactMap {
            $0["user"]?["localDisplayName"]?.stringValue
        } ?? []
    }

    @Test
    func `After a database key change, a deletion and an import of the databases, the gateway runs and restarts`()
        async throws
    {
        try await Folder.withNewFolder { folder in
            let node = Node(folder: folder.path, ["--relay-port", "0"])
            _ = try await node.callForObject(
                "POST",
                "/v1/users",
                ["profile": ["displayName": "alice", "fullName": ""]]
            )
            let cursor =
                try await node.callForObject("GET", "/v1/events?cursor=now&timeout=0")["cursor"]?.stringValue ?? ""
            _ = try await node.callForObject("POST", "/v1/core/stop")
            let old = try readKeyFile(folder)
            _ = try await node.callForObject(
                "PUT",
                "/v1/database/encryption",
                ["currentKey": .string(old), "newKey": "a passphrase"]
            )
            #expect(try readKeyFile(folder) == "a passphrase")
            #expect(try await readUserNames(node) == ["alice"])
            // The store still has the same journal, and its cursors stay valid.
            #expect(try await node.call("GET", "/v1/events?cursor=\(cursor)&timeout=0").status == 200)
            #expect(try await node.callForObject("POST", "/v1/core/start")["type"] == "chatStarted")
            await node.restart()
            #expect(try await readUserNames(node) == ["alice"])
            _ = try await node.callForObject("POST", "/v1/core/stop")
            let archive: JSONValue = ["archivePath": .string(folder.path + "/a.zip")]
            _ = try await node.callForObject("POST", "/v1/database/export", archive)
            _ = try await node.callForObject("DELETE", "/v1/database")
            #expect(try await readUserNames(node).isEmpty)
            #expect(try await node.call("GET", "/v1/events?cursor=\(cursor)&timeout=0").status == 410)
            _ = try await node.callForObject("POST", "/v1/database/import", archive)
            #expect(try await readUserNames(node) == ["alice"])
            _ = try await node.callForObject(
                "PUT",
                "/v1/database/encryption",
                ["currentKey": "a passphrase", "newKey": ""]
            )
            _ = try await node.callForObject(
                "PUT",
                "/v1/database/encryption",
                ["currentKey": "", "newKey": .string(old)]
            )
            #expect(try readKeyFile(folder) == old)
            #expect(try await node.callForObject("POST", "/v1/core/start")["type"] == "chatStarted")
            await node.restart()
            #expect(try await readUserNames(node) == ["alice"])
            await node.stop()
        }
    }

    @Test
    func `A kill at any moment of a database key change leaves a store that opens with the key in the key file`()
        async throws
    {
        try await Folder.withNewFolder { folder in
            let node = Node(folder: folder.path, ["--relay-port", "0"])
            _ = try await node.callForObject(
                "POST",
                "/v1/users",
                ["profile": ["displayName": "alice", "fullName": ""]]
            )
            var key = try readKeyFile(folder)
            for round in 0..<10 {
                _ = try await node.callForObject("POST", "/v1/core/stop")
                let new = String(repeating: "\(round)a", count: 32)
                let change: JSONValue = ["currentKey": .string(key), "newKey": .string(new)]
                async let answer = node.call("PUT", "/v1/database/encryption", change)
                try await sharedRandom.sleepRandomly(in: 0..<120_000)
                await node.restart()
                _ = try await answer
                #expect(try await readUserNames(node) == ["alice"])
                let kept = try readKeyFile(folder)
                #expect(kept == key || kept == new)
                let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
                #expect(!names.contains("database.key.new") && !names.contains("simplex_v1_replacement"), "\(names)")
                key = kept
            }
            await node.stop()
        }
    }

    @Test
    func `A kill at any moment of a store's import or export leaves either the old or the imported store`() async throws
    {
        try await Folder.withNewFolder { folder in
            let node = Node(folder: folder.path, ["--relay-port", "0"])
            func add(_ name: String) async throws {
                _ = try await node.callForObject(
                    "POST",
                    "/v1/users",
                    ["profile": ["displayName": .string(name), "fullName": ""]]
                )
            }
            try await add("alice")
            _ = try await node.callForObject("POST", "/v1/core/stop")
            let archive: JSONValue = ["archivePath": .string(folder.path + "/a.zip")]
            _ = try await node.callForObject("POST", "/v1/database/export", archive)
            _ = try await node.callForObject("POST", "/v1/core/start")
            for round in 0..<12 {
                if try await readUserNames(node) == ["alice"] { try await add("bob") }
                _ = try await node.callForObject("POST", "/v1/core/stop")
                let (route, body): (String, JSONValue) =
                    round % 3 == 2
                    ? ("export", ["archivePath": .string(folder.path + "/\(round).zip")]) : ("import", archive)
                async let answer = node.call("POST", "/v1/database/\(route)", body)
                try await sharedRandom.sleepRandomly(in: 0..<120_000)
                await node.restart()
                _ = try await answer
                let now = try await readUserNames(node)
                #expect(now == ["alice", "bob"] || (now == ["alice"] && route == "import"), "\(round): \(now)")
                #expect(!FileManager.default.fileExists(atPath: folder.path + "/simplex_v1_replacement"))
            }
            await node.stop()
        }
    }

    @Test
    func `A kill at any moment of the import of an app's profile leaves either the old or the imported store`()
        async throws
    {
        try await Folder.withNewFolder { folder in
            let archive = folder.path + "/app.zip"
            var sources: [ZIPWriter.SourceFile] = []
            for name in ["chat", "agent"] {
                let path = folder.path + "/" + name
                try Data(Fixture.readContents("apps/\(name)-7.0.db.zst")).write(to: URL(filePath: path))
                sources.append(ZIPWriter.SourceFile(path: path, name: "simplex_v1_\(name).db"))
            }
            try ZIPWriter.writeDirectly(sources, to: archive, compressed: true)
            let data = folder.path + "/data"
            let node = Node(folder: data, ["--relay-port", "0"])
            for round in 0..<8 {
                if try await readUserNames(node) != ["before"] {
                    _ = try await node.callForObject("POST", "/v1/core/stop")
                    _ = try await node.callForObject("DELETE", "/v1/database")
                    _ = try await node.callForObject("POST", "/v1/core/start")
                    _ = try await node.callForObject(
                        "POST",
                        "/v1/users",
                        ["profile": ["displayName": "before", "fullName": ""]]
                    )
                }
                _ = try await node.callForObject("POST", "/v1/core/stop")
                async let answer = node.call("POST", "/v1/database/import", ["archivePath": .string(archive)])
                try await sharedRandom.sleepRandomly(in: 0..<400_000)
                await node.restart()
                _ = try await answer
                let names = try await readUserNames(node)
                #expect(names == ["before"] || names == ["alice"], "\(round): \(names)")
                #expect(!FileManager.default.fileExists(atPath: data + "/simplex_v1_replacement"))
                guard names == ["alice"] else { continue }
                let contacts = try await node.callForObject("GET", "/v1/users/1/contacts")["contacts"]?.arrayValue ?? []
                #expect(Set(contacts.compactMap { $0["localDisplayName"]?.stringValue }) == ["bob", "carol"])
            }
            await node.stop()
        }
    }

    @Test
    func `After a kill during an export, the next start removes its temporary files, and keeps all other files`()
        async throws
    {
        try await Folder.withNewFolder { folder in
            let node = Node(folder: folder.path + "/data", ["--relay-port", "0"])
            _ = try await node.callForObject(
                "POST",
                "/v1/users",
                ["profile": ["displayName": "alice", "fullName": ""]]
            )
            var random = SeededRandom()
            for number in 0..<30 {
                let text = random.randomText(12_000)
                let notes: [JSONValue] = (0..<20).map {
                    ["msgContent": ["type": "text", "text": .string("\(number) \($0) \(text)")], "mentions": [:]]
                }
                _ = try await node.callForObject(
                    "POST",
                    "/v1/users/1/chats/local/1/messages",
                    ["composedMessages": .array(notes)]
                )
            }
            let target = folder.path + "/archives"
            try FileManager.default.createDirectory(
                atPath: target + "/.simplex-export-mine",
                withIntermediateDirectories: true
            )
            func names() throws -> [String] {
                try FileManager.default.contentsOfDirectory(atPath: target).filter { $0 != ".simplex-export-mine" }
            }
            var killedInTime = 0
            for round in 0..<6 {
                _ = try await node.callForObject("POST", "/v1/core/stop")
                async let answer = node.call(
                    "POST",
                    "/v1/database/export",
                    ["archivePath": .string("\(target)/\(round).zip")]
                )
                // The kill comes after a temporary file exists beside the path of the archive.
                try await waitUntil("the archive is begun", every: .microseconds(200)) {
                    try names().contains { $0.hasPrefix(".simplex-export-") || $0 == "\(round).zip" }
                }
                try await sharedRandom.sleepRandomly(in: 0..<20_000)
                try await node.waitUntilRunning().program.signal(SIGKILL)
                let left = try names()
                if !left.contains("\(round).zip") { killedInTime += 1 }
                await node.restart()
                _ = try await node.waitUntilRunning()
                // The repeated request writes the archive (200). If the archive exists already, it is refused (422).
                let status = try await answer.status
                #expect(status == 200 || status == 422, "\(status)")
                #expect(try names().allSatisfy { $0.hasSuffix(".zip") })
            }
            #expect(killedInTime > 0)
            #expect(FileManager.default.fileExists(atPath: target + "/.simplex-export-mine"))
            #expect(
                try FileManager.default.contentsOfDirectory(atPath: folder.path + "/data").allSatisfy {
                    !$0.contains("replacement")
                }
            )
            await node.stop()
        }
    }

    @Test
    func `After a kill at any moment of the first start, the next start creates an intact first store`() async throws {
        for _ in 0..<10 {
            try await Folder.withNewFolder { folder in
                let program = try Program(["serve", "--data", folder.path, "--port", "0", "--relay-port", "0"])
                try await sharedRandom.sleepRandomly(in: 20_000..<400_000)
                program.signal(SIGKILL)
                _ = await program.waitForEnd()
                let node = Node(folder: folder.path, ["--relay-port", "0"])
                _ = try await node.callForObject(
                    "POST",
                    "/v1/users",
                    ["profile": ["displayName": "alice", "fullName": ""]]
                )
                #expect(try await readUserNames(node) == ["alice"])
                await node.stop()
            }
        }
    }

    @Test
    func `At the process's file size limit, a key change, export or import of a database is refused`() async throws {
        try await Folder.withNewFolder { folder in
            var node = Node(folder: folder.path, ["--relay-port", "0"])
            _ = try await node.callForObject(
                "POST",
                "/v1/users",
                ["profile": ["displayName": "alice", "fullName": ""]]
            )
            var random = SeededRandom()
            for number in 0..<20 {
                // The texts are random letters, because other texts could be compressed.
                let text = random.randomText(2_000)
                let notes: [JSONValue] = (0..<20).map {
                    ["msgContent": ["type": "text", "text": .string("\(number) \($0) \(text)")], "mentions": [:]]
                }
                _ = try await node.callForObject(
                    "POST",
                    "/v1/users/1/chats/local/1/messages",
                    ["composedMessages": .array(notes)]
                )
            }
            _ = try await node.callForObject("POST", "/v1/core/stop")
            let archive: JSONValue = ["archivePath": .string(folder.path + "/a.zip")]
            _ = try await node.callForObject("POST", "/v1/database/export", archive)
            await node.stop(SIGTERM)
            let key = try readKeyFile(folder)
            let change: JSONValue = ["currentKey": .string(key), "newKey": "another"]
            for limit in [96, 400, 700] {
                node = Node(folder: folder.path, ["--relay-port", "0"], fileLimit: limit)
                _ = try await node.callForObject("POST", "/v1/core/stop")
                for (method, route, body) in [
                    ("PUT", "encryption", change), ("POST", "export", ["archivePath": .string(folder.path + "/b.zip")]),
                    ("POST", "import", archive),
                ] {
                    let answer = try await node.call(method, "/v1/database/\(route)", body)
                    #expect(
                        answer.status >= 400 && answer.contentType.hasPrefix("application/problem+json"),
                        "\(limit) \(route): \(answer)"
                    )
                    #expect(try await readUserNames(node) == ["alice"], "\(limit) \(route)")
                }
                let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
                #expect(
                    !names.contains {
                        $0.hasPrefix("b.zip") || $0 == "simplex_v1_replacement" || $0 == "database.key.new"
                    },
                    "\(names)"
                )
                await node.stop(SIGTERM)
                #expect(try readKeyFile(folder) == key)
            }
            // The disk has free space again, so every change is possible.
            node = Node(folder: folder.path, ["--relay-port", "0"])
            #expect(
                try await node.callForObject("GET", "/v1/users/1/chats/local/1?limit=1000")["chat"]?["chatItems"]?
                    .arrayValue?
                    .count == 400
            )
            _ = try await node.callForObject("POST", "/v1/core/stop")
            _ = try await node.callForObject("PUT", "/v1/database/encryption", change)
            #expect(try await readUserNames(node) == ["alice"])
            await node.stop()
        }
    }
}
