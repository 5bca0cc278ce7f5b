import ChatCore
import Files
import JSON
import TestSupport
import Testing

@testable import Gateway

@Suite("Consumers over HTTP", .socketTimeLimit) struct ConsumersTests {
    private let path = "/v1/consumers/bot"

    private func eventIDs(_ taken: JSONValue) -> JSONValue {
        .array((taken["events"]?.arrayValue ?? []).compactMap { $0["id"] })
    }

    /// Takes events until there are none, and acknowledges them.
    private func drainEvents(_ client: HTTPClient) async throws -> [JSONValue] {
        var events: [JSONValue] = []
        while true {
            let taken = try await client.post("\(path)/take", ["limit": 100]).json
            let part = taken["events"]?.arrayValue ?? []
            guard !part.isEmpty else { return events }
            events += part
            let answer = try await client.post("\(path)/ack", ["ids": eventIDs(taken)])
            #expect(answer.status == 200, "\(answer.text)")
        }
    }

    private func makeKey(
        _ admin: HTTPClient,
        _ gateway: RealGateway,
        _ body: JSONValue
    ) async throws -> (
        client: HTTPClient, id: String
    ) {
        let made = try await admin.post("/v1/keys", body).json
        let client = try await HTTPClient.connect(port: gateway.port, key: made["key"]?.stringValue)
        return (client, try #require(made["record"]?["keyId"]?.stringValue))
    }

    @Test
    func `The routes of a consumer answer as in the contract, from its creation to its deletion`() async throws {
        try await RealGateway.run { gateway in
            let client = try await gateway.connectClient()
            let made = try await client.put(
                path,
                ["filter": ["types": ["contactConnected"]], "deadlineSeconds": 3_600]
            )
            #expect(made.status == 201 && made.header("location") == path, "\(made.text)")
            let begin = try await client.call("GET", "/v1/events?cursor=now").json["cursor"]?.stringValue ?? ""
            _ = try await ShortMessageTests.makeContacts(client)
            let wanted =
                try await client.call("GET", "/v1/events?cursor=\(begin)&types=contactConnected&limit=1000").json[
                    "events"
                ]?.arrayValue ?? []
            #expect(wanted.count == 2)
            let taken = try await client.post("\(path)/take", ["limit": 1]).json
            #expect(taken["events"]?[0]?["event"] == wanted[0] && taken["events"]?[0]?["attempt"] == 1)
            let metrics = try await client.call("GET", "/metrics").text
            #expect(metrics.contains("sxgw_consumer_handed_out{consumer=\"bot\"} 1\n"))
            #expect(try await client.post("\(path)/ack", ["ids": eventIDs(taken)]).json["acknowledged"] == 1)
            #expect(try await drainEvents(client).compactMap { $0["event"] } == [wanted[1]])
            let changed = try await client.put(path, ["deadlineSeconds": 5, "maxAttempts": 3])
            let json = try changed.json
            #expect(changed.status == 200 && json["filter"] == [:] && json["maxAttempts"] == 3)
            #expect(json["handedOut"] == 0 && json["lastAcknowledgedAt"] != nil)
            let shown = try await client.call("GET", path).json
            let list = try await client.call("GET", "/v1/consumers").json["consumers"]?.arrayValue ?? []
            #expect(list.map { $0["name"] } == ["bot"] && list[0]["createdAt"] == shown["createdAt"])
            #expect(try await client.call("DELETE", path).status == 204)
            #expect(try await client.call("GET", path).status == 404)
            #expect(try await client.post("\(path)/take", [:]).status == 404)
        }
    }

    @Test
    func `A new consumer that begins at the oldest event gets all events of the journal`() async throws {
        try await RealGateway.run { gateway in
            let client = try await gateway.connectClient()
            _ = try await ShortMessageTests.makeContacts(client)
            let made = try await client.put(path, ["from": "oldest"]).json
            #expect(try #require(made["lag"]?.integerValue) > 0)
            let all = try await client.call("GET", "/v1/events?limit=1000").json["events"]?.arrayValue ?? []
            let taken = try await drainEvents(client).compactMap { $0["event"]?["id"]?.stringValue }
            #expect(Set(taken).isSuperset(of: all.compactMap { $0["id"]?.stringValue }) && !all.isEmpty)
        }
    }

    @Test
    func `After a restart, acknowledged events are not handed out again, and unacknowledged events stay handed out`()
        async throws
    {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let taken = try await RealGateway.run(in: folder) { gateway in
            let client = try await gateway.connectClient()
            let settings: JSONValue = ["filter": ["types": ["contactConnected"]], "deadlineSeconds": 3_600]
            #expect(try await client.put(path, settings).status == 201)
            _ = try await ShortMessageTests.makeContacts(client)
            return try await client.post("\(path)/take", [:]).json
        }
        let count = taken["events"]?.arrayValue?.count ?? 0
        try await RealGateway.run(in: folder) { gateway in
            let client = try await gateway.connectClient()
            let shown = try await client.call("GET", path).json
            #expect(shown["handedOut"] == .integer(Int64(count)) && count > 0)
            #expect(
                try await client.post("\(path)/ack", ["ids": eventIDs(taken)]).json["acknowledged"]
                    == shown["handedOut"]
            )
        }
        try await RealGateway.run(in: folder) { gateway in
            let client = try await gateway.connectClient()
            let first = Set((taken["events"]?.arrayValue ?? []).compactMap { $0["event"]?["id"]?.stringValue })
            let rest = try await drainEvents(client).compactMap { $0["event"]?["id"]?.stringValue }
            #expect(first.isDisjoint(with: rest) && first.count + rest.count == 2)
        }
    }

