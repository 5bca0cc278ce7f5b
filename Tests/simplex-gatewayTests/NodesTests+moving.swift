import Foundation
import JSON
import Synchronization
import TestSupport
import Testing

/// A client behind a proxy, which calls the other node if an answer names that node.
private final class MovedClient: Sendable {
    private let nodes: [Node]
    private let key: String
    private let state = Mutex((holder: 0, isOver: false))

    init(_ nodes: [Node], _ key: String) { (self.nodes, self.key) = (nodes, key) }

    var holderIndex: Int { state.withLock { $0.holder } }
    var isOver: Bool { state.withLock { $0.isOver } }
    func end() { state.withLock { $0.isOver = true } }

    func call(
        _ method: String,
        _ target: String,
        _ body: JSONValue? = nil,
        _ idempotencyKey: String? = nil
    ) async throws -> Node.Answer {
        while true {
            let answer = try await nodes[state.withLock { $0.holder }].call(
                method,
                target,
                body,
                idempotencyKey: idempotencyKey,
                as: key
            )
            guard answer.status == 503 else { return answer }
            readHolder(in: answer.description)
        }
    }

    /// Reads from an answer which node has the store.
    func readHolder(in text: String) {
        if text.contains("node two") { state.withLock { $0.holder = 1 } }
        if text.contains("node one") { state.withLock { $0.holder = 0 } }
    }
}

/// Tests of stores that move between nodes during use, or cannot move.
extension NodesTests {
    private enum StreamKind: CaseIterable { case serverSent, socket }

    /// Returns the texts of a profile's messages from a stream, up to the last one. When the stream ends, the client
    /// resumes it after its cursor at the node that has the store.
    private func followMessages(
        _ kind: StreamKind,
        _ client: MovedClient,
        _ nodes: [Node],
        _ key: String,
        from cursor: String
    ) async throws -> [String] {
        var (at, seen) = (cursor, [String]())
        while seen.last != "end" {
            let node = try await nodes[client.holderIndex].waitUntilRunning()
            let filters = "types=newChatItems&users=2"
            let arguments =
                switch kind {
                // In this form, a header with the last event id replaces the cursor, as in a browser that reconnects.
                case .serverSent:
                    [
                        "-H", "Accept: text/event-stream", "-H", "Last-Event-ID: \(at)",
                        "\(node.url)/v1/events?\(filters)",
                    ]
                case .socket:
                    [
                        "--http1.1", "-H", "Connection: Upgrade", "-H", "Upgrade: websocket", "-H",
                        "Sec-WebSocket-Version: 13", "-H", "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
                        "\(node.url)/v1/events/ws?\(filters)&cursor=\(at)",
                    ]
                }
            let said = try await Program(
                "/usr/bin/curl",
                ["-sN", "--max-time", "3", "-H", "Authorization: Bearer \(key)"] + arguments
            ).waitForEnd().output
            client.readHolder(in: said)
            #expect(!said.contains(#""type":"gap""#) && !said.contains("cursorExpired"), "\(kind): \(said.suffix(300))")
            for part in said.components(separatedBy: "{\"id\":\"").dropFirst() {
                // If an entry is incomplete, the stream sends it again, so it is not counted.
                guard let end = part.lastIndex(of: "}"),
                    let entry = try? JSONValue(parsing: "{\"id\":\"" + part[...end]), let id = entry["id"]?.stringValue
                else { break }
                at = id
                seen +=
                    entry["event"]?["chatItems"]?.arrayValue?.compactMap {
                        $0["chatItem"]?["content"]?["msgContent"]?["text"]?.stringValue
                    } ?? []
            }
        }
        return seen
    }

