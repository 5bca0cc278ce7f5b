import Foundation
import JSON
import ServerSupport
import TestSupport
import Testing

@Suite(.socketTimeLimit, .enabled(if: PostgresServer.isInstalled, "PostgreSQL is not installed")) struct NodesTests {
    /// Tests of nodes with a common folder of stores, a relay and a PostgreSQL server.
    struct World {
        let folder: Folder
        let postgres: PostgresServer
        let relay: String

        func makeNode(
            _ name: String,
            lease: Int = 2,
            idle: Int = 300,
            _ more: [String] = [],
            environment: [String: String] = [:]
        ) -> Node {
            Node(folder: folder.path + "/" + name, makeArguments(name, lease, idle) + more, environment: environment)
        }

        /// Returns the number in a store's folder, which grows with each node that takes the store.
        func readToken(_ store: String) throws -> Int {
            let text = try String(contentsOfFile: "\(folder.path)/stores/\(store)/fence", encoding: .utf8)
            return try #require(Int(text.trimmingCharacters(in: .whitespacesAndNewlines)))
        }

        func makeArguments(_ name: String, _ lease: Int = 2, _ idle: Int = 300) -> [String] {
            [
                "--no-relay", "--smp-server", relay, "--node", name, "--stores", folder.path + "/stores",
                "--placement-file", folder.path + "/placement",
                "--node-lease", "\(lease)", "--close-idle-stores", "\(idle)",
            ]
        }

        static func run(_ body: (World) async throws -> Void) async throws {
            let postgres = try PostgresServer()
            defer { postgres.remove() }
            try await Folder.withNewFolder { folder in
                let relay = try Program(["relay", "--data", folder.path + "/relay", "--port", "0"])
                try FileManager.default.createDirectory(
                    atPath: folder.path + "/stores",
                    withIntermediateDirectories: false
                )
                _ = try folder.writeFile("placement", postgres.connectionString + "\n")
                let result: Result<Void, any Error>
                do {
                    result = .success(
                        try await body(
                            World(folder: folder, postgres: postgres, relay: try await relay.waitForLine("Relay:"))
                        )
                    )
                } catch {
                    result = .failure(error)
                }
                relay.signal(SIGTERM)
                _ = await relay.waitForEnd()
                try result.get()
            }
        }
    }

    func makeStore(_ node: Node) async throws -> (id: String, key: String) {
        let made = try await node.callForObject("POST", "/v1/stores", ["name": "store"])
        return (try #require(made["store"]?["storeId"]?.stringValue), try #require(made["key"]?.stringValue))
    }

    func makeProfile(_ name: String) -> JSONValue { ["profile": ["displayName": .string(name), "fullName": ""]] }

    func readUserNames(_ node: Node, _ key: String) async throws -> Set<String> {
        let answer = try await node.callWhenOpen("GET", "/v1/users", as: key)
        return Set(
            try answer.json["users"]?.arrayValue?.compactMap { $0["user"]?["localDisplayName"]?.stringValue } ?? []
        )
    }

    @Test
    func `A node that was paused until its lease ended cannot write to a store that another node has opened`()
        async throws
    {
        try await World.run { world in
            let (one, two) = (world.makeNode("one"), world.makeNode("two"))
            let (_, key) = try await makeStore(one)
            // A node that is stopped during a write blocks all other nodes. In this case the test lets the node
            // continue, and stops it at another moment in the next round.
            for round in 0..<20 {
                #expect(
                    try await one.callWhenOpen("POST", "/v1/users", makeProfile("first-\(round)"), as: key).status
                        == 201
                )
                let writes = (0..<6).map { index in
                    Task {
                        try await one.call("POST", "/v1/users", makeProfile("under-way-\(round)-\(index)"), as: key)
                            .status
                    }
                }
                // At least one write has finished when the node is stopped.
                _ = try await writes[0].value
                let process = try await one.waitUntilRunning().program
                process.signal(SIGSTOP)
                let late = Task { try await one.call("POST", "/v1/users", makeProfile("late-\(round)"), as: key) }
                var (isHeld, last) = (false, "")
                try await waitUntil("the other node has the store, or cannot have it: \(last)") {
                    let answer = try await two.call("GET", "/v1/users", as: key)
                    last = answer.description
                    isHeld =
                        last.contains("Another process has the databases")
                        || last.contains("cannot be opened")
                    return isHeld || answer.status == 200
                }
                guard !isHeld else {
                    process.signal(SIGCONT)
                    for write in writes { _ = try? await write.value }
                    _ = try await late.value
                    // The node may have taken the store again at this moment, so the round is repeated.
                    await two.restart(SIGTERM)
                    continue
                }
                let before = try await readUserNames(two, key)
                #expect(before.contains("first-\(round)"))
                #expect(try await two.call("POST", "/v1/users", makeProfile("kept"), as: key).status == 201)
                process.signal(SIGCONT)
                #expect(try await late.value.status == 503)
                var done: Set<String> = []
                for (index, write) in writes.enumerated() where try await write.value == 201 {
                    done.insert("under-way-\(round)-\(index)")
                }
                // All writes that the first node answered existed when the other node took over.
                #expect(before.isSuperset(of: done))
                #expect(try await two.call("POST", "/v1/users", makeProfile("after"), as: key).status == 201)
                #expect(try await readUserNames(two, key) == before.union(["kept", "after"]))
                // The first node knows the holder of the store, and names it in its refusal.
                try await waitUntil("the first node has a lease again") {
                    let refused = try await one.call("GET", "/v1/users", as: key)
                    #expect(refused.status == 503)
                    return refused.description.contains("node two")
                }
                // The first node gets the store when the second node stops.
                await two.stop(SIGTERM)
                #expect(try await readUserNames(one, key) == before.union(["kept", "after"]))
                await one.stop(SIGTERM)
                return
            }
            Issue.record("The node was always stopped in the middle of a write.")
        }
    }

    @Test
    func `After the end of a killed node's lease, another node opens the stores of this node`() async throws {
        try await World.run { world in
            // The lease is longer than the delay of its renewal on a busy machine, so that the node does not lose it.
            let one = world.makeNode("one", lease: 5)
            let (id, key) = try await makeStore(one)
            #expect(try await one.call("POST", "/v1/users", makeProfile("alice"), as: key).status == 201)
            await one.restart(SIGKILL)
            #expect(try await readUserNames(one, key) == ["alice"])
            let two = world.makeNode("two", lease: 5)
            let refused = try await two.call("GET", "/v1/users", as: key)
            #expect(refused.status == 503 && refused.description.contains("node one"))
            await one.stop(SIGKILL)
            // The store was open before, so the node opens it without a request.
            try await waitUntil("the other node opens the store") {
                try await two.callForObject("GET", "/v1/stores/\(id)")["state"] == "unlocked"
            }
            #expect(try await readUserNames(two, key) == ["alice"])
            await two.stop(SIGTERM)
        }
    }

    @Test(arguments: ["chat", "agent"])
    func `A node neither opens nor changes a store that a later program version has changed`(name: String) async throws
    {
        try await World.run { world in
            let (one, two) = (world.makeNode("one"), world.makeNode("two"))
            let (id, key) = try await makeStore(one)
            #expect(try await one.callWhenOpen("POST", "/v1/users", makeProfile("alice"), as: key).status == 201)
            await one.stop(SIGTERM)
            let path = try await markAsLaterVersion("\(world.folder.path)/stores/\(id)", name)
            let before = FileManager.default.contents(atPath: path)
            let refused = try await two.call("GET", "/v1/users", as: key)
            #expect(refused.status >= 500, "\(refused)")
            try await two.waitUntilRunning().program.waitForError(with: "29990101_later")
            await two.stop(SIGTERM)
            #expect(FileManager.default.contents(atPath: path) == before)
        }
    }

    @Test
    func `A node with wrong options, a node name in use or an unreachable PostgreSQL does not start`() async throws {
        try await World.run { world in
            let none = try world.folder.writeFile("nowhere", "host=/nonexistent")
            let base = world.makeArguments("one")
            let cases: [([String], Int32, String)] = [
                (["--no-relay", "--smp-server", world.relay, "--node", "one"], 2, "--stores"),
                (["--no-relay", "--smp-server", world.relay, "--stores", world.folder.path], 2, "--node"),
                (base + ["--node", "Two words"], 2, "letters"),
                (base + ["--stores", world.folder.path + "/none"], 2, "none"),
                (base + ["--placement-file", none], 1, "placement"), (base + ["--node-lease", "0"], 2, "node-lease"),
            ]
            for (arguments, code, text) in cases {
                let ending = try await Program.run(
                    ["serve", "--data", world.folder.path + "/x", "--port", "0"] + arguments
                )
                #expect(ending.exitCode == code && ending.errors.contains(text), "\(arguments) \(ending)")
            }
            let one = world.makeNode("one")
            _ = try await one.waitUntilRunning()
            let second = try await Program.run(["serve", "--data", world.folder.path + "/y", "--port", "0"] + base)
            #expect(
                second.exitCode == 4 && second.errors.contains("another running node has the name one"),
                "\(second)"
            )
            let elsewhere = world.folder.path + "/elsewhere"
            try FileManager.default.createDirectory(atPath: elsewhere, withIntermediateDirectories: false)
            for command in ["serve", "check"] {
                let other = try await Program.run(
                    [command, "--data", world.folder.path + "/z", "--port", "0"] + world.makeArguments("two")
                        + ["--stores", elsewhere]
                )
                #expect(
                    other.exitCode == 2
                        && (other.output + other.errors).contains("is not the folder of the running node one"),
                    "\(command) \(other)"
                )
            }
            await one.stop(SIGTERM)
        }
    }

    @Test
    func `While PostgreSQL is unreachable, a node serves only its first store`() async throws {
        try await World.run { world in
            let one = world.makeNode("one")
            let (_, key) = try await makeStore(one)
            #expect(try await one.callWhenOpen("POST", "/v1/users", makeProfile("alice"), as: key).status == 201)
            try world.postgres.stop()
            try await waitUntil("the store is given up") {
                try await one.call("GET", "/v1/users", as: key).status == 503
            }
            #expect(try await one.call("GET", "/v1/users").status == 200)
            try world.postgres.start()
            #expect(try await readUserNames(one, key) == ["alice"])
            await one.stop(SIGTERM)
        }
    }

    @Test(arguments: ["slow", "emptied", "without tables"])
    func `After PostgreSQL was silent or emptied, a node serves its stores again, with all answered writes`(
        _ defect: String
    ) async throws {
        try await World.run { world in
            let one = world.makeNode("one")
            let (id, key) = try await makeStore(one)
            var made: Set<String> = []
            func add() async throws {
                let name = "user-\(made.count)"
                #expect(try await one.callWhenOpen("POST", "/v1/users", makeProfile(name), as: key).status == 201)
                made.insert(name)
            }
            try await add()
            let before = try world.readToken(id)
            switch defect {
            case "slow":
                world.postgres.signal(SIGSTOP)
                var refused: Node.Answer?
                try await waitUntil("the store is given up") {
                    refused = try await one.call("GET", "/v1/users", as: key)
                    return refused?.status == 503
                }
                #expect(refused?.description.contains("cannot be found now") == true, "\(String(describing: refused))")
                world.postgres.signal(SIGCONT)
            case "emptied": try world.postgres.runSQL("DELETE FROM sxgw_node; DELETE FROM sxgw_store")
            default: try world.postgres.runSQL("DROP TABLE sxgw_node, sxgw_store; DROP SEQUENCE sxgw_incarnation")
            }
            // The node has noticed that it lost the store, and takes the store again.
            try await waitUntil("the node takes the store again") {
                try await add()
                return try world.readToken(id) > before
            }
            #expect(try await readUserNames(one, key) == made)
            await one.stop(SIGTERM)
            let two = world.makeNode("two")
            #expect(try await readUserNames(two, key) == made)
            await two.stop(SIGTERM)
        }
    }

    @Test
    func `A node refuses requests for a store that is open on another node, and its answer names the other node`()
        async throws
    {
        try await World.run { world in
            let (one, two) = (world.makeNode("one", lease: 600), world.makeNode("two", lease: 600))
            let (_, key) = try await makeStore(one)
            #expect(try await one.callWhenOpen("POST", "/v1/users", makeProfile("alice"), as: key).status == 201)
            // The test deletes the record of the store's holder in PostgreSQL. The store itself stays.
            try world.postgres.runSQL("DELETE FROM sxgw_store")
            #expect(try await two.callWhenOpen("POST", "/v1/users", makeProfile("kept"), as: key).status == 201)
            let refused = try await one.call("POST", "/v1/users", makeProfile("late"), as: key)
            #expect(refused.status == 503, "\(refused)")
            let known = try await one.call("GET", "/v1/users", as: key)
            #expect(known.status == 503 && known.description.contains("node two"), "\(known)")
            #expect(try await readUserNames(two, key) == ["alice", "kept"])
            await one.stop(SIGTERM)
            await two.stop(SIGTERM)
        }
    }

    @Test
    func `A backup of a node can be restored as a node and as a gateway without nodes`() async throws {
        try await World.run { world in
            let (one, two) = (world.makeNode("one", lease: 20), world.makeNode("two", lease: 20))
            let (open, openKey) = try await makeStore(one)
            #expect(try await one.callWhenOpen("POST", "/v1/users", makeProfile("open"), as: openKey).status == 201)
            let (closed, closedKey) = try await makeStore(two)
            #expect(try await two.callWhenOpen("POST", "/v1/users", makeProfile("closed"), as: closedKey).status == 201)
            await two.restart(SIGTERM)
            let (held, heldKey) = try await makeStore(two)
            #expect(try await two.callWhenOpen("POST", "/v1/users", makeProfile("held"), as: heldKey).status == 201)
            #expect(try await one.call("POST", "/v1/users", makeProfile("own")).status == 201)
            // If no node can read a store, the backup is refused, so that no copy without this store is made.
            let unreadable = world.folder.path + "/stores/" + String(repeating: "a", count: 15)
            try FileManager.default.createDirectory(atPath: unreadable, withIntermediateDirectories: false)
            for (place, reason) in [("/copy", "cannot be read"), ("/stores/copy", "outside of the data folder")] {
                let refused = try await Program.run([
                    "backup", world.folder.path + place, "--url", try await one.waitUntilRunning().url, "--data",
                    world.folder.path + "/one",
                ])
                #expect(
                    refused.exitCode != 0 && refused.errors.contains(reason)
                        && !FileManager.default.fileExists(atPath: world.folder.path + place),
                    "\(refused)"
                )
            }
            try FileManager.default.removeItem(atPath: unreadable)
            let copy = world.folder.path + "/copy"
            let made = try await Program.run([
                "backup", copy, "--url", try await one.waitUntilRunning().url, "--data", world.folder.path + "/one",
            ])
            #expect(
                made.exitCode == 0 && made.errors.contains(held) && !made.errors.contains(open)
                    && !made.errors.contains(closed),
                "\(made)"
            )
            #expect(Set(try FileManager.default.contentsOfDirectory(atPath: copy + "/stores")) == [open, closed])
            // After the backup, both nodes still use their stores.
            #expect(try await readUserNames(one, openKey) == ["open"])
            #expect(try await readUserNames(two, closedKey) == ["closed"])
            for node in [one, two] { await node.stop(SIGTERM) }

            let again = try await Program.run([
                "restore", copy, "--data", world.folder.path + "/again", "--stores", world.folder.path + "/stores",
            ])
            #expect(again.exitCode == 2 && again.errors.contains(open) && again.errors.contains("already"), "\(again)")
            #expect(!FileManager.default.fileExists(atPath: world.folder.path + "/again"))
            try FileManager.default.removeItem(atPath: world.folder.path + "/stores/\(open)")
            try FileManager.default.removeItem(atPath: world.folder.path + "/stores/\(closed)")
            let restored = try await Program.run([
                "restore", copy, "--data", world.folder.path + "/again", "--stores", world.folder.path + "/stores",
            ])
            #expect(
                restored.exitCode == 0 && !FileManager.default.fileExists(atPath: world.folder.path + "/again/stores"),
                "\(restored)"
            )
            let node = world.makeNode("again", lease: 20)
            #expect(
                try await node.callForObject("GET", "/v1/users")["users"]?.arrayValue?.first?["user"]?[
                    "localDisplayName"
                ]
                    == "own"
            )
            for (name, key) in [("open", openKey), ("closed", closedKey), ("held", heldKey)] {
                #expect(try await readUserNames(node, key) == [name])
            }
            await node.stop(SIGTERM)

            let alone = try await Program.run(["restore", copy, "--data", world.folder.path + "/alone"])
            #expect(alone.exitCode == 0, "\(alone)")
            let gateway = Node(folder: world.folder.path + "/alone", ["--no-relay", "--smp-server", world.relay])
            for (name, key) in [("open", openKey), ("closed", closedKey)] {
                #expect(try await readUserNames(gateway, key) == [name])
            }
            await gateway.stop(SIGTERM)
        }
    }

    @Test
    func `The command 'check' reports faults of a node's name, folder, PostgreSQL and stores`() async throws {
        try await World.run { world in
            func check(_ name: String, _ more: [String] = []) async throws -> Program.ProgramEnding {
                try await Program.run(
                    ["check", "--data", world.folder.path + "/" + name, "--port", "0"] + world.makeArguments(name)
                        + more
                )
            }
            let new = try await check("one")
            #expect(new.exitCode == 0 && new.output.contains("no tables of nodes yet"), "\(new)")
            // The check has created no tables.
            #expect(try world.postgres.queryValue("SELECT count(*) FROM pg_tables WHERE tablename LIKE 'sxgw%'") == "0")
            #expect(!FileManager.default.fileExists(atPath: world.folder.path + "/one"))
            let one = world.makeNode("one")
            let (_, key) = try await makeStore(one)
            #expect(try await one.callWhenOpen("POST", "/v1/users", makeProfile("alice"), as: key).status == 201)
            let used = try await check("two")
            #expect(
                used.exitCode == 0 && used.output.contains("the node one is running")
                    && used.output.contains("because nodes have them: 1 store"),
                "\(used)"
            )
            let same = try await Program.run(
                ["check", "--data", world.folder.path + "/other", "--port", "0"] + world.makeArguments("one")
            )
            #expect(same.exitCode == 4 && same.output.contains("another running node has the name one"), "\(same)")
            await one.stop(SIGTERM)
            let stopped = try await check("one")
            #expect(stopped.exitCode == 0 && stopped.output.contains("ok:    1 store in"), "\(stopped)")
            let within = try await check("one", ["--stores", world.folder.path + "/one"])
            #expect(within.exitCode == 2 && within.output.contains("outside of the data folder"), "\(within)")
            let nowhere = try world.folder.writeFile("nowhere", "host=/nonexistent password=secret-word")
            let away = try await check("one", ["--placement-file", nowhere])
            #expect(
                away.exitCode == 1 && away.output.contains("cannot be read") && !away.output.contains("secret-word"),
                "\(away)"
            )
            let store = try #require(
                try FileManager.default.contentsOfDirectory(atPath: world.folder.path + "/stores").first {
                    !$0.hasPrefix(".")
                }
            )
            try Data("no database".utf8).write(
                to: URL(fileURLWithPath: "\(world.folder.path)/stores/\(store)/simplex_v1_chat.db")
            )
            let damaged = try await check("one")
            #expect(damaged.exitCode == 3 && damaged.output.contains(store), "\(damaged)")
        }
    }
}
