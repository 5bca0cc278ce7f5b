import Gateway
import JSON
import TestSupport
import Testing

@Suite(.socketTimeLimit) struct EventsTests {
    @Test
    func `A long poll without a cursor returns entries of the journal, beginning with the oldest entry`() async throws {
        try await ServedGateway.run { served in
            served.core.journal.publish(["one", "two", "three"])
            let client = try await served.connectClient()
            let first = try await client.call("GET", "/v1/events?limit=2").json
            #expect(first["events"]?.arrayValue?.map { $0["event"]?["type"] } == ["one", "two"])
            #expect(first["events"]?[0]?["id"] == "test-1")
            #expect(first["cursor"] == "test-2")
            let second = try await client.call("GET", "/v1/events?cursor=test-2").json
            #expect(second["events"]?.arrayValue?.count == 1)
            #expect(second["cursor"] == "test-3")
        }
    }

    @Test
    func `A waiting long poll is answered when an event is published`() async throws {
        try await ServedGateway.run { served in
            let client = try await served.connectClient()
            try await client.send("GET", "/v1/events?timeout=30")
            try await served.connectClient().waitForLongPolls(1)
            served.core.journal.publish(["late"], userId: 1)
            let answer = try await client.receiveAnswer().json
            #expect(answer["events"]?[0]?["event"]?["type"] == "late")
            #expect(answer["events"]?[0]?["userId"] == 1)
        }
    }

    @Test
    func `A long poll without an event returns an empty page with the same cursor`() async throws {
        try await ServedGateway.run { served in
            served.core.journal.publish(["one"])
            let answer = try await served.connectClient().call("GET", "/v1/events?cursor=now&timeout=1").json
            #expect(answer["events"] == [])
            #expect(answer["cursor"] == "test-1")
        }
    }

    @Test
    func `A read of entries that the journal deletes during the read gets 410 with the oldest cursor`() async throws {
        try await ServedGateway.run { served in
            let journal = served.core.journal
            journal.publish(["one", "two", "three"])
            journal.willRead.withLock { $0 = { journal.removeEntries(before: 3) } }
            let answer = try await served.connectClient().call("GET", "/v1/events?cursor=test-1")
            #expect(answer.status == 410)
            #expect(try answer.json["oldest"] == "test-2")
        }
    }

    @Test
    func `A request with a cursor that is too old, in the future or of another journal gets 410 and the oldest cursor`()
        async throws
    {
        try await ServedGateway.run { served in
            served.core.journal.publish(["one", "two", "three"])
            served.core.journal.removeEntries(before: 3)
            let client = try await served.connectClient()
            for cursor in ["test-1", "other-3", "test-99"] {
                let answer = try await client.call("GET", "/v1/events?cursor=\(cursor)")
                #expect(answer.status == 410)
                #expect(try answer.json["oldest"] == "test-2")
            }
            #expect(try await client.call("GET", "/v1/events?cursor=nonsense").status == 400)
            let lines = try await client.call(
                "GET",
                "/v1/events?cursor=test-1",
                headers: [("Accept", "application/x-ndjson")]
            )
            #expect(lines.status == 410)
        }
    }

