import Foundation
import JSON
import Testing

@Suite struct StoreChangeTests {
    private func keyFile(_ folder: Folder) throws -> String {
        try String(contentsOfFile: folder.path + "/database.key", encoding: .utf8).trimmingCharacters(in: .whitespacesAndNewlines)
    }

    private func users(_ node: Node) async throws -> [String] {
        try await node.object("GET", "/v1/users")["users"]?.arrayValue?.compactMap { $0["user"]?["localDisplayName"]?.stringValue } ?? []
    }

    @Test("the program goes on after the key was changed, an archive imported, the store deleted, and starts again with the new key")
    func goesOn() async throws {
        try await Folder.with { folder in
            let node = Node(folder: folder.path, ["--relay-port", "0"])
            _ = try await node.object("POST", "/v1/users", ["profile": ["displayName": "alice", "fullName": ""]])
            let cursor = try await node.object("GET", "/v1/events?cursor=now&wait=0")["cursor"]?.stringValue ?? ""
            _ = try await node.object("POST", "/v1/core/stop")
            let old = try keyFile(folder)
            _ = try await node.object("PUT", "/v1/database/encryption", ["currentKey": .string(old), "newKey": "a passphrase"])
            #expect(try keyFile(folder) == "a passphrase")
            #expect(try await users(node) == ["alice"])
            // The journal is the same, and so are places in it.
            #expect(try await node.call("GET", "/v1/events?cursor=\(cursor)&wait=0").status == 200)
            #expect(try await node.object("POST", "/v1/core/start")["type"] == "chatStarted")
            await node.restart()
            #expect(try await users(node) == ["alice"])
            _ = try await node.object("POST", "/v1/core/stop")
            let archive: JSONValue = ["archivePath": .string(folder.path + "/a.zip")]
            _ = try await node.object("POST", "/v1/database/export", archive)
            _ = try await node.object("DELETE", "/v1/database")
            #expect(try await users(node).isEmpty)
            #expect(try await node.call("GET", "/v1/events?cursor=\(cursor)&wait=0").status == 410)
            _ = try await node.object("POST", "/v1/database/import", archive)
            #expect(try await users(node) == ["alice"])
            _ = try await node.object("PUT", "/v1/database/encryption", ["currentKey": "a passphrase", "newKey": ""])
            _ = try await node.object("PUT", "/v1/database/encryption", ["currentKey": "", "newKey": .string(old)])
            #expect(try keyFile(folder) == old)
            #expect(try await node.object("POST", "/v1/core/start")["type"] == "chatStarted")
            await node.restart()
            #expect(try await users(node) == ["alice"])
            await node.stop()
        }
    }

    @Test("killed at any moment of a change of the key, the store opens with the key in the file, whole", .timeLimit(.minutes(3)))
    func killed() async throws {
        try await Folder.with { folder in
            let node = Node(folder: folder.path, ["--relay-port", "0"])
            _ = try await node.object("POST", "/v1/users", ["profile": ["displayName": "alice", "fullName": ""]])
            var key = try keyFile(folder)
            for round in 0..<10 {
                _ = try await node.object("POST", "/v1/core/stop")
                let new = String(repeating: "\(round)a", count: 32)
                let change: JSONValue = ["currentKey": .string(key), "newKey": .string(new)]
                async let answer = node.call("PUT", "/v1/database/encryption", change)
                try await Task.sleep(for: .microseconds(Int64.random(in: 0..<120_000)))
                await node.restart()
                _ = try await answer
                #expect(try await users(node) == ["alice"])
                let kept = try keyFile(folder)
                #expect(kept == key || kept == new)
                let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
                #expect(!names.contains("database.key.new") && !names.contains("simplex_v1_replacement"), "\(names)")
                key = kept
            }
            await node.stop()
        }
    }
}
