import Foundation
import JSON
import ServerSupport
import TestSupport
import Testing

/// Tests that Redis gets the events of all stores.
@Suite(.socketTimeLimit, .enabled(if: RedisServer.isInstalled, "Redis or hiredis is not installed")) struct BrokerTests
{
    private struct World {
        let folder: Folder
        let redis: RedisServer

        func makeNode(_ more: [String] = []) -> Node {
            Node(folder: folder.path + "/data", ["--relay-port", "0", "--events-redis", folder.path + "/redis"] + more)
        }

        /// Returns the fields of each entry of a stream.
        func readStream(_ tenant: String) throws -> [[String: String]] {
            let text = try redis.runCommand("--json XRANGE 'sxgw:{\(tenant)}:events' - +")
            return try JSONValue(parsing: Array(text.utf8)).arrayValue?.map { entry in
                let fields = entry.arrayValue?.last?.arrayValue?.compactMap(\.stringValue) ?? []
                return Dictionary(
                    uniqueKeysWithValues: stride(from: 0, to: fields.count - 1, by: 2).map {
                        (fields[$0], fields[$0 + 1])
                    }
                )
            } ?? []
        }

        static func run(_ body: (World) async throws -> Void) async throws {
            let redis = try RedisServer(password: "secret-word")
            defer { redis.remove() }
            try await Folder.withNewFolder { folder in
                _ = try folder.writeFile("redis", redis.url + "\n")
                try await body(World(folder: folder, redis: redis))
            }
        }
    }

    private func makeStore(_ node: Node, _ tenant: String?) async throws -> (id: String, key: String) {
        var body: JSONValue = ["name": "store"]
        if let tenant { body = ["name": "store", "tenant": .string(tenant)] }
        let made = try await node.callForObject("POST", "/v1/stores", body)
        #expect(made["store"]?["tenant"]?.stringValue == tenant)
        return (try #require(made["store"]?["storeId"]?.stringValue), try #require(made["key"]?.stringValue))
    }

    /// Makes two users of a store contacts of each other, and returns the contact id of the first.
    private func connectUsers(_ node: Node, _ key: String?) async throws -> Int64 {
        for name in ["alice", "bob"] {
            #expect(
                try await node.callWhenOpen(
                    "POST",
                    "/v1/users",
                    ["profile": ["displayName": .string(name), "fullName": ""]],
                    as: key
                ).status == 201
            )
        }
        let invitation = try await node.call(
            "POST",
            "/v1/users/1/connections/invitations",
            ["incognito": false],
            as: key
        ).json
        let link = try #require(invitation["connLinkInvitation"]?["connFullLink"]?.stringValue)
        #expect(
            try await node.call(
                "POST",
                "/v1/users/2/connections",
                ["incognito": false, "connLink": .string(link)],
                as: key
            ).status < 300
        )
        var contact: Int64?
        try await waitUntil("the contacts are connected") {
            for entry in try await readJournal(node, key)
            where entry["event"]?["type"] == "contactConnected" && entry["userId"] == 1 {
                contact = entry["event"]?["contact"]?["contactId"]?.integerValue
            }
            return contact != nil
        }
        return try #require(contact)
    }

    private func readJournal(_ node: Node, _ key: String?) async throws -> [JSONValue] {
        var (entries, cursor) = ([JSONValue](), "")
        while true {
            let page = try await node.callWhenOpen("GET", "/v1/events?timeout=0&limit=1000\(cursor)", as: key).json
            guard let events = page["events"]?.arrayValue, !events.isEmpty, let next = page["cursor"]?.stringValue
            else { return entries }
            entries += events
            cursor = "&cursor=\(next)"
        }
    }

    /// Waits until a stream has all events of these stores, and checks order, id and form of each store's events.
    private func expectEqualStream(
        _ world: World,
        _ node: Node,
        _ tenant: String,
        _ stores: [(id: String, key: String?)]
    ) async throws {
        for (id, key) in stores {
            var (told, found) = ([JSONValue](), [[String: String]]())
            try await waitUntil("the stream has all of \(id)") {
                told = try await readJournal(node, key)
                found = try world.readStream(tenant).filter { $0["store"] == id }
                return !told.isEmpty && found.last?["id"] == told.last?["id"]?.stringValue
            }
            #expect(found.map { $0["id"] } == told.map { $0["id"]?.stringValue })
            #expect(found.map { $0["type"] } == told.map { $0["event"]?["type"]?.stringValue })
            #expect(try found.map { try JSONValue(parsing: Array(($0["entry"] ?? "").utf8)) } == told)
        }
        let known = Set(stores.map(\.id))
        #expect(try world.readStream(tenant).allSatisfy { known.contains($0["store"] ?? "") })
    }

    private func readMetric(_ node: Node, _ name: String, _ key: String? = nil) async throws -> String? {
        let text = String(decoding: try await node.callWhenOpen("GET", "/metrics", as: key).body, as: UTF8.self)
        return text.split(separator: "\n").first { $0.hasPrefix(name + " ") }.map {
            String($0.dropFirst(name.count + 1))
        }
    }

    @Test
    func `The Redis stream of a tenant has exactly the events of the tenant's stores, in order for each store`()
        async throws
    {
        try await World.run { world in
            let node = world.makeNode()
            _ = try await node.waitUntilRunning()
            let (one, two, other) = (
                try await makeStore(node, "acme"), try await makeStore(node, "acme"),
                try await makeStore(node, "umbrella")
            )
            for store in [one, two, other] { _ = try await connectUsers(node, store.key) }
            _ = try await connectUsers(node, nil)
            try await expectEqualStream(world, node, "acme", [(one.id, one.key), (two.id, two.key)])
            try await expectEqualStream(world, node, "umbrella", [(other.id, other.key)])
            try await expectEqualStream(world, node, "default", [("default", nil)])
            #expect(try await readMetric(node, "sxgw_broker_up") == "1")
            try await waitUntil("no event waits for the broker") {
                try await readMetric(node, "sxgw_broker_waiting", one.key) == "0"
            }
            let refused = try await node.call("POST", "/v1/stores", ["name": "x", "tenant": "Not a name"])
            #expect(refused.status == 422 || refused.status == 400, "\(refused)")
            await node.stop(SIGTERM)
        }
    }

    @Test
    func `Each event is appended to Redis once and in order, even if the gateway is killed repeatedly`() async throws {
        try await World.run { world in
            let node = world.makeNode(["--relay-port", "\(TestPort.takeUnused())"])
            let store = try await makeStore(node, "acme")
            let contact = try await connectUsers(node, store.key)
            for round in 0..<5 {
                let sending = Task {
                    for index in 0..<12 {
                        _ = try await node.callWhenOpen(
                            "POST",
                            "/v1/users/1/chats/direct/\(contact)/messages",
                            textMessages(["\(round)-\(index)"]),
                            as: store.key
                        )
                    }
                }
                let before = try world.readStream("acme").count
                try await waitUntil("some events are appended") { try world.readStream("acme").count > before + 3 }
                await node.restart(SIGKILL)
                try await sending.value
            }
            try await expectEqualStream(world, node, "acme", [(store.id, store.key)])
            await node.stop(SIGTERM)
        }
    }

    @Test(arguments: ["killed", "stopped", "full", "emptied"])
    func `After Redis was killed, stopped, full or emptied, its stream contains all events of the store again`(
        _ defect: String
    ) async throws {
        try await World.run { world in
            let node = world.makeNode()
            let store = try await makeStore(node, "acme")
            let contact = try await connectUsers(node, store.key)
            try await expectEqualStream(world, node, "acme", [(store.id, store.key)])
            switch defect {
            case "killed": world.redis.killAndWait()
            case "stopped": world.redis.signal(SIGSTOP)
            case "full": try world.redis.runCommand("CONFIG SET maxmemory 1")
            default: try world.redis.runCommand("FLUSHALL")
            }
            for index in 0..<5 {
                let sent = try await node.call(
                    "POST",
                    "/v1/users/1/chats/direct/\(contact)/messages",
                    textMessages(["away-\(index)"]),
                    as: store.key
                )
                #expect(sent.status == 201, "\(sent)")
            }
            if defect != "emptied" {
                let said = try await node.waitUntilRunning().program.waitForError(with: "Redis accepts no events")
                #expect(!said.contains("secret-word"))
                #expect(try await readMetric(node, "sxgw_broker_up") == "0")
                try await waitUntil("the metrics say that events wait") {
                    Int(try await readMetric(node, "sxgw_broker_waiting", store.key) ?? "") ?? 0 > 0
                }
            }
            switch defect {
            case "killed": try world.redis.start()
            case "stopped": world.redis.signal(SIGCONT)
            case "full": try world.redis.runCommand("CONFIG SET maxmemory 0")
            default: break
            }
            try await expectEqualStream(world, node, "acme", [(store.id, store.key)])
            #expect(try await readMetric(node, "sxgw_broker_up") == "1")
            if defect != "emptied" {
                try await node.waitUntilRunning().program.waitForError(with: "Redis accepts events again")
            }
            await node.stop(SIGTERM)
        }
    }

    @Test
    func `The Redis stream has an entry 'gap' for events that the journal deleted before Redis got them`() async throws
    {
        try await World.run { world in
            let node = world.makeNode(["--journal-size", "1"])
            let store = try await makeStore(node, "acme")
            let contact = try await connectUsers(node, store.key)
            try await expectEqualStream(world, node, "acme", [(store.id, store.key)])
            world.redis.killAndWait()
            // The texts are random letters, because the journal compresses repetitions.
            let letters = Array("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789")
            for _ in 0..<20 {
                let texts = (0..<10).map { _ in String((0..<12_000).map { _ in letters.randomElement() ?? "x" }) }
                #expect(
                    try await node.call(
                        "POST",
                        "/v1/users/1/chats/direct/\(contact)/messages",
                        textMessages(texts),
                        as: store.key
                    ).status == 201
                )
            }
            try world.redis.start()
            var found: [[String: String]] = []
            try await waitUntil("the stream has the last event") {
                found = try world.readStream("acme")
                return found.last?["id"] == (try await readJournal(node, store.key)).last?["id"]?.stringValue
            }
            var (last, gaps) = (0, 0)
            for entry in found {
                let number = try #require((entry["id"]?.split(separator: "-").last).flatMap { Int($0) })
                if entry["type"] == "gap" {
                    #expect(number > last)
                    gaps += 1
                } else {
                    #expect(number == last + 1)
                }
                last = number
            }
            #expect(gaps > 0)
            await node.stop(SIGTERM)
        }
    }

    @Test(.enabled(if: PostgresServer.isInstalled, "PostgreSQL is not installed"))
    func `The Redis stream of a store that moves to another node continues in order and without repetitions`()
        async throws
    {
        try await World.run { world in
            try await NodesTests.World.run { nodes in
                let redis = ["--events-redis", world.folder.path + "/redis"]
                let both = [nodes.makeNode("one", lease: 8, redis), nodes.makeNode("two", lease: 8, redis)]
                let store = try await makeStore(both[0], "acme")
                let contact = try await connectUsers(both[0], store.key)
                for round in 0..<4 {
                    let (from, to) = (both[round % 2], both[(round + 1) % 2])
                    for index in 0..<5 {
                        let sent = try await from.callWhenOpen(
                            "POST",
                            "/v1/users/1/chats/direct/\(contact)/messages",
                            textMessages(["\(round)-\(index)"]),
                            as: store.key
                        )
                        #expect(sent.status == 201, "\(sent)")
                    }
                    #expect(
                        try await from.call(
                            "POST",
                            "/v1/stores/\(store.id)/move",
                            ["node": round % 2 == 0 ? "two" : "one"]
                        ).status == 200
                    )
                    #expect(try await to.callWhenOpen("GET", "/v1/users", as: store.key).status == 200)
                }
                try await expectEqualStream(world, both[0], "acme", [(store.id, store.key)])
                for node in both { await node.stop(SIGTERM) }
            }
        }
    }

    @Test
    func `Wrong Redis options end the program with exit code 2, and 'check' reports an unreachable Redis`() async throws
    {
        try await World.run { world in
            let wrong = try world.folder.writeFile("wrong", "http://secret-word\n")
            for (arguments, word) in [
                (["--events-redis", wrong], "no URL of a Redis"), (["--events-redis-length", "10"], "--events-redis"),
                (["--events-redis", "/nonexistent"], "/nonexistent"),
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
                    "check", "--data", world.folder.path + "/x", "--port", "0", "--relay-port", "0", "--events-redis",
                    file,
                ])
            }
            let sound = try await check(world.folder.path + "/redis")
            #expect(sound.exitCode == 0 && sound.output.contains("ok:    the Redis of events"), "\(sound)")
            let away = try await check(
                try world.folder.writeFile("away", "unix://:secret-word@/nonexistent/redis.sock")
            )
            #expect(
                away.exitCode == 1 && away.output.contains("no connection to Redis")
                    && !away.output.contains("secret-word"),
                "\(away)"
            )
        }
    }
}