    @Test
    func `The acknowledgement or refusal of an event that is not handed out gets 409 with the id of the event`()
        async throws
    {
        try await RealGateway.run { gateway in
            let client = try await gateway.connectClient()
            #expect(try await client.put(path, [:]).status == 201)
            for operation in ["ack", "nack"] {
                let answer = try await client.post("\(path)/\(operation)", ["ids": ["a-1.2.3"]])
                let json = try answer.json
                #expect(answer.status == 409 && json["code"] == "notHandedOut" && json["ids"] == ["a-1.2.3"])
            }
        }
    }

    @Test
    func `Two simultaneous acknowledgements of an event get 200, and only one of them counts the event as new`()
        async throws
    {
        try await RealGateway.run { gateway in
            let (client, other) = (try await gateway.connectClient(), try await gateway.connectClient())
            #expect(try await client.put(path, [:]).status == 201)
            _ = try await ShortMessageTests.makeContacts(client)
            let ids = eventIDs(try await client.post("\(path)/take", ["limit": 1]).json)
            let foreign: JSONValue = .array((ids.arrayValue ?? []) + ["a-1.2.3"])
            let refused = try await client.post("\(path)/ack", ["ids": foreign])
            #expect(try refused.status == 409 && refused.json["ids"] == ["a-1.2.3"], "\(refused.text)")
            async let first = client.post("\(path)/ack", ["ids": ids])
            async let second = other.post("\(path)/ack", ["ids": ids])
            let answers = [try await first, try await second]
            #expect(answers.map(\.status) == [200, 200])
            // The refused acknowledgement has acknowledged nothing, so exactly one of both requests acknowledges the
            // event.
            #expect(try answers.compactMap { try $0.json["acknowledged"]?.integerValue }.sorted() == [0, 1])
            #expect(try answers.compactMap { try $0.json["alreadyAcknowledged"]?.integerValue }.sorted() == [0, 1])
        }
    }

    @Test
    func `A request for a consumer with an invalid name, setting or JSON member is refused`() async throws {
        try await RealGateway.run { gateway in
            let client = try await gateway.connectClient()
            let wrong: [(String, JSONValue, Int)] = [
                (path, ["deadlineSeconds": 4], 422), (path, ["deadlineSeconds": 3_601], 422),
                (path, ["maxAttempts": 0], 422), (path, ["maxAttempts": 101], 422),
                (path, ["filter": ["types": ["noSuchEvent"]]], 422), (path, ["filter": ["kinds": []]], 400),
                (path, ["since": "now"], 400), (path, ["from": "0-1"], 410), ("/v1/consumers/a%20b", [:], 400),
                ("/v1/consumers/" + String(repeating: "a", count: 65), [:], 400),
            ]
            for (target, body, status) in wrong {
                let answer = try await client.put(target, body)
                #expect(answer.status == status, "\(target) \(body.text): \(answer.text)")
            }
            #expect(try await client.call("GET", "/v1/consumers").json["consumers"] == [])
            #expect(try await client.put(path, [:]).status == 201)
            for (operation, body) in [
                ("take", ["limit": 101]), ("take", ["timeout": 61]), ("ack", [:]), ("ack", ["ids": []]),
                ("nack", ["ids": ["a"], "delaySeconds": -1]), ("set-aside/retry", ["ids": ["a"]]),
            ] as [(String, JSONValue)] {
                let answer = try await client.post("\(path)/\(operation)", body)
                #expect(answer.status == 422, "\(operation) \(body.text): \(answer.text)")
            }
        }
    }

