import JSON
import TestSupport
import Testing

@testable import Gateway

/// The end of keys and of their secrets.
extension KeysTests {
    @Test
    func `The replacement of a key's secret ends the streams that were opened with the old secret`() async throws {
        try await RealGateway.run { gateway in
            let admin = try await gateway.connectClient()
            let (key, id) = try await makeKey(admin, ["name": "reader", "scopes": ["read", "events"]])
            func stream(_ key: String) async throws -> HTTPClient {
                let client = try await HTTPClient.connect(port: gateway.port, key: key)
                try await client.send("GET", "/v1/events?cursor=now", headers: [("Accept", "application/x-ndjson")])
                #expect(try await client.receiveHead().status == 200)
                return client
            }
            let first = try await stream(key)
            let poll = try await HTTPClient.connect(port: gateway.port, key: key)
            try await poll.send("GET", "/v1/events?cursor=now&timeout=60")
            try await admin.waitForLongPolls(1)
            let ticket = try #require(
                try await HTTPClient.connect(port: gateway.port, key: key).post("/v1/events/tickets", [:]).json[
                    "ticket"
                ]?.stringValue
            )
            let second = try #require(try await admin.post("/v1/keys/\(id)/rotate", [:]).json["key"]?.stringValue)
            while try await first.receiveChunk() != nil {}
            #expect(try await poll.receiveAnswer().json["events"] == [])
            let anonymous = try await HTTPClient.connect(port: gateway.port, key: nil)
            #expect(try await anonymous.call("GET", "/v1/events?ticket=\(ticket)").status == 401)

            // Both secrets are valid for a second. Then the old secret expires, and its stream ends.
            let (old, third) = (
                try await stream(second),
                try await admin.post("/v1/keys/\(id)/rotate", ["graceSeconds": 1]).json["key"]?.stringValue
            )
            let new = try await stream(try #require(third))
            while try await old.receiveChunk() != nil {}
            _ = try await admin.connectUsers(try await admin.createUser("alice"), try await admin.createUser("bob"))
            while let chunk = try await new.receiveChunk(), !String(decoding: chunk, as: UTF8.self).contains("{") {}
            #expect(
                try await HTTPClient.connect(port: gateway.port, key: second).call("GET", "/v1/whoami").status == 401
            )
        }
    }

    @Test
    func `An expiring or revoked key cannot change a permanent key`() async throws {
        try await RealGateway.run { gateway in
            let root = try await gateway.connectClient()
            let (lastingKey, lasting) = try await makeKey(root, ["name": "lasting", "scopes": ["admin"]])
            let (key, id) = try await makeKey(root, ["name": "temporary", "scopes": ["admin"], "expiresIn": 1000])
            let temporary = try await HTTPClient.connect(port: gateway.port, key: key)
            #expect(try await temporary.post("/v1/keys/\(lasting)/rotate", [:]).status == 404)
            #expect(
                try await HTTPClient.connect(port: gateway.port, key: lastingKey).call("GET", "/v1/whoami").status
                    == 200
            )
            #expect(try await temporary.post("/v1/keys/\(id)/rotate", [:]).status == 200)

            let (held, heldID) = try await makeKey(root, ["name": "held", "scopes": ["admin"]])
            let file = KeyFile(folder: gateway.folder)
            let ring = try KeyRing(file: file)
            let principal = try #require(ring.findPrincipal(for: held))
            #expect(try await root.call("DELETE", "/v1/keys/\(heldID)").status == 204)
            #expect(throws: KeyFileError.self) {
                try file.addKey(name: "a", scopes: .admin, userId: nil, chats: nil, expires: nil, by: principal)
            }
            #expect(throws: KeyFileError.self) { try file.rotateKey(id: lasting, grace: 0, by: principal) }
            #expect(throws: KeyFileError.self) { try file.revokeKey(id: lasting, by: principal) }
        }
    }

    @Test
    func `An expired key is invalid, and its streams end`() async throws {
        let clock = HeldClock(at: 1_000_000_000)
        try await ServedGateway.run {
            $0.clock = clock.gatewayClock
        } _: { served in
            let file = KeyFile(folder: served.folder)
            let soon = try file.addKey(name: "soon", scopes: [.read, .events], expires: 1_000_000_060).key.text
            let past = try file.addKey(name: "past", scopes: .admin, expires: 1_000_000_000).key.text
            let stream = try await served.connectClient(key: soon)
            try await stream.send("GET", "/v1/events", headers: [("Accept", "application/x-ndjson")])
            #expect(try await stream.receiveHead().status == 200)
            #expect(try await served.connectClient(key: past).call("GET", "/v1/whoami").status == 401)
            clock.advance(by: 59)
            #expect(try await served.connectClient(key: soon).call("GET", "/v1/whoami").status == 200)
            clock.advance(by: 1)
            #expect(try await served.connectClient(key: soon).call("GET", "/v1/whoami").status == 401)
            #expect(try await stream.readRest().hasSuffix("{\"event\":{\"type\":\"keyEnded\"}}\n"))
        }
    }

    @Test
    func `A stream whose key is revoked ends with the reason 'keyEnded' on every transport`() async throws {
        try await ServedGateway.run { served in
            let (key, record) = try KeyFile(folder: served.folder).addKey(
                name: "reader",
                scopes: [.read, .write, .events]
            )
            let open = { () async throws -> HTTPClient in try await served.connectClient(key: key.text) }
            let events = try await open()
            try await events.send("GET", "/v1/events", headers: [("Accept", "text/event-stream")])
            #expect(try await events.receiveHead().status == 200)
            let (entries, terminal) = (
                try await WebSocketClient.open(open(), "/v1/events/ws"), try await WebSocketClient.open(open(), "/")
            )
            #expect(try await served.connectClient().call("DELETE", "/v1/keys/\(record.id)").status == 204)
            #expect(
                try await events.readRest().hasSuffix("event: keyEnded\ndata: {\"event\":{\"type\":\"keyEnded\"}}\n\n")
            )
            #expect(try await entries.receiveJSON() == ["event": ["type": "keyEnded"]])
            #expect(try await entries.receiveClose() == ["4401", "keyEnded"])
            #expect(try await terminal.receiveClose() == ["1008", "keyEnded"])
        }
    }

    @Test
    func `A request that waits for a delivery is answered as soon as the secret of its key is replaced`() async throws {
        try await RealGateway.run { gateway in
            let admin = try await gateway.connectClient()
            let (bob, _) = try await ShortMessageTests.makeContacts(admin)
            let (key, id) = try await makeKey(admin, ["name": "sender", "userId": 1])
            await gateway.relay.stopAndWait()
            let sender = try await HTTPClient.connect(port: gateway.port, key: key)
            let body = Array("hello".utf8)
            try await sender.send(
                "POST",
                "/v1/users/1/chats/direct/\(bob)/messages?wait=delivered&timeout=60",
                headers: [("Content-Type", "text/plain")],
                body: body
            )
            try await waitUntil("the message is stored") {
                try await admin.call("GET", "/v1/users/1/chats/direct/\(bob)").text.contains("\"hello\"")
            }
            #expect(try await admin.post("/v1/keys/\(id)/rotate", [:]).status == 200)
            let begin = ContinuousClock.now
            let answer = try await sender.receiveAnswer()
            #expect(answer.status == 201 && ContinuousClock.now - begin < .seconds(30), "\(answer.text)")
            #expect(try answer.json["chatItems"]?[0]?["chatItem"]?["meta"]?["itemStatus"]?["type"] == "sndNew")
        }
    }

    @Test
    func `After a rotation, a key's record shows the expiry of the old secret until the old secret has expired`()
        async throws
    {
        let clock = HeldClock(at: 1_000_000_000)
        try await ServedGateway.run {
            $0.clock = clock.gatewayClock
        } _: { served in
            let admin = try await served.connectClient()
            let (_, id) = try await makeKey(admin, ["name": "bot"])
            #expect(try await admin.call("GET", "/v1/keys/\(id)").json["previousSecretExpiresAt"] == nil)
            let rotated = try await admin.post("/v1/keys/\(id)/rotate", ["graceSeconds": 60]).json
            #expect(rotated["record"]?["previousSecretExpiresAt"] == "2001-09-09T01:47:40.000000000Z")
            let keys = try await admin.call("GET", "/v1/keys").json["keys"]?.arrayValue ?? []
            #expect(keys.compactMap { $0["previousSecretExpiresAt"] } == ["2001-09-09T01:47:40.000000000Z"])
            clock.advance(by: 60)
            #expect(try await admin.call("GET", "/v1/keys/\(id)").json["previousSecretExpiresAt"] == nil)
        }
    }
}
