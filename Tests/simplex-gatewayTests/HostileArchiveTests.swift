import Foundation
import JSON
import SimpleXCrypto
import TestSupport
import Testing
import ZIP

@testable import SQLCipher

/// Tests of hostile databases in a gateway process. The tests measure and kill the process.
@Suite(.socketTimeLimit, .faultTests) struct HostileArchiveTests {
    private let sharedRandom = SharedRandom(of: "HostileArchiveTests")

    private func readUserNames(_ node: Node, _ key: String) async throws -> [String] {
        try await node.callWhenOpen("GET", "/v1/users", as: key).json["users"]?.arrayValue?.compactMap {
            $0["user"]?["localDisplayName"]?.stringValue
        } ?? []
    }

    @Test
    func `A kill at any moment of restoring a backup leaves the complete store or no store`() async throws {
        try await Folder.withNewFolder { folder in
            let (data, copy) = (folder.path + "/data", folder.path + "/bob")
            let node = Node(folder: data, ["--relay-port", "0"])
            let made = try await node.callForObject("POST", "/v1/stores", ["name": "bob"])
            let (id, key) = (
                try #require(made["store"]?["storeId"]?.stringValue), try #require(made["key"]?.stringValue)
            )
            #expect(
                try await node.callWhenOpen(
                    "POST",
                    "/v1/users",
                    ["profile": ["displayName": "bob", "fullName": ""]],
                    as: key
                ).status < 300
            )
            _ = try await node.callForObject("POST", "/v1/backup", ["folder": .string(copy), "store": .string(id)])
            _ = try await node.call("DELETE", "/v1/stores/\(id)")
            for round in 0..<8 {
                async let answer = node.call("POST", "/v1/restore", ["backup": .string(copy)])
                try await sharedRandom.sleepRandomly(in: 0..<600_000)
                await node.restart()
                // The repeated request gets 409 if the first request has created the store, otherwise 201.
                #expect([201, 409].contains(try await answer.status), "\(round)")
                #expect(try await readUserNames(node, key) == ["bob"], "\(round)")
                let names = try FileManager.default.contentsOfDirectory(atPath: "\(data)/stores/\(id)")
                #expect(!names.contains { $0.hasSuffix(".copied") || $0.hasSuffix("_replacement") }, "\(names)")
                #expect(
                    try FileManager.default.contentsOfDirectory(atPath: data + "/stores").filter {
                        $0.hasPrefix(".making")
                    } == []
                )
                #expect(try await node.call("DELETE", "/v1/stores/\(id)").status == 204)
            }
            await node.stop()
        }
    }

    /// Reads a value of the process's memory, in KiB.
    private func readMemoryKiB(_ process: Int32, _ name: String) throws -> Int {
        let status = try String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)
        let line = try #require(status.split(separator: "\n").first { $0.hasPrefix(name + ":") })
        return try #require(line.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Int($0) })
    }

    @Test
    func `The import of a large archive into a store needs less than 64 MB of additional memory`() async throws {
        try await Folder.withNewFolder { folder in
            var sources: [ZIPWriter.SourceFile] = []
            for name in ["chat", "agent"] {
                let path = folder.path + "/" + name
                try Data(Fixture.readContents("apps/\(name)-7.0.db.zst")).write(to: URL(filePath: path))
                sources.append(ZIPWriter.SourceFile(path: path, name: "simplex_v1_\(name).db"))
            }
            func open(_ access: DatabaseConnection.Access) throws -> DatabaseConnection {
                try DatabaseConnection(
                    path: folder.path + "/chat",
                    key: FileKey(material: KeyMaterial(.none)),
                    access: access,
                    synchronous: .normal,
                    cacheKiB: 1024
                )
            }
            let schema = try open(.rewriting)
            try schema.execute("DELETE FROM sqlite_master WHERE type = 'trigger'")
            // The tables lose the word STRICT, because tables can be written only if this version of SQLite supports
            // all words of the schema.
            for row in try schema.query("SELECT rowid AS id, sql FROM sqlite_master WHERE type = 'table'") {
                guard let plain = try row.stringOrNil("sql").flatMap(StrictTables.removeStrictKeyword) else { continue }
                try schema.execute("UPDATE sqlite_master SET sql = ? WHERE rowid = ?", plain, try row.int64("id"))
            }
            try open(.copying).execute(
                """
                WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 6000)
                INSERT INTO display_names (user_id, local_display_name, ldn_base, created_at, updated_at)
                  SELECT 1, i || hex(zeroblob(10000)), 'a' || i, '2026-01-01 00:00:00', '2026-01-01 00:00:00' FROM n
                """
            )
            try ZIPWriter.writeDirectly(sources, to: folder.path + "/a.zip", compressed: false)
            let node = Node(folder: folder.path + "/data", ["--relay-port", "0"])
            let process = try await node.waitUntilRunning().program.processID
            _ = try await node.callForObject("POST", "/v1/core/stop")
            let before = try readMemoryKiB(process, "VmRSS")
            let answer = try await node.call(
                "POST",
                "/v1/database/import",
                ["archivePath": .string(folder.path + "/a.zip")]
            )
            let more = try readMemoryKiB(process, "VmHWM") - before
            #expect(answer.status == 200 || answer.status == 422, "\(answer)")
            #expect(more < 64 << 10, "\(more) KiB")
            await node.stop()
        }
    }
}