    @Test
    func `If a store in use moves to another node, each message arrives once, and streams continue there`()
        async throws
    {
        try await World.run { world in
            let nodes = [world.makeNode("one", lease: 8), world.makeNode("two", lease: 8)]
            let (id, key) = try await makeStore(nodes[0])
            _ = try await nodes[1].waitUntilRunning()
            #expect(try await nodes[0].callWhenOpen("POST", "/v1/users", makeProfile("alice"), as: key).status == 201)
            let refused = try await nodes[0].call("POST", "/v1/stores/\(id)/move", ["node": "nobody"])
            #expect(refused.status == 409)
            let client = MovedClient(nodes, key)
            #expect(try await client.call("POST", "/v1/users", makeProfile("bob")).status == 201)
            let invitation = try await client.call("POST", "/v1/users/1/connections/invitations", ["incognito": false])
                .json
            let link = try #require(invitation["connLinkInvitation"]?["connFullLink"]?.stringValue)
            let cursor = try #require(try await client.call("GET", "/v1/events?cursor=now").json["cursor"]?.stringValue)
            #expect(
                try await client.call(
                    "POST",
                    "/v1/users/2/connections",
                    ["incognito": false, "connLink": .string(link)]
                ).status < 300
            )
            var (contacts, at) = ([Int64: Int64](), cursor)
            while contacts.count < 2 {
                let page = try await client.call(
                    "GET",
                    "/v1/events?timeout=20&limit=1000&types=contactConnected&cursor=\(at)"
                ).json
                at = try #require(page["cursor"]?.stringValue)
                for entry in page["events"]?.arrayValue ?? [] {
                    contacts[try #require(entry["userId"]?.integerValue)] =
                        entry["event"]?["contact"]?["contactId"]?.integerValue
                }
            }
            let (bob, begin) = (try #require(contacts[1]), at)
            // This reader follows Bob's messages up to the last one while the store moves.
            let reader = Task {
                var (at, seen) = (begin, [String]())
                while seen.last != "end" {
                    let page = try await client.call(
                        "GET",
                        "/v1/events?timeout=20&limit=1000&types=newChatItems&users=2&cursor=\(at)"
                    ).json
                    at = try #require(page["cursor"]?.stringValue)
                    for entry in page["events"]?.arrayValue ?? [] {
                        seen +=
                            entry["event"]?["chatItems"]?.arrayValue?.compactMap {
                                $0["chatItem"]?["content"]?["msgContent"]?["text"]?.stringValue
                            } ?? []
                    }
                }
                return seen
            }
            let streams = StreamKind.allCases.map { kind in
                Task { try await followMessages(kind, MovedClient(nodes, key), nodes, key, from: begin) }
            }
            let writer = Task {
                var count = 0
                while !client.isOver {
                    let answer = try await client.call(
                        "POST",
                        "/v1/users/1/chats/direct/\(bob)/messages",
                        textMessages(["m\(count)"]),
                        "message-\(count)"
                    )
                    #expect(answer.status == 201 || answer.status == 200, "\(answer)")
                    count += 1
                }
                return count
            }
            for round in 0..<6 {
                let (from, to) = (round % 2, (round + 1) % 2)
                #expect(
                    try await nodes[from].call("POST", "/v1/stores/\(id)/move", ["node": to == 1 ? "two" : "one"])
                        .status == 200
                )
                try await waitUntil("the store is at the other node") {
                    try await nodes[to].callForObject("GET", "/v1/stores/\(id)")["state"] == "unlocked"
                }
            }
            client.end()
            let count = try await writer.value
            _ = try await client.call("POST", "/v1/users/1/chats/direct/\(bob)/messages", textMessages(["end"]), "end")
            let seen = try await reader.value
            #expect(seen == (0..<count).map { "m\($0)" } + ["end"], "\(seen.count) of \(count)")
            for stream in streams { #expect(try await stream.value == seen) }
            for node in nodes { await node.stop(SIGTERM) }
        }
    }

    @Test
    func `If a store has moved to another node, a request that is repeated there is executed once`() async throws {
        try await World.run { world in
            let (one, two) = (world.makeNode("one", lease: 20), world.makeNode("two", lease: 20))
            let (id, key) = try await makeStore(one)
            #expect(try await one.callWhenOpen("POST", "/v1/users", makeProfile("alice"), as: key).status == 201)
            let folder = try #require(
                try await one.callWhenOpen("GET", "/v1/users/1/chats?limit=10", as: key).json["chats"]?.arrayValue?
                    .first {
                        $0["chatInfo"]?["type"] == "local"
                    }
            )
            let notes = try #require(folder["chatInfo"]?["noteFolder"]?["noteFolderId"]?.integerValue)
            let target = "/v1/users/1/chats/local/\(notes)/messages"
            let first = try await one.call("POST", target, textMessages(["once"]), idempotencyKey: "k", as: key)
            #expect(first.status == 201, "\(first)")
            _ = try await two.waitUntilRunning()
            #expect(try await one.call("POST", "/v1/stores/\(id)/move", ["node": "two"]).status == 200)
            #expect(try await two.callWhenOpen("GET", "/v1/users", as: key).status == 200)
            let again = try await two.call("POST", target, textMessages(["once"]), idempotencyKey: "k", as: key)
            #expect(again.status == 201 && again.body == first.body, "\(again)")
            let other = try await two.call("POST", target, textMessages(["another"]), idempotencyKey: "k", as: key)
            #expect(other.status == 422, "\(other)")
            let page = try await two.callWhenOpen("GET", "/v1/users/1/chats/local/\(notes)?limit=10", as: key).json
            #expect(
                page["chat"]?["chatItems"]?.arrayValue?.compactMap {
                    $0["content"]?["msgContent"]?["text"]?.stringValue
                } == ["once"]
            )
            await one.stop(SIGTERM)
            await two.stop(SIGTERM)
        }
    }

    @Test
    func `A store is not moved to a node at its limit of stores, and its present node continues to serve it`()
        async throws
    {
        try await World.run { world in
            // The limit of the second node allows its first store and one more store.
            let (one, two) = (
                world.makeNode("one", lease: 4), world.makeNode("two", lease: 4, ["--max-open-stores", "2"])
            )
            let (id, key) = try await makeStore(one)
            #expect(try await one.callWhenOpen("POST", "/v1/users", makeProfile("alice"), as: key).status == 201)
            let (_, used) = try await makeStore(two)
            #expect(try await two.callWhenOpen("POST", "/v1/users", makeProfile("bob"), as: used).status == 201)
            let reader = Task { try await two.call("GET", "/v1/events?cursor=now&timeout=60", as: used) }
            var refused: Node.Answer?
            try await waitUntil("the first node knows that the second node has no room") {
                refused = try await one.call("POST", "/v1/stores/\(id)/move", ["node": "two"])
                if refused?.status == 200 { _ = try await readUserNames(one, key) }
                return refused?.status == 409
            }
            #expect(refused?.description.contains("two has no room") == true)
            #expect(try await readUserNames(one, key) == ["alice"])
            // The test writes wrong numbers into the database: it shows free room at the second node, although that
            // node is full.
            try await waitUntil("the store is given to the node") {
                try world.postgres.runSQL("UPDATE sxgw_node SET room = 5 WHERE name = 'two'")
                return try await one.call("POST", "/v1/stores/\(id)/move", ["node": "two"]).status == 200
            }
            let full = try await two.call("GET", "/v1/users", as: key)
            #expect(full.status == 503 && full.description.contains("node one"), "\(full)")
            #expect(try await readUserNames(one, key) == ["alice"])
            reader.cancel()
            _ = try? await reader.value
            await one.stop(SIGTERM)
            await two.stop(SIGTERM)
        }
    }

    @Test
    func `If a store moves to a node with a full disk, its former node serves the store again`() async throws {
        try await World.run { world in
            let disk = try await FullDisk(of: world.folder.path + "/stores", controlFolder: world.folder.path)
            let (one, two) = (
                world.makeNode("one", lease: 8), world.makeNode("two", lease: 8, environment: disk.environment)
            )
            let (id, key) = try await makeStore(one)
            #expect(try await one.callWhenOpen("POST", "/v1/users", makeProfile("alice"), as: key).status == 201)
            _ = try await two.waitUntilRunning()
            disk.fill(after: 0)
            #expect(try await one.call("POST", "/v1/stores/\(id)/move", ["node": "two"]).status == 200)
            let refused = try await two.call("GET", "/v1/users", as: key)
            #expect(refused.status == 503 || refused.status == 507, "\(refused)")
            #expect(disk.refusalCount > 0)
            try await waitUntil("the store is open where there is room") {
                try await one.call("GET", "/v1/users", as: key).status == 200
            }
            #expect(try await one.call("POST", "/v1/users", makeProfile("bob"), as: key).status == 201)
            disk.freeSpace()
            #expect(try await one.call("POST", "/v1/stores/\(id)/move", ["node": "two"]).status == 200)
            #expect(try await readUserNames(two, key) == ["alice", "bob"])
            await one.stop(SIGTERM)
            await two.stop(SIGTERM)
        }
    }
}
