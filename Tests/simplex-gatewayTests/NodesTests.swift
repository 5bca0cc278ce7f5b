import Foundation
import JSON
import Synchronization
import TestSupport
import Testing

/// A client as behind a proxy: it asks the other node when one says so.
private final class MovedClient: Sendable {
    private let nodes: [Node]
    private let key: String
    private let state = Mutex((holder: 0, isOver: false))

    init(_ nodes: [Node], _ key: String) { (self.nodes, self.key) = (nodes, key) }

    var isOver: Bool { state.withLock { $0.isOver } }
    func end() { state.withLock { $0.isOver = true } }

    func call(_ method: String, _ target: String, _ body: JSONValue? = nil, _ idempotencyKey: String? = nil) async throws -> Node.Answer {
        while true {
            let answer = try await nodes[state.withLock { $0.holder }].call(method, target, body, idempotencyKey: idempotencyKey, as: key)
            guard answer.status == 503 else { return answer }
            if answer.description.contains("node two") { state.withLock { $0.holder = 1 } }
            if answer.description.contains("node one") { state.withLock { $0.holder = 0 } }
        }
    }
}

@Suite(.overSockets, .enabled(if: PostgresServer.isInstalled, "PostgreSQL is not installed")) struct NodesTests {
    /// Nodes with a folder of stores, a relay and a PostgreSQL.
    struct World {
        let folder: Folder
        let postgres: PostgresServer
        let relay: String

        func node(_ name: String, lease: Int = 2, idle: Int = 300) -> Node {
            Node(folder: folder.path + "/" + name, arguments(name, lease, idle))
        }

        func arguments(_ name: String, _ lease: Int = 2, _ idle: Int = 300) -> [String] {
            [
                "--no-relay", "--smp-server", relay, "--node", name, "--stores", folder.path + "/stores", "--placement-file", folder.path + "/placement",
                "--node-lease", "\(lease)", "--close-idle-stores", "\(idle)",
            ]
        }

        static func run(_ body: (World) async throws -> Void) async throws {
            let postgres = try PostgresServer()
            defer { postgres.remove() }
            try await Folder.with { folder in
                let relay = try Program(["relay", "--data", folder.path + "/relay", "--port", "0"])
                try FileManager.default.createDirectory(atPath: folder.path + "/stores", withIntermediateDirectories: false)
                _ = try folder.write("placement", postgres.connection + "\n")
                let result: Result<Void, any Error>
                do { result = .success(try await body(World(folder: folder, postgres: postgres, relay: try await relay.line("Relay:")))) } catch {
                    result = .failure(error)
                }
                relay.signal(SIGTERM)
                _ = await relay.end()
                try result.get()
            }
        }
    }

    private func newStore(_ node: Node) async throws -> (id: String, key: String) {
        let made = try await node.object("POST", "/v1/stores", ["name": "store"])
        return (try #require(made["store"]?["storeId"]?.stringValue), try #require(made["key"]?.stringValue))
    }

    private func profile(_ name: String) -> JSONValue { ["profile": ["displayName": .string(name), "fullName": ""]] }

    private func users(_ node: Node, _ key: String) async throws -> Set<String> {
        let answer = try await node.opened("GET", "/v1/users", as: key)
        return Set(try answer.json["users"]?.arrayValue?.compactMap { $0["user"]?["localDisplayName"]?.stringValue } ?? [])
    }

    @Test("a node that is stopped past its lease and goes on writes nothing more; what the other has written meanwhile stays")
    func fencing() async throws {
        try await World.run { world in
            let (one, two) = (world.node("one"), world.node("two"))
            let (_, key) = try await newStore(one)
            // A node stopped in the middle of a write keeps all others out. Then it goes on, and is stopped at another moment.
            for round in 0..<20 {
                #expect(try await one.opened("POST", "/v1/users", profile("first-\(round)"), as: key).status == 201)
                let writes = (0..<6).map { index in
                    Task { try await one.call("POST", "/v1/users", profile("under-way-\(round)-\(index)"), as: key).status }
                }
                // Some of them are done.
                _ = try await writes[0].value
                let process = try await one.running().program
                process.signal(SIGSTOP)
                let late = Task { try await one.call("POST", "/v1/users", profile("late-\(round)"), as: key) }
                var isHeld = false
                try await eventually("the other node has the store, or cannot have it") {
                    let answer = try await two.call("GET", "/v1/users", as: key)
                    isHeld = answer.description.contains("middle of a write") || answer.description.contains("cannot be opened")
                    return isHeld || answer.status == 200
                }
                guard !isHeld else {
                    process.signal(SIGCONT)
                    for write in writes { _ = try? await write.value }
                    _ = try await late.value
                    continue
                }
                let before = try await users(two, key)
                #expect(before.contains("first-\(round)"))
                #expect(try await two.call("POST", "/v1/users", profile("kept"), as: key).status == 201)
                process.signal(SIGCONT)
                #expect(try await late.value.status == 503)
                var done: Set<String> = []
                for (index, write) in writes.enumerated() where try await write.value == 201 { done.insert("under-way-\(round)-\(index)") }
                // What the first node has answered was there when the other came.
                #expect(before.isSuperset(of: done))
                #expect(try await two.call("POST", "/v1/users", profile("after"), as: key).status == 201)
                #expect(try await users(two, key) == before.union(["kept", "after"]))
                // The first node knows who has it.
                try await eventually("the first node has a lease again") {
                    let refused = try await one.call("GET", "/v1/users", as: key)
                    #expect(refused.status == 503)
                    return refused.description.contains("node two")
                }
                // And gets it when the other leaves.
                await two.stop(SIGTERM)
                #expect(try await users(one, key) == before.union(["kept", "after"]))
                await one.stop(SIGTERM)
                return
            }
            Issue.record("The node was always stopped in the middle of a write.")
        }
    }

    @Test("the stores of a node that is killed are another's after its lease, and at once again its own when it starts again")
    func death() async throws {
        try await World.run { world in
            let (one, two) = (world.node("one"), world.node("two"))
            let (id, key) = try await newStore(one)
            #expect(try await one.call("POST", "/v1/users", profile("alice"), as: key).status == 201)
            let refused = try await two.call("GET", "/v1/users", as: key)
            #expect(refused.status == 503 && refused.description.contains("node one"))
            await one.restart(SIGKILL)
            #expect(try await users(one, key) == ["alice"])
            await one.stop(SIGKILL)
            // Nobody asks for it: it was open, and is opened.
            try await eventually("the other node opens the store") { try await two.object("GET", "/v1/stores/\(id)")["state"] == "unlocked" }
            #expect(try await users(two, key) == ["alice"])
            await two.stop(SIGTERM)
        }
    }

    @Test("a store is moved while it is used: each message is there once, and a stream goes on from its cursor at the other node")
    func moving() async throws {
        try await World.run { world in
            let nodes = [world.node("one"), world.node("two")]
            let (id, key) = try await newStore(nodes[0])
            #expect(try await nodes[0].opened("POST", "/v1/users", profile("alice"), as: key).status == 201)
            let refused = try await nodes[0].call("POST", "/v1/stores/\(id)/move", ["node": "nobody"])
            #expect(refused.status == 409)
            let client = MovedClient(nodes, key)
            #expect(try await client.call("POST", "/v1/users", profile("bob")).status == 201)
            let invitation = try await client.call("POST", "/v1/users/1/connections/invitations", ["incognito": false]).json
            let link = try #require(invitation["connLinkInvitation"]?["connFullLink"]?.stringValue)
            let cursor = try #require(try await client.call("GET", "/v1/events?cursor=now").json["cursor"]?.stringValue)
            #expect(try await client.call("POST", "/v1/users/2/connections", ["incognito": false, "connLink": .string(link)]).status < 300)
            var (contacts, at) = ([Int64: Int64](), cursor)
            while contacts.count < 2 {
                let page = try await client.call("GET", "/v1/events?wait=20&limit=1000&types=contactConnected&cursor=\(at)").json
                at = try #require(page["cursor"]?.stringValue)
                for entry in page["events"]?.arrayValue ?? [] { contacts[try #require(entry["userId"]?.integerValue)] = entry["event"]?["contact"]?["contactId"]?.integerValue }
            }
            let (bob, begin) = (try #require(contacts[1]), at)
            // Bob's messages as a reader gets them, until the last.
            let reader = Task {
                var (at, seen) = (begin, [String]())
                while seen.last != "end" {
                    let page = try await client.call("GET", "/v1/events?wait=20&limit=1000&types=newChatItems&users=2&cursor=\(at)").json
                    at = try #require(page["cursor"]?.stringValue)
                    for entry in page["events"]?.arrayValue ?? [] {
                        seen += entry["event"]?["chatItems"]?.arrayValue?.compactMap { $0["chatItem"]?["content"]?["msgContent"]?["text"]?.stringValue } ?? []
                    }
                }
                return seen
            }
            let writer = Task {
                var count = 0
                while !client.isOver {
                    let answer = try await client.call("POST", "/v1/users/1/chats/direct/\(bob)/messages", textMessages(["m\(count)"]), "message-\(count)")
                    #expect(answer.status == 201 || answer.status == 200, "\(answer)")
                    count += 1
                }
                return count
            }
            for round in 0..<6 {
                let (from, to) = (round % 2, (round + 1) % 2)
                #expect(try await nodes[from].call("POST", "/v1/stores/\(id)/move", ["node": to == 1 ? "two" : "one"]).status == 200)
                try await eventually("the store is at the other node") { try await nodes[to].object("GET", "/v1/stores/\(id)")["state"] == "unlocked" }
            }
            client.end()
            let count = try await writer.value
            _ = try await client.call("POST", "/v1/users/1/chats/direct/\(bob)/messages", textMessages(["end"]), "end")
            let seen = try await reader.value
            #expect(seen == (0..<count).map { "m\($0)" } + ["end"], "\(seen.count) of \(count)")
            for node in nodes { await node.stop(SIGTERM) }
        }
    }

    @Test("options that do not go together, a name that is taken, and a PostgreSQL that is not there: the start says so")
    func starts() async throws {
        try await World.run { world in
            let none = try world.folder.write("nowhere", "host=/nonexistent")
            let base = world.arguments("one")
            let cases: [([String], Int32, String)] = [
                (["--no-relay", "--smp-server", world.relay, "--node", "one"], 2, "--stores"),
                (["--no-relay", "--smp-server", world.relay, "--stores", world.folder.path], 2, "--node"),
                (base + ["--node", "Two words"], 2, "letters"), (base + ["--stores", world.folder.path + "/none"], 2, "none"),
                (base + ["--placement-file", none], 1, "placement"), (base + ["--node-lease", "0"], 2, "node-lease"),
            ]
            for (arguments, code, text) in cases {
                let ending = try await Program.run(["serve", "--data", world.folder.path + "/x", "--port", "0"] + arguments)
                #expect(ending.code == code && ending.errors.contains(text), "\(arguments) \(ending)")
            }
            let one = world.node("one")
            _ = try await one.running()
            let second = try await Program.run(["serve", "--data", world.folder.path + "/y", "--port", "0"] + base)
            #expect(second.code == 4 && second.errors.contains("another node has the name one"), "\(second)")
            await one.stop(SIGTERM)
        }
    }

    @Test("while PostgreSQL is away a node gives up its stores in time, and serves its own; when it is back the stores are there again")
    func away() async throws {
        try await World.run { world in
            let one = world.node("one")
            let (_, key) = try await newStore(one)
            #expect(try await one.opened("POST", "/v1/users", profile("alice"), as: key).status == 201)
            try world.postgres.stop()
            try await eventually("the store is given up") { try await one.call("GET", "/v1/users", as: key).status == 503 }
            #expect(try await one.call("GET", "/v1/users").status == 200)
            try world.postgres.start()
            #expect(try await users(one, key) == ["alice"])
            await one.stop(SIGTERM)
        }
    }
}
