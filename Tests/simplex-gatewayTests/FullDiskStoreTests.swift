import Foundation
import JSON
import TestSupport
import Testing

/// Tests of stores, their keys and the program itself on a disk that becomes full at certain writes. With
/// `SXGW_LONG_TESTS`, the tests try many more writes.
@Suite(.faultTests) struct FullDiskStoreTests {
    private func readUserNames(_ node: Node, as key: String? = nil) async throws -> [String] {
        let answer = try await node.callWhenOpen("GET", "/v1/users", as: key)
        return try answer.json["users"]?.arrayValue?.compactMap { $0["user"]?["localDisplayName"]?.stringValue } ?? []
    }

    /// Sends a request that replaces the databases, and repeats it with free space.
    /// - Returns: whether the first attempt succeeded.
    private func replaceDatabases(
        _ world: FullDiskWorld,
        _ method: String,
        _ path: String,
        _ body: JSONValue,
        _ moment: Int
    ) async throws -> Bool {
        world.disk.fill(after: moment)
        let answer = try await world.node.call(method, path, body)
        #expect(
            answer.status == 200 || (answer.status == 507 && world.disk.refusalCount > 0),
            "\(path), \(moment): \(answer)"
        )
        let read = try await world.node.call("GET", "/v1/users")
        #expect(
            read.status == 200 || (read.status == 503 && world.disk.refusalCount > 0),
            "\(path), \(moment): \(read)"
        )
        world.disk.freeSpace()
        #expect(try await readUserNames(world.node) == ["alice", "bob"], "\(path), \(moment)")
        if answer.status == 200 { return true }
        let again = try await world.node.call(method, path, body)
        #expect(again.status == 200, "\(path), \(moment): \(again)")
        #expect(try await readUserNames(world.node) == ["alice", "bob"], "\(path), \(moment)")
        return false
    }

    private func countWrites(
        _ world: FullDiskWorld,
        _ method: String,
        _ path: String,
        _ body: JSONValue
    ) async throws -> Int {
        let before = world.disk.writeCount
        _ = try await world.node.callForObject(method, path, body)
        return world.disk.writeCount - before
    }

    @Test(.timeLimit(.minutes(30)))
    func `A database key change, export or import on a full disk leaves the store intact`() async throws {
        try await FullDiskWorld.run { world, node in
            try await world.connectUsers()
            _ = try await node.callForObject("POST", "/v1/core/stop")
            let data = world.folder.path + "/data"
            func key() throws -> String {
                try String(contentsOfFile: data + "/database.key", encoding: .utf8).trimmingCharacters(
                    in: .whitespacesAndNewlines
                )
            }
            func new(_ number: Int) -> String { String(repeating: "\(1000 + number)", count: 16) }
            func change(_ number: Int) throws -> JSONValue {
                ["currentKey": .string(try key()), "newKey": .string(new(number))]
            }
            let encryption = "/v1/database/encryption"
            for moment in FullDisk.faultMoments(
                of: try await countWrites(world, "PUT", encryption, try change(world.nextNumber())),
                every: 7,
                otherwise: [0, 0.5, 0.92, 0.93]
            ) {
                let number = world.nextNumber()
                _ = try await replaceDatabases(world, "PUT", encryption, try change(number), moment)
                #expect(try key() == new(number))
            }
            func archive(_ number: Int) -> JSONValue { ["archivePath": .string("\(data)/\(number).zip")] }
            for moment in FullDisk.faultMoments(
                of: try await countWrites(world, "POST", "/v1/database/export", archive(0)),
                every: 3
            ) {
                let number = world.nextNumber()
                _ = try await replaceDatabases(world, "POST", "/v1/database/export", archive(number), moment)
                try FileManager.default.removeItem(atPath: "\(data)/\(number).zip")
            }
            for moment in FullDisk.faultMoments(
                of: try await countWrites(world, "POST", "/v1/database/import", archive(0)),
                every: 3
            ) {
                _ = try await replaceDatabases(world, "POST", "/v1/database/import", archive(0), moment)
            }
            let left = try FileManager.default.contentsOfDirectory(atPath: data).filter {
                $0.hasPrefix(".simplex-") || $0.hasSuffix(".new") || $0.contains("replacement")
            }
            #expect(left == [])
            // The test also starts the chat while the disk is full.
            for moment in [0, 1, 2] {
                world.disk.fill(after: moment)
                let answer = try await node.call("POST", "/v1/core/start")
                #expect(answer.status == 200 || answer.status == 507, "\(answer)")
                world.disk.freeSpace()
                _ = try await node.callForObject("POST", "/v1/core/start")
                _ = try await node.callForObject("POST", "/v1/core/stop")
            }
            _ = try await node.callForObject("POST", "/v1/core/start")
            for user in 0..<2 {
                _ = try await node.callForObject(
                    "POST",
                    world.chatPath(user) + "/messages",
                    textMessages(["after all \(user)"])
                )
                world.recordSentText("after all \(user)", by: user)
            }
            try await world.expectAllArrived()
            await node.restart()
            try await world.expectAllArrived()
        }
    }

    @Test(.timeLimit(.minutes(30)))
    func `Creating, locking, unlocking or deleting a store on a full disk is complete or has no effect`()
        async throws
    {
        try await FullDiskWorld.run { world, node in
            _ = try await node.callForObject(
                "POST",
                "/v1/users",
                ["profile": ["displayName": "alice", "fullName": ""]]
            )
            let before = world.disk.writeCount
            _ = try await node.callForObject("POST", "/v1/stores", ["name": "first"])
            let moments = FullDisk.faultMoments(of: world.disk.writeCount - before, every: 40)
            var names = ["first"]
            for moment in moments {
                let name = "store \(moment)"
                let made = try await world.sendWhileFull("POST", "/v1/stores", ["name": .string(name)], full: moment)
                names.append(name)
                let id = try #require(made?["store"]?["storeId"]?.stringValue)
                let place = "/v1/stores/\(id)"
                let listed = try await node.callForObject("GET", "/v1/stores")["stores"]?.arrayValue ?? []
                #expect(
                    listed.compactMap { $0["name"]?.stringValue }.dropFirst().sorted() == names.sorted(),
                    "\(moment)"
                )
                _ = try await node.callForObject("POST", place + "/unlock", [:])
                let key = try #require(made?["key"]?.stringValue)
                #expect(
                    try await node.call(
                        "POST",
                        "/v1/users",
                        ["profile": ["displayName": "carol", "fullName": ""]],
                        as: key
                    ).status == 201
                )
                // Each action makes only a few writes, so the disk must become full soon.
                let few = moment % 12
                _ = try await world.sendWhileFull("POST", place + "/lock", full: few)
                #expect(try await node.call("GET", "/v1/users", as: key).status == 503)
                _ = try await world.sendWhileFull("POST", place + "/unlock", [:], full: few)
                #expect(try await readUserNames(node, as: key) == ["carol"])
                guard moment % 3 == 0 || !FullDisk.runsLongTests else { continue }
                // Setting the password takes long, because its hash is expensive. So with `SXGW_LONG_TESTS`, only some
                // rounds set it.
                _ = try await world.sendWhileFull("PUT", place + "/app-password", ["password": "1234"], full: few % 4)
                _ = try await node.callForObject("POST", place + "/lock")
                _ = try await world.sendWhileFull("POST", place + "/unlock", ["passphrase": "1234"], full: few)
                #expect(try await readUserNames(node, as: key) == ["carol"])
                _ = try await world.sendWhileFull("DELETE", place, full: few % 3)
                #expect(try await node.call("GET", "/v1/users", as: key).status == 401)
                names.removeAll { $0 == name }
            }
            await node.restart()
            let listed = try await node.callForObject("GET", "/v1/stores")["stores"]?.arrayValue ?? []
            #expect(listed.compactMap { $0["name"]?.stringValue }.dropFirst().sorted() == names.sorted())
            let folders = try FileManager.default.contentsOfDirectory(atPath: world.folder.path + "/data/stores").filter
            { !$0.hasPrefix(".requests") }
            #expect(folders.count == names.count, "\(folders)")
        }
    }

    @Test(.timeLimit(.minutes(2)))
    func `On a full disk, a new API key is stored completely or not at all, and existing keys stay valid`() async throws
    {
        try await FullDiskWorld.run { world, node in
            let url = try await node.waitUntilRunning().url
            let data = world.folder.path + "/data"
            func add(_ name: String) async throws -> Program.ProgramEnding {
                try await Program.run(
                    ["key", "add", name, "--data", data, "--scope", "read"],
                    environment: world.disk.environment
                )
            }
            let before = world.disk.writeCount
            var made = [try await add("with room").output]
            for moment in 0...(world.disk.writeCount - before) {
                world.disk.fill(after: moment)
                let ending = try await add("\(moment)")
                #expect(
                    ending.exitCode == 0
                        || (ending.exitCode == 1 && ending.output.isEmpty && ending.errors.contains("No space left")),
                    "\(moment): \(ending)"
                )
                world.disk.freeSpace()
                if ending.exitCode == 0 { made.append(ending.output) }
                let list = try await Program.run(["key", "list", "--data", data])
                #expect(
                    list.exitCode == 0 && list.output.split(separator: "\n").count == made.count + 1,
                    "\(moment): \(list)"
                )
            }
            #expect(!FileManager.default.fileExists(atPath: data + "/keys.json.new"))
            for key in made.map({ $0.trimmingCharacters(in: .newlines) }) {
                try await waitUntil("the gateway has read the file of keys") {
                    try await node.call("GET", "/v1/users", as: key).status == 200
                }
            }
            #expect(url.hasPrefix("http"))
        }
    }

    @Test(.timeLimit(.minutes(30)))
    func `A first start of the gateway that failed on a full disk succeeds when the disk has free space`() async throws
    {
        try await Folder.withNewFolder { folder in
            let disk = try await FullDisk(of: folder.path + "/data", controlFolder: folder.path)
            func begin(_ name: String) throws -> Program {
                try Program(
                    ["serve", "--data", "\(folder.path)/data/\(name)", "--port", "0", "--relay-port", "0"],
                    environment: disk.environment
                )
            }
            func end(_ program: Program) async throws {
                _ = try await program.waitForLine("Relay:")
                program.signal(SIGTERM)
                let ending = await program.waitForEnd()
                #expect(ending.exitCode == 0, "\(ending)")
            }
            try await end(try begin("first"))
            let moments = FullDisk.faultMoments(of: disk.writeCount, otherwise: [0.02, 0.5, 0.9])
            for moment in moments where !FullDisk.runsLongTests || moment < 60 || moment % 25 == 0 {
                disk.fill(after: moment)
                let program = try begin("\(moment)")
                do {
                    _ = try await program.waitForLine("Relay:")
                    program.signal(SIGTERM)
                } catch {}
                let code = await program.waitForEnd().exitCode
                #expect(code == 0 || (code == 1 && disk.refusalCount > 0), "\(moment): \(code)")
                disk.freeSpace()
                try await end(try begin("\(moment)"))
                try FileManager.default.removeItem(atPath: "\(folder.path)/data/\(moment)")
            }
        }
    }
}