    @Test
    func `A key without 'admin' gets 409 for its 26th consumer, and an administrator can create more`() async throws {
        try await RealGateway.run { gateway in
            let admin = try await gateway.connectClient()
            _ = try await admin.createUser("alice")
            let bot = try await makeKey(admin, gateway, ["name": "bot", "scopes": ["events"]]).client
            for number in 0..<25 { #expect(try await bot.put("/v1/consumers/\(number)", [:]).status == 201) }
            #expect(try await bot.put("/v1/consumers/25", [:]).status == 409)
            #expect(try await admin.put("/v1/consumers/25", [:]).status == 201)
        }
    }

    @Test
    func `A key cannot see or use consumers that have more rights than the key`() async throws {
        try await RealGateway.run { gateway in
            let admin = try await gateway.connectClient()
            _ = try await ShortMessageTests.makeContacts(admin)
            let bound = try await makeKey(admin, gateway, ["name": "bound", "userId": 1]).client
            #expect(try await admin.put("/v1/consumers/all", ["from": "oldest"]).status == 201)
            #expect(try await bound.put(path, ["from": "oldest"]).status == 201)
            #expect(try await bound.put("/v1/consumers/other", ["filter": ["users": [2]]]).status == 403)
            #expect(try await bound.put("/v1/consumers/all", [:]).status == 409)
            for (method, place) in [("GET", ""), ("DELETE", ""), ("POST", "/take"), ("GET", "/set-aside")] {
                let answer = try await bound.call(method, "/v1/consumers/all\(place)")
                #expect(answer.status == 404, "\(method) \(place)")
            }
            let names = try await bound.call("GET", "/v1/consumers").json["consumers"]?.arrayValue ?? []
            #expect(names.map { $0["name"] } == ["bot"])
            let events = try await drainEvents(bound)
            #expect(!events.isEmpty && events.allSatisfy { [nil, 1].contains($0["event"]?["userId"]) })
        }
    }

    @Test
    func `After a consumer's key is revoked, another key with the same rights can use the consumer`() async throws {
        try await RealGateway.run { gateway in
            let admin = try await gateway.connectClient()
            _ = try await admin.createUser("alice")
            let first = try await makeKey(admin, gateway, ["name": "first", "scopes": ["events"]])
            let other = try await makeKey(admin, gateway, ["name": "other", "scopes": ["events"]])
            #expect(try await first.client.put(path, [:]).status == 201)
            #expect(try await other.client.call("GET", path).status == 200)
            #expect(try await other.client.post("\(path)/take", [:]).status == 403)
            #expect(try await other.client.put(path, [:]).status == 403)
            #expect(try await admin.post("\(path)/take", [:]).status == 200)
            #expect(try await admin.call("DELETE", "/v1/keys/\(first.id)").status == 204)
            #expect(try await other.client.post("\(path)/take", [:]).status == 200)
            #expect(try await other.client.put(path, [:]).json["keyId"] == .string(other.id))
        }
    }

    @Test
    func `A repeated 'take' or acknowledgement with an idempotency key gets the first answer`() async throws {
        try await RealGateway.run { gateway in
            let client = try await gateway.connectClient()
            #expect(try await client.put(path, [:]).status == 201)
            _ = try await ShortMessageTests.makeContacts(client)
            let header = { (text: String) in [("Idempotency-Key", text)] }
            let taken = try await client.post("\(path)/take", ["limit": 1], headers: header("take"))
            let again = try await client.post("\(path)/take", ["limit": 1], headers: header("take"))
            #expect(taken.body == again.body && again.header("idempotent-replayed") == "true")
            let body: JSONValue = ["ids": eventIDs(try taken.json)]
            for _ in 0..<2 {
                let done = try await client.post("\(path)/ack", body, headers: header("ack"))
                #expect(try done.json == ["acknowledged": 1, "alreadyAcknowledged": 0], "\(done.text)")
            }
            #expect(try await client.post("\(path)/ack", body).json == ["acknowledged": 0, "alreadyAcknowledged": 1])
        }
    }

    @Test
    func `Events are not handed out to a worker that has closed its connection`() async throws {
        try await RealGateway.run { gateway in
            let client = try await gateway.connectClient()
            #expect(try await client.put(path, [:]).status == 201)
            let worker = try await RawConnection.open(port: gateway.port)
            let body = #"{"timeout":60}"#
            try await worker.send(
                "POST \(path)/take HTTP/1.1\r\nHost: 127.0.0.1:\(gateway.port)\r\nAuthorization: Bearer \(gateway.key)\r\n"
                    + "Content-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
            )
            try await worker.finishSending()
            _ = try await ShortMessageTests.makeContacts(client)
            let answer = try await worker.receive { bytes, _ in
                let text = String(decoding: bytes, as: UTF8.self)
                return text.contains(#"{"events":["#) && text.hasSuffix("]}") ? text : nil
            }
            #expect(answer.hasPrefix("HTTP/1.1 200 ") && answer.hasSuffix(#"{"events":[]}"#), "\(answer)")
            let events = try await client.post("\(path)/take", ["limit": 100]).json["events"]?.arrayValue ?? []
            #expect(!events.isEmpty && events.allSatisfy { $0["attempt"] == 1 })
        }
    }

    @Test
    func `A request to change a consumer is refused if it has the ETag of an earlier state`() async throws {
        try await RealGateway.run { gateway in
            let client = try await gateway.connectClient()
            let tag = try #require(try await client.put(path, [:]).header("etag"))
            let same = try await client.put(path, [:])
            #expect(same.status == 200 && same.header("etag") == tag)
            func change(_ seconds: Int) async throws -> HTTPClient.Answer {
                try await client.call(
                    "PUT",
                    path,
                    headers: [("If-Match", tag)],
                    body: #"{"deadlineSeconds":\#(seconds)}"#
                )
            }
            #expect(try await change(30).status == 200)
            let late = try await change(40)
            #expect(late.status == 412)
            #expect(try await client.call("GET", path).json["deadlineSeconds"] == 30)
            let missing = try await client.call("PUT", "/v1/consumers/none", headers: [("If-Match", tag)], body: "{}")
            #expect(missing.status == 412)
            let onlyNew = [("If-None-Match", "*")]
            #expect(try await client.call("PUT", path, headers: onlyNew, body: "{}").status == 412)
            #expect(try await client.call("PUT", "/v1/consumers/other", headers: onlyNew, body: "{}").status == 201)
        }
    }

    @Test
    func `Set-aside events can be listed page by page, retried and deleted`() async throws {
        try await RealGateway.run { gateway in
            let client = try await gateway.connectClient()
            #expect(
                try await client.put(path, ["maxAttempts": 1, "filter": ["types": ["contactConnected"]]]).status == 201
            )
            _ = try await ShortMessageTests.makeContacts(client)
            var count = 0
            while count < 2 {
                let taken = try await client.post("\(path)/take", ["timeout": 60]).json
                let refused = try await client.post("\(path)/nack", ["ids": eventIDs(taken)])
                #expect(refused.status == 200, "\(refused.text)")
                count += taken["events"]?.arrayValue?.count ?? 0
            }
            let first = try await client.call("GET", "\(path)/set-aside?limit=1")
            let next = try #require(try first.json["next"]?.stringValue)
            #expect(first.header("link") == "<\(path)/set-aside?limit=1&cursor=\(next)>; rel=\"next\"")
            let second = try await client.call("GET", "\(path)/set-aside?limit=1&cursor=\(next)").json
            let prev = try #require(second["prev"]?.stringValue)
            let back = try await client.call("GET", "\(path)/set-aside?limit=1&cursor=\(prev)").json
            #expect(back["events"] == (try first.json["events"]) && back["prev"] == .null)
            let event = try #require(try first.json["events"]?[0]), other = try #require(second["events"]?[0])
            #expect(second["next"] == .null && event["attempts"] == 1 && event["event"]?["id"] == event["id"])
            let id = try #require(other["id"]?.stringValue)
            #expect(try await client.call("DELETE", "\(path)/set-aside/\(id)").status == 204)
            #expect(try await client.call("DELETE", "\(path)/set-aside/\(id)").status == 404)
            #expect(try await client.post("\(path)/set-aside/retry", [:]).json["retried"] == 1)
            #expect(try await drainEvents(client).compactMap { $0["event"] } == [event["event"] ?? .null])
            #expect(try await client.call("GET", path).json["setAside"] == 0)
        }
    }
}