    @Test
    func `A browser with an expired cursor gets the event 'gap' with the oldest cursor`() async throws {
        try await ServedGateway.run { served in
            served.core.journal.publish(["one", "two", "three"])
            served.core.journal.removeEntries(before: 3)
            let gap: JSONValue = ["event": ["type": "gap", "oldest": "test-2"]]
            for cursor in ["test-1", "other-3", "test-99"] {
                let client = try await served.connectClient()
                let headers = [("Accept", "text/event-stream"), ("Last-Event-ID", cursor)]
                let answer = try await client.call("GET", "/v1/events?cursor=now", headers: headers)
                #expect(answer.status == 200)
                #expect(answer.header("content-type") == "text/event-stream")
                #expect(answer.text == "event: gap\nid: test-2\ndata: \(gap.text)\n\n")
                let socket = try await WebSocketClient.open(client, "/v1/events/ws?cursor=\(cursor)")
                #expect(try await socket.receiveJSON() == gap)
                #expect(try await socket.receiveCloseCode() == 4410)
            }
            // An EventSource sends `Last-Event-ID` when it reconnects automatically, and continues at the oldest entry.
            let client = try await served.connectClient()
            try await client.send(
                "GET",
                "/v1/events",
                headers: [("Accept", "text/event-stream"), ("Last-Event-ID", "test-2")]
            )
            _ = try await client.receiveHead()
            var text = ""
            while !text.contains("three") {
                text += String(decoding: try await client.receiveChunk() ?? [], as: UTF8.self)
            }
            #expect(
                try await served.connectClient().call(
                    "GET",
                    "/v1/events?cursor=nonsense",
                    headers: [("Accept", "text/event-stream")]
                ).status == 400
            )
            #expect(
                try await WebSocketClient.sendHandshake(served.connectClient(), "/v1/events/ws?cursor=test-1&cursr=2")
                    .status
                    == 400
            )
            #expect(try await WebSocketClient.sendHandshake(served.connectClient(), "/?cursor=test-1").status == 410)
        }
    }

    @Test
    func `A key for one profile gets the events of this profile and the events that concern the whole core`()
        async throws
    {
        try await ServedGateway.run { served in
            let key = try KeyFile(folder: served.folder).addKey(name: "bob", scopes: .events, userId: 2).key
            served.core.journal.publish(["alices"], userId: 1)
            served.core.journal.publish(["bobs"], userId: 2)
            served.core.journal.publish(["all"])
            let client = try await served.connectClient(key: key.text)
            try await client.waitForStatus(200, at: "/v1/events")
            #expect(
                try await client.call("GET", "/v1/events").json["events"]?.arrayValue?.map { $0["event"]?["type"] } == [
                    "bobs", "all",
                ]
            )
        }
    }

    @Test
    func `A key for one profile gets no event of another or unknown profile`() async throws {
        try await ServedGateway.run { served in
            let key = try KeyFile(folder: served.folder).addKey(name: "bob", scopes: .events, userId: 2).key
            served.core.journal.publish(["ofAlice"], audience: .user(1))
            served.core.journal.publish(["ofNobodyKnown"], audience: .keysWithoutUser)
            served.core.journal.publish(["ofBob"], audience: .user(2))
            served.core.journal.publish(["all"], audience: .everybody)
            let client = try await served.connectClient(key: key.text)
            try await client.waitForStatus(200, at: "/v1/events")
            #expect(
                try await client.call("GET", "/v1/events").json["events"]?.arrayValue?.map { $0["event"]?["type"] } == [
                    "ofBob", "all",
                ]
            )
            let all = try await served.connectClient().call("GET", "/v1/events").json["events"]?.arrayValue
            #expect(all?.map { $0["event"]?["type"] } == ["ofAlice", "ofNobodyKnown", "ofBob", "all"])
            #expect(all?.contains { $0["userId"] != nil } == false)
            let socket = try await WebSocketClient.open(
                served.connectClient(key: key.text),
                "/v1/events/ws?cursor=test-0"
            )
            #expect(try await socket.receiveJSON()["event"]?["type"] == "ofBob")
            #expect(try await socket.receiveJSON()["event"]?["type"] == "all")
        }
    }

    @Test
    func `A poll that matches few events reads at most 4,096 entries, and the next poll continues after them`()
        async throws
    {
        try await ServedGateway.run { served in
            let key = try KeyFile(folder: served.folder).addKey(name: "bob", scopes: .events, userId: 2).key
            let client = try await served.connectClient(key: key.text)
            try await client.waitForStatus(200, at: "/v1/events")
            served.core.journal.publish(Array(repeating: "others", count: 6000), userId: 1)
            served.core.journal.publish(["own", "own"], userId: 2)
            let before = served.core.journal.readCounts.count
            let first = try await client.call("GET", "/v1/events?limit=1&cursor=test-0").json
            #expect(first["events"] == [])
            #expect(first["cursor"] == "test-4096")
            let reads = served.core.journal.readCounts.dropFirst(before)
            #expect(reads.count == 16 && reads.reduce(0, +) == 4096)
            let second = try await client.call("GET", "/v1/events?limit=1&cursor=test-4096").json
            #expect(second["events"]?.arrayValue?.count == 1)
            #expect(second["cursor"] == "test-6001")
            #expect(served.core.journal.readCounts.count == before + 24)
            #expect(try await client.call("GET", "/v1/events?limit=1&cursor=test-6001").json["cursor"] == "test-6002")
        }
    }

    @Test
    func `A stream of Server-Sent Events resumes after Last-Event-ID`() async throws {
        try await ServedGateway.run { served in
            served.core.journal.publish(["one", "two"])
            let client = try await served.connectClient()
            try await client.send(
                "GET",
                "/v1/events",
                headers: [("Accept", "text/event-stream"), ("Last-Event-ID", "test-1")]
            )
            let head = try await client.receiveHead()
            #expect(head.headers.contains { $0.name == "content-type" && $0.value == "text/event-stream" })
            var text = ""
            while !text.contains("two") {
                text += String(decoding: try await client.receiveChunk() ?? [], as: UTF8.self)
            }
            #expect(!text.contains("\"one\""))
            #expect(text.contains("id: test-2\ndata: {\"id\":\"test-2\""))
            served.core.journal.publish(["three"])
            while !text.contains("three") {
                text += String(decoding: try await client.receiveChunk() ?? [], as: UTF8.self)
            }
            #expect(text.contains("id: test-3\n"))
            await client.connection.close()
        }
    }

    @Test
    func `A silent stream sends heartbeats`() async throws {
        try await ServedGateway.run({ $0.heartbeatSeconds = 1 }) { served in
            let client = try await served.connectClient()
            try await client.send("GET", "/v1/events", headers: [("Accept", "text/event-stream")])
            _ = try await client.receiveHead()
            for _ in 0..<2 {
                let chunk = try #require(try await client.receiveChunk())
                #expect(String(decoding: chunk, as: UTF8.self) == ":\n\n")
            }
        }
    }

    @Test
    func `NDJSON streams contain every event in order`() async throws {
        try await ServedGateway.run { served in
            let client = try await served.connectClient()
            try await client.send("GET", "/v1/events?cursor=now", headers: [("Accept", "application/x-ndjson")])
            _ = try await client.receiveHead()
            let long = String(repeating: "x", count: 2000)
            for index in 0..<400 { served.core.journal.publish(["\(index)-\(long)"]) }
            var received: [UInt8] = []
            var lines = 0
            while lines < 400 {
                let chunk = try #require(try await client.receiveChunk())
                lines += chunk.count { $0 == 10 }
                received += chunk
                if received.starts(with: [10]) {
                    received.removeFirst()
                    lines -= 1
                }
            }
            let numbers = received.split(separator: 10).compactMap { line -> Int? in
                (try? JSONValue(parsing: Array(line)))?["event"]?["type"]?.stringValue?.split(separator: "-").first
                    .flatMap { Int($0) }
            }
            #expect(numbers == Array(0..<400))
        }
    }

    @Test
    func `A stop of the gateway answers a waiting long poll`() async throws {
        let client = try await ServedGateway.run { served in
            let client = try await served.connectClient()
            try await client.send("GET", "/v1/events?timeout=60")
            try await served.connectClient().waitForLongPolls(1)
            return client
        }
        #expect(try await client.receiveAnswer().json["events"] == [])
    }
}
