import ChatCore
import Foundation
import JSON
import TestSupport
import Testing

@testable import Gateway

@Suite("Keys over HTTP", .overSockets)
struct KeysTests {
    private func make(
        _ client: HTTPClient,
        _ body: JSONValue,
        file: String = #fileID,
        line: Int = #line
    ) async throws -> (key: String, id: String) {
        let answer = try await client.post("/v1/keys", body)
        #expect(answer.status == 201 && answer.header("cache-control") == "no-store", "\(answer.text) \(file):\(line)")
        let json = try answer.json
        let id = try #require(json["record"]?["keyId"]?.stringValue)
        #expect(answer.header("location") == "/v1/keys/\(id)")
        return (try #require(json["key"]?.stringValue), id)
    }

    @Test("A key can be created, used, listed, rotated and revoked, and its secret is shown only once")
    func keyUntilRevoked() async throws {
        try await RealGateway.run { gateway in
            let admin = try await gateway.client()
            _ = try await admin.user("alice")
            let (key, id) = try await make(admin, ["name": "bot", "scopes": ["read", "events"], "userId": 1])
            let bot = try await HTTPClient.connect(port: gateway.port, key: key)
            let who = try await bot.call("GET", "/v1/whoami").json
            #expect(
                who == [
                    "keyId": .string(id), "name": "bot", "scopes": ["read", "events"], "storeId": "default",
                    "userId": 1,
                ]
            )
            #expect(try await bot.call("GET", "/v1/users/1").json["user"]?["localDisplayName"] == "alice")
            #expect(try await bot.call("GET", "/v1/users").status == 403)
            #expect(try await bot.call("GET", "/v1/keys").status == 403)
            #expect(try KeyFile(folder: gateway.folder).load().map(\.id).contains(id))
            let listed = try await admin.call("GET", "/v1/keys")
            #expect(
                try listed.json["keys"]?.arrayValue?.count == 2 && !listed.text.contains("sxgw_")
                    && !listed.text.contains("sha256")
            )
            let used = try await admin.call("GET", "/v1/keys/\(id)").json
            #expect(used["lastUsedAt"]?.stringValue != nil && used["lastUsedFrom"] == "127.0.0.1")
            let stream = try await HTTPClient.connect(port: gateway.port, key: key)
            try await stream.send("GET", "/v1/events?cursor=now", headers: [("Accept", "application/x-ndjson")])
            #expect(try await stream.head().status == 200)
            let rotated = try await admin.post("/v1/keys/\(id)/rotate", [:]).json
            let second = try #require(rotated["key"]?.stringValue)
            #expect(rotated["record"]?["keyId"] == .string(id) && second != key)
            #expect(try await bot.call("GET", "/v1/whoami").status == 401)
            let third = try #require(
                try await admin.post("/v1/keys/\(id)/rotate", ["graceSeconds": 600]).json["key"]?.stringValue
            )
            for good in [second, third] {
                #expect(
                    try await HTTPClient.connect(port: gateway.port, key: good).call("GET", "/v1/whoami").json["keyId"]
                        == .string(id)
                )
            }
            for wrong: JSONValue in [["graceSeconds": -1], ["graceSeconds": 604_801], ["graceSeconds": "x"]] {
                #expect(try await admin.post("/v1/keys/\(id)/rotate", wrong).status == 422)
            }
            #expect(try await admin.call("DELETE", "/v1/keys/\(id)").status == 204)
            for bad in [second, third] {
                #expect(
                    try await HTTPClient.connect(port: gateway.port, key: bad).call("GET", "/v1/whoami").status == 401
                )
            }
            while try await stream.chunk() != nil {}
            #expect(try await admin.call("DELETE", "/v1/keys/\(id)").status == 404)
            #expect(try await admin.post("/v1/keys/none/rotate", [:]).status == 404)
            #expect(try String(contentsOfFile: gateway.folder + "/keys.json", encoding: .utf8).contains(third) == false)
        }
    }

    @Test("Only the first client that rotates a claimable key gets the permanent key")
    func claimed() async throws {
        let clock = HeldClock(at: 1_900_000_000)
        try await RealGateway.run(serving: { $0.clock = clock.clock }) { gateway in
            let admin = try await gateway.client()
            let (link, id) = try await make(admin, ["name": "page", "scopes": ["admin"], "claimWithin": 600])
            let (first, second) = (
                try await HTTPClient.connect(port: gateway.port, key: link),
                try await HTTPClient.connect(port: gateway.port, key: link)
            )
            #expect(try await first.call("GET", "/v1/whoami").json["keyId"] == .string(id))
            async let one = first.post("/v1/keys/\(id)/rotate", ["graceSeconds": 600, "name": "page (Firefox)"])
            async let other = second.post("/v1/keys/\(id)/rotate", ["name": "page (Firefox)"])
            let answers = [try await one, try await other]
            #expect(Set(answers.map(\.status)) == [200, 401])
            let claimed = try #require(try answers.first { $0.status == 200 }?.json)
            #expect(claimed["record"]?["previousSecretExpiresAt"] == nil)
            #expect(claimed["record"]?["name"] == "page (Firefox)")
            let key = try #require(claimed["key"]?.stringValue)
            #expect(
                try await HTTPClient.connect(port: gateway.port, key: key).call("GET", "/v1/whoami").json["keyId"]
                    == .string(id)
            )
            #expect(try await HTTPClient.connect(port: gateway.port, key: link).call("GET", "/v1/whoami").status == 401)

            let (late, lateID) = try await make(
                admin,
                ["name": "late", "scopes": ["admin", "events"], "claimWithin": 600]
            )
            // A second holder of the secret gets no permanent key.
            let thief = try await HTTPClient.connect(port: gateway.port, key: late)
            #expect(try await thief.post("/v1/keys", ["name": "mine", "scopes": ["admin"]]).status == 403)
            #expect(try await thief.post("/v1/keys/\(id)/rotate", [:]).status == 403)
            for path in ["/v1/keys", "/v1/events", "/v1/users", "/metrics"] {
                #expect(try await thief.call("GET", path).status == 403, "\(path)")
            }
            clock.advance(by: 600)
            #expect(
                try await HTTPClient.connect(port: gateway.port, key: late).post("/v1/keys/\(lateID)/rotate", [:])
                    .status == 401
            )
            for wrong: JSONValue in [0, 86_401, "600"] {
                #expect(try await admin.post("/v1/keys", ["name": "page", "claimWithin": wrong]).status == 422)
            }
        }
    }

    @Test("A rotation changes the name only to a valid name")
    func renamed() async throws {
        try await RealGateway.run { gateway in
            let admin = try await gateway.client()
            let (_, id) = try await make(admin, ["name": "bot"])
            for wrong: JSONValue in ["", " ", "a\u{202E}b", "a\nb", .string(String(repeating: "a", count: 101)), 1] {
                #expect(try await admin.post("/v1/keys/\(id)/rotate", ["name": wrong]).status == 422, "\(wrong)")
            }
            #expect(try await admin.post("/v1/keys/\(id)/rotate", ["name": "robot"]).status == 200)
            #expect(try await admin.post("/v1/keys/\(id)/rotate", [:]).status == 200)
            #expect(try await admin.call("GET", "/v1/keys/\(id)").json["name"] == "robot")
        }
    }

    @Test("The time of the last use of a key is known after a restart")
    func usedBefore() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let (id, used) = try await RealGateway.run(in: folder) { gateway in
            let admin = try await gateway.client()
            let (key, id) = try await make(admin, ["name": "bot"])
            _ = try await HTTPClient.connect(port: gateway.port, key: key).call("GET", "/v1/whoami")
            return (id, try #require(try await admin.call("GET", "/v1/keys/\(id)").json["lastUsedAt"]?.stringValue))
        }
        try await RealGateway.run(in: folder) { gateway in
            let admin = try await gateway.client()
            let key = try await admin.call("GET", "/v1/keys/\(id)").json
            #expect(key["lastUsedAt"]?.stringValue == used && key["lastUsedFrom"] == nil)
            #expect(try await admin.call("DELETE", "/v1/keys/\(id)").status == 204)
        }
        let kept = try String(contentsOfFile: folder.path + "/key-uses.json", encoding: .utf8)
        #expect(!kept.contains(id) && !kept.contains("sxgw_"))
        // The keys stay valid with any contents of the file of last uses.
        for content in ["", "[]", "{\"a\":\"b\"}", "\u{0}"] {
            try Data(content.utf8).write(to: URL(filePath: folder.path + "/key-uses.json"))
            try await RealGateway.run(in: folder) { gateway in
                let client = try await gateway.client()
                #expect(try await client.call("GET", "/v1/whoami").status == 200)
            }
        }
    }

    @Test("A request for a key with invalid members is refused")
    func refused() async throws {
        try await RealGateway.run { gateway in
            let admin = try await gateway.client()
            for body: JSONValue in [
                ["name": ""], ["name": .string(String(repeating: "a", count: 101))], ["name": "a\nb"],
                ["name": "a", "scopes": []], ["name": "a", "scopes": ["all"]],
                ["name": "a", "userId": 0], ["name": "a", "userId": -1], ["name": "a", "chats": []],
                ["name": "a", "userId": 1, "chats": ["direct/0"]],
                ["name": "a", "userId": 1, "chats": ["direct/1/2"]],
                ["name": "a", "userId": 1, "chats": ["contactConnection/1"]], ["name": "a", "chats": ["direct/1"]],
                ["name": "a", "userId": 1, "chats": ["direct/+1"]],
                ["name": "a", "userId": 1, "scopes": ["admin"], "chats": ["direct/1"]],
                ["name": "a", "expiresAt": "2020-01-01T00:00:00Z"], ["name": "a", "expiresAt": "tomorrow"],
                ["name": "a", "expiresAt": "9999-12-31T00:00:00Z"], ["name": "a", "claimWithin": 30],
                ["name": "a", "scopes": ["stores", "admin"], "userId": 1], ["name": " "], ["name": "a\u{202E}b"],
                ["name": "a", "expiresIn": 0],
                ["name": "a", "expiresIn": 1, "expiresAt": "2090-01-01T00:00:00Z"],
                ["name": "a", "expiresIn": 315_360_001],
            ] {
                #expect(try await admin.post("/v1/keys", body).status == 422, "\(body.text)")
            }
            #expect(try await admin.post("/v1/keys", ["name": "a", "scope": ["read"]]).status == 400)
            #expect(try KeyFile(folder: gateway.folder).load().count == 1)
        }
    }

    @Test("A key cannot create, see, change or revoke a key with more rights than its own")
    func noMore() async throws {
        try await RealGateway.run { gateway in
            let root = try await gateway.client()
            _ = try await root.user("alice")
            _ = try await root.user("bob")
            let plain = try await HTTPClient.connect(
                port: gateway.port,
                key: make(root, ["name": "admin", "scopes": ["admin"]]).key
            )
            let (boundKey, boundID) = try await make(
                root,
                ["name": "bound", "scopes": ["admin"], "userId": 1, "expiresIn": 1000]
            )
            let bound = try await HTTPClient.connect(port: gateway.port, key: boundKey)
            #expect(try await plain.post("/v1/keys", ["name": "a", "scopes": ["stores"]]).status == 403)
            #expect(try await bound.post("/v1/keys", ["name": "a", "userId": 2]).status == 403)
            let (key, id) = try await make(bound, ["name": "child", "scopes": ["read"], "expiresIn": 100_000])
            let child = try await HTTPClient.connect(port: gateway.port, key: key)
            let who = try await child.call("GET", "/v1/whoami").json
            #expect(who["userId"] == 1)
            #expect(try await bound.call("GET", "/v1/whoami").json["expiresAt"] == who["expiresAt"])
            let rootID = try #require(try await root.call("GET", "/v1/whoami").json["keyId"]?.stringValue)
            for (client, target) in [(plain, rootID), (bound, rootID)] {
                #expect(try await client.call("GET", "/v1/keys/\(target)").status == 404)
                #expect(try await client.post("/v1/keys/\(target)/rotate", [:]).status == 404)
                #expect(try await client.call("DELETE", "/v1/keys/\(target)").status == 404)
            }
            #expect(
                Set(
                    try await bound.call("GET", "/v1/keys").json["keys"]?.arrayValue?.compactMap {
                        $0["keyId"]?.stringValue
                    } ?? []
                ) == [boundID, id]
            )
            #expect(try await plain.call("GET", "/v1/keys").json["keys"]?.arrayValue?.count == 3)
            #expect(try await child.post("/v1/keys", ["name": "a"]).status == 403)
        }
    }

    @Test("Streams end when the secret that opened them is replaced")
    func replaced() async throws {
        try await RealGateway.run { gateway in
            let admin = try await gateway.client()
            let (key, id) = try await make(admin, ["name": "reader", "scopes": ["read", "events"]])
            func stream(_ key: String) async throws -> HTTPClient {
                let client = try await HTTPClient.connect(port: gateway.port, key: key)
                try await client.send("GET", "/v1/events?cursor=now", headers: [("Accept", "application/x-ndjson")])
                #expect(try await client.head().status == 200)
                return client
            }
            let first = try await stream(key)
            let poll = try await HTTPClient.connect(port: gateway.port, key: key)
            try await poll.send("GET", "/v1/events?cursor=now&timeout=60")
            try await admin.waiters(1)
            let ticket = try #require(
                try await HTTPClient.connect(port: gateway.port, key: key).post("/v1/events/tickets", [:]).json[
                    "ticket"
                ]?.stringValue
            )
            let second = try #require(try await admin.post("/v1/keys/\(id)/rotate", [:]).json["key"]?.stringValue)
            while try await first.chunk() != nil {}
            #expect(try await poll.answer().json["events"] == [])
            let anonymous = try await HTTPClient.connect(port: gateway.port, key: nil)
            #expect(try await anonymous.call("GET", "/v1/events?ticket=\(ticket)").status == 401)

            // Both secrets are valid for some time, and then the old one expires.
            let (old, third) = (
                try await stream(second),
                try await admin.post("/v1/keys/\(id)/rotate", ["graceSeconds": 1]).json["key"]?.stringValue
            )
            let new = try await stream(try #require(third))
            while try await old.chunk() != nil {}
            _ = try await admin.connect(try await admin.user("alice"), try await admin.user("bob"))
            while let chunk = try await new.chunk(), !String(decoding: chunk, as: UTF8.self).contains("{") {}
            #expect(
                try await HTTPClient.connect(port: gateway.port, key: second).call("GET", "/v1/whoami").status == 401
            )
        }
    }

    @Test("An expiring or revoked key cannot change a permanent key")
    func temporary() async throws {
        try await RealGateway.run { gateway in
            let root = try await gateway.client()
            let (lastingKey, lasting) = try await make(root, ["name": "lasting", "scopes": ["admin"]])
            let (key, id) = try await make(root, ["name": "temporary", "scopes": ["admin"], "expiresIn": 1000])
            let temporary = try await HTTPClient.connect(port: gateway.port, key: key)
            #expect(try await temporary.post("/v1/keys/\(lasting)/rotate", [:]).status == 404)
            #expect(
                try await HTTPClient.connect(port: gateway.port, key: lastingKey).call("GET", "/v1/whoami").status
                    == 200
            )
            #expect(try await temporary.post("/v1/keys/\(id)/rotate", [:]).status == 200)

            let (held, heldID) = try await make(root, ["name": "held", "scopes": ["admin"]])
            let file = KeyFile(folder: gateway.folder)
            let ring = try KeyRing(file: file)
            let principal = try #require(ring.principal(for: held))
            #expect(try await root.call("DELETE", "/v1/keys/\(heldID)").status == 204)
            #expect(throws: KeyFileError.self) {
                try file.add(name: "a", scopes: .admin, userId: nil, chats: nil, expires: nil, by: principal)
            }
            #expect(throws: KeyFileError.self) { try file.rotate(id: lasting, grace: 0, by: principal) }
            #expect(throws: KeyFileError.self) { try file.revoke(id: lasting, by: principal) }
        }
    }

    @Test("An expired key is invalid, and its streams end")
    func expiry() async throws {
        let clock = HeldClock(at: 1_000_000_000)
        try await Served.run {
            $0.clock = clock.clock
        } _: { served in
            let file = KeyFile(folder: served.folder)
            let soon = try file.add(name: "soon", scopes: [.read, .events], expires: 1_000_000_060).key.text
            let past = try file.add(name: "past", scopes: .admin, expires: 1_000_000_000).key.text
            let stream = try await served.client(key: soon)
            try await stream.send("GET", "/v1/events", headers: [("Accept", "application/x-ndjson")])
            #expect(try await stream.head().status == 200)
            #expect(try await served.client(key: past).call("GET", "/v1/whoami").status == 401)
            clock.advance(by: 59)
            #expect(try await served.client(key: soon).call("GET", "/v1/whoami").status == 200)
            clock.advance(by: 1)
            #expect(try await served.client(key: soon).call("GET", "/v1/whoami").status == 401)
            #expect(try await stream.rest().hasSuffix("{\"event\":{\"type\":\"keyEnded\"}}\n"))
        }
    }

    @Test("A stream whose key is revoked ends with the reason `keyEnded` on every transport")
    func reasons() async throws {
        try await Served.run { served in
            let (key, record) = try KeyFile(folder: served.folder).add(
                name: "reader",
                scopes: [.read, .write, .events]
            )
            let open = { () async throws -> HTTPClient in try await served.client(key: key.text) }
            let events = try await open()
            try await events.send("GET", "/v1/events", headers: [("Accept", "text/event-stream")])
            #expect(try await events.head().status == 200)
            let (entries, terminal) = (
                try await WebSocketClient.open(open(), "/v1/events/ws"), try await WebSocketClient.open(open(), "/")
            )
            #expect(try await served.client().call("DELETE", "/v1/keys/\(record.id)").status == 204)
            #expect(try await events.rest().hasSuffix("event: keyEnded\ndata: {\"event\":{\"type\":\"keyEnded\"}}\n\n"))
            #expect(try await entries.json() == ["event": ["type": "keyEnded"]])
            #expect(try await entries.closing() == ["4401", "keyEnded"])
            #expect(try await terminal.closing() == ["1008", "keyEnded"])
        }
    }

    @Test("A request that waits for a delivery is answered early if the secret of its key stops being valid")
    func waiting() async throws {
        try await RealGateway.run { gateway in
            let admin = try await gateway.client()
            let (bob, _) = try await ShortMessageTests.contacts(admin)
            let (key, id) = try await make(admin, ["name": "sender", "userId": 1])
            await gateway.relay.stop()
            let sender = try await HTTPClient.connect(port: gateway.port, key: key)
            let body = Array("hello".utf8)
            try await sender.send(
                "POST",
                "/v1/users/1/chats/direct/\(bob)/messages?wait=delivered&timeout=60",
                headers: [("Content-Type", "text/plain")],
                body: body
            )
            try await eventually("the message is stored") {
                try await admin.call("GET", "/v1/users/1/chats/direct/\(bob)").text.contains("\"hello\"")
            }
            #expect(try await admin.post("/v1/keys/\(id)/rotate", [:]).status == 200)
            let begin = ContinuousClock.now
            let answer = try await sender.answer()
            #expect(answer.status == 201 && ContinuousClock.now - begin < .seconds(30), "\(answer.text)")
            #expect(try answer.json["chatItems"]?[0]?["chatItem"]?["meta"]?["itemStatus"]?["type"] == "sndNew")
        }
    }

    @Test("After a rotation, a key shows the time at which its old secret ends, until that time")
    func grace() async throws {
        let clock = HeldClock(at: 1_000_000_000)
        try await Served.run {
            $0.clock = clock.clock
        } _: { served in
            let admin = try await served.client()
            let (_, id) = try await make(admin, ["name": "bot"])
            #expect(try await admin.call("GET", "/v1/keys/\(id)").json["previousSecretExpiresAt"] == nil)
            let rotated = try await admin.post("/v1/keys/\(id)/rotate", ["graceSeconds": 60]).json
            #expect(rotated["record"]?["previousSecretExpiresAt"] == "2001-09-09T01:47:40.000000000Z")
            let keys = try await admin.call("GET", "/v1/keys").json["keys"]?.arrayValue ?? []
            #expect(keys.compactMap { $0["previousSecretExpiresAt"] } == ["2001-09-09T01:47:40.000000000Z"])
            clock.advance(by: 60)
            #expect(try await admin.call("GET", "/v1/keys/\(id)").json["previousSecretExpiresAt"] == nil)
        }
    }

    @Test("A key for an unknown profile, chat or phone is refused")
    func nowhere() async throws {
        try await RealGateway.run { gateway in
            let admin = try await gateway.client()
            _ = try await admin.user("alice")
            let bound = try await HTTPClient.connect(
                port: gateway.port,
                key: make(admin, ["name": "bound", "scopes": ["admin"], "userId": 1]).key
            )
            for body: JSONValue in [
                ["name": "a", "userId": 7], ["name": "a", "userId": 1, "chats": ["direct/7"]],
                ["name": "a", "userId": 1, "chats": ["group/7"]],
                ["name": "a", "userId": 1, "chats": ["local/7"]],
                ["name": "a", "userId": 1, "chats": ["local/1", "local/7"]], ["name": "a", "remoteHostId": 7],
            ] {
                for client in body["userId"] == 1 ? [admin, bound] : [admin] {
                    let answer = try await client.post("/v1/keys", body)
                    #expect(
                        answer.status == 422 && (answer.text.contains(" 7.") || answer.text.contains("/7.")),
                        "\(body.text): \(answer.text)"
                    )
                }
            }
            #expect(try KeyFile(folder: gateway.folder).load().count == 2)
            let notes = try await HTTPClient.connect(
                port: gateway.port,
                key: make(bound, ["name": "notes", "userId": 1, "chats": ["local/1"]]).key
            )
            #expect(try await notes.post("/v1/users/1/chats/local/1/messages", ["text": "a note"]).status == 201)
            #expect(try await notes.post("/v1/users/1/chats/local/2/messages", ["text": "a note"]).status == 403)
        }
    }

    @Test("A key for chats reads only the contacts, groups and members of these chats")
    func people() async throws {
        try await RealGateway.run { gateway in
            let admin = try await gateway.client()
            let (bob, _) = try await ShortMessageTests.contacts(admin)
            for name in ["team", "other"] {
                _ = try await admin.post(
                    "/v1/users/1/groups",
                    ["groupProfile": ["displayName": .string(name), "fullName": ""]]
                )
            }
            let (key, _) = try await make(
                admin,
                ["name": "one", "userId": 1, "chats": [.string("direct/\(bob)"), "group/1"]]
            )
            let client = try await HTTPClient.connect(port: gateway.port, key: key)
            for path in ["contacts/\(bob)", "groups/1", "groups/1/members"] {
                #expect(try await client.call("GET", "/v1/users/1/\(path)").status == 200, "\(path)")
            }
            for path in [
                "contacts/\(bob + 1)", "groups/2", "groups/2/members", "contacts", "groups", "groups/1/link",
                "chats/group/2",
            ] {
                let answer = try await client.call("GET", "/v1/users/1/\(path)")
                #expect(answer.status == 403, "\(path): \(answer.text)")
            }
            let alias = try await client.patch("/v1/users/1/contacts/\(bob)", ["alias": "x"])
            #expect(alias.status == 403)
        }
    }

    @Test("A key for chats does not learn from which other chat an item was forwarded, in answers or in events")
    func origins() async throws {
        try await RealGateway.run { gateway in
            let admin = try await gateway.client()
            let (bob, _) = try await ShortMessageTests.contacts(admin)
            let (carol, _) = try await admin.connect(1, try await admin.user("carol"))
            let sent = try await admin.post("/v1/users/1/chats/direct/\(carol)/messages", ["text": "from elsewhere"])
            let item = try #require(try sent.json["chatItems"]?[0]?["chatItem"]?["meta"]?["itemId"])
            let own = "/v1/users/1/chats/direct/\(bob)"
            let forwarded = try await admin.post(
                own + "/forwards",
                ["fromChatType": "direct", "fromChatId": .integer(carol), "itemIds": [item]]
            )
            #expect(forwarded.text.contains("\"chatName\":\"carol\""), "\(forwarded.text)")
            let one = try #require(try forwarded.json["chatItems"]?[0]?["chatItem"]?["meta"]?["itemId"]?.integerValue)
            try await eventually("the item is delivered") { try await admin.call("GET", own).text.contains("sndRcvd") }
            let bound = try await HTTPClient.connect(
                port: gateway.port,
                key: make(admin, ["name": "one", "userId": 1, "chats": [.string("direct/\(bob)")]]).key
            )
            let both = try await HTTPClient.connect(
                port: gateway.port,
                key: make(
                    admin,
                    ["name": "both", "userId": 1, "chats": [.string("direct/\(bob)"), .string("direct/\(carol)")]]
                ).key
            )
            for path in [own, own + "/messages/\(one)", "/v1/events?limit=1000"] {
                let (less, more) = (try await bound.call("GET", path), try await both.call("GET", path))
                #expect(
                    less.status == 200 && less.text.contains("\"itemForwarded\":{\"type\":\"unknown\"}")
                        && !less.text.contains("carol"),
                    "\(path): \(less.text)"
                )
                #expect(more.text.contains("\"chatName\":\"carol\""), "\(path): \(more.text)")
            }
            let stream = try await HTTPClient.connect(port: gateway.port, key: nil)
            let ticket = try #require(try await bound.post("/v1/events/tickets", [:]).json["ticket"]?.stringValue)
            try await stream.send("GET", "/v1/events?ticket=\(ticket)", headers: [("Accept", "application/x-ndjson")])
            #expect(try await stream.head().status == 200)
            var text = ""
            while !text.contains("itemForwarded"), let chunk = try await stream.chunk() {
                text += String(decoding: chunk, as: UTF8.self)
            }
            #expect(text.contains("\"itemForwarded\":{\"type\":\"unknown\"}") && !text.contains("carol"))
        }
    }

    @Test("A key for chats reaches only the routes and the events of its chats, over every transport")
    func chats() async throws {
        try await RealGateway.run { gateway in
            let admin = try await gateway.client()
            let (bob, _) = try await ShortMessageTests.contacts(admin)
            let (key, _) = try await make(admin, ["name": "one", "userId": 1, "chats": [.string("direct/\(bob)")]])
            let client = try await HTTPClient.connect(port: gateway.port, key: key)
            #expect(try await client.call("GET", "/v1/whoami").json["chats"] == [.string("direct/\(bob)")])
            let own = "/v1/users/1/chats/direct/\(bob)"
            #expect(try await client.post(own + "/messages", ["text": "hello"]).status == 201)
            #expect(try await client.call("GET", own).status == 200)
            let chats = try await admin.call("GET", "/v1/users/1/chats").json["chats"]?.arrayValue ?? []
            let folders = chats.compactMap { $0["chatInfo"]?["noteFolder"]?["noteFolderId"]?.integerValue }
            let folder = try #require(folders.first)
            _ = try await admin.post("/v1/users/1/chats/local/\(folder)/messages", ["text": "secret note"])
            // All other routes are called with the ids of the notes, or without a chat. The notes may have the same
            // number as the contact. Routes of the categories in `filtered` are left out, since they show a key only
            // its own objects.
            let filtered = [
                "Webhooks", "WebPush", "Consumers", "LongOperations", "ScheduledMessages", "Broadcasts", "Notices",
            ]
            let open: Set = [
                "getCurrentKey", "listEvents", "createEventTicket", "openEventSocket", "getContact", "uploadFile",
                "getUpload", "continueUpload", "cancelUpload",
            ]
            for route in RouteTable.all
            where route.access != .open && !open.contains(route.operationID)
                && !filtered.contains(route.category)
            {
                let target = route.path(chatType: "local", id: "\(folder)")
                let answer = try await client.call(route.method.rawValue, target)
                #expect(answer.status == 403, "\(route.operationID): \(answer.text)")
            }
            #expect(try await client.call("GET", "/v1/users/2/chats/direct/\(bob)").status == 403)
            // Requests with another chat in the body, and for a file.
            let item = try #require(
                try await admin.call("GET", "/v1/users/1/chats/local/\(folder)").json["chat"]?["chatItems"]?[0]?[
                    "meta"
                ]?["itemId"]
            )
            let forward = try await client.post(
                own + "/forwards",
                ["fromChatType": "local", "fromChatId": .integer(folder), "itemIds": [item]]
            )
            #expect(forward.status == 403, "\(forward.text)")
            let file: JSONValue = [
                "composedMessages": [
                    ["msgContent": ["type": "file", "text": ""], "fileSource": ["filePath": "a.txt"]]
                ]
            ]
            #expect(try await client.post(own + "/messages", file).status == 403)
            try await sendsUploads(client, own, admin)
            #expect(try await client.call("DELETE", own).status == 403)
            // The key gets only events that contain this chat.
            let page = try await client.call("GET", "/v1/events?limit=1000")
            let types = Set(try page.json["events"]?.arrayValue?.compactMap { $0["event"]?["type"]?.stringValue } ?? [])
            #expect(types.contains("chatItemsStatusesUpdated") || types.contains("newChatItems"))
            #expect(
                types.isSubset(of: [
                    "newChatItems", "chatItemsStatusesUpdated", "chatItemUpdated", "chatItemReaction",
                    "chatItemsDeleted",
                ])
            )
            #expect(!page.text.contains("secret note"))
            let socket = try await WebSocketClient.open(
                HTTPClient.connect(port: gateway.port, key: key),
                "/v1/events/ws?cursor=now"
            )
            let commands = [
                "/_get chat *\(folder) count=1", "/_get chats 1", "/users", "/_contacts 1", "@bob hi",
                "/_read chat *\(folder)",
            ]
            for (command, answer) in zip(commands, try await socket.answers(to: commands)) {
                #expect(answer.text.contains("bound to other chats"), "\(command): \(answer.text)")
            }
            #expect(try await socket.answers(to: ["/_get chat @\(bob) count=1"])[0].text.contains("\"apiChat\""))
        }
    }

    /// Checks that a key of a chat sends an upload once, with the right key, and no other file of the profile.
    private func sendsUploads(_ client: HTTPClient, _ own: String, _ admin: HTTPClient) async throws {
        func upload(_ client: HTTPClient, _ name: String) async throws -> JSONValue {
            let headers = [("Content-Type", "application/octet-stream")]
            let answer = try await client.call(
                "POST",
                "/v1/users/1/files?name=\(name)",
                headers: headers,
                body: "contents"
            )
            #expect(answer.status == 201, "\(answer.text)")
            return try #require(try answer.json["fileSource"])
        }
        func send(_ source: JSONValue) async throws -> Int {
            let body: JSONValue = [
                "composedMessages": [
                    ["msgContent": ["type": "file", "text": ""], "fileSource": source, "mentions": [:]]
                ]
            ]
            return try await client.post(own + "/messages", body).status
        }
        let (mine, others) = (try await upload(client, "mine.txt"), try await upload(admin, "others.txt"))
        let plain: JSONValue = ["filePath": others["filePath"] ?? .null]
        let mixed: JSONValue = [
            "filePath": others["filePath"] ?? .null, "cryptoArgs": mine["cryptoArgs"] ?? .null,
        ]
        for wrong in [plain, mixed] { #expect(try await send(wrong) == 403) }
        #expect(try await send(mine) == 201)
        // The file now belongs to a message.
        #expect(try await send(mine) == 403)
        #expect(try await client.call("GET", "/v1/users/1/files/1/content").status == 403)
    }

    @Test("Many wrong keys from one address get 429, and valid keys are still accepted")
    func wrongKeys() async throws {
        let clock = HeldClock(at: 1_000_000_000)
        try await Served.run {
            $0.clock = clock.clock
        } _: { served in
            let right = try await served.client()
            var statuses: [Int] = []
            for number in 0..<40 {
                let wrong = try await served.client(key: "sxgw_" + String(repeating: "\(number % 10)", count: 43))
                let answer = try await wrong.call("GET", "/v1/events")
                statuses.append(answer.status)
                #expect((answer.header("retry-after").flatMap { Int($0) } ?? 0 > 0) == (answer.status == 429))
                #expect(try await right.call("GET", "/v1/whoami").status == 200)
            }
            #expect(statuses == [Int](repeating: 401, count: 20) + [Int](repeating: 429, count: 20))
            clock.advance(by: 3)
            #expect(
                try await served.client(key: "sxgw_" + String(repeating: "a", count: 43)).call("GET", "/v1/events")
                    .status == 401
            )
            // A request without a key gets 401.
            #expect(try await served.anonymous().call("GET", "/v1/events").status == 401)
        }
    }

    @Test("Wrong keys of an address are forgotten after a time")
    func forgotten() {
        let wrong = WrongKeys()
        for _ in 0..<20 { #expect(wrong.countWrongKey(nil, at: 0) == nil) }
        #expect(wrong.countWrongKey(nil, at: 0) == 4)
        #expect(wrong.countWrongKey(nil, at: WrongKeys.interval) == nil)
        #expect(wrong.countWrongKey(nil, at: WrongKeys.interval) != nil)
        for _ in 0..<20 { #expect(wrong.countWrongKey(nil, at: 100 * WrongKeys.interval) == nil) }
    }

    @Test("A record with an unknown restriction is refused")
    func records() throws {
        let hash = "47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU="
        let good: JSONValue = [
            "id": "a", "name": "b", "scopes": ["read"], "created": 5, "sha256": .string(hash), "chats": ["direct/4"],
            "expires": 9, "userId": 1,
        ]
        let record = try #require(KeyRecord(json: good))
        #expect(
            record.json == KeyRecord(json: record.json)?.json && record.chats?.map(\.text) == ["direct/4"]
                && record.expires == 9
        )
        for (name, value): (String, JSONValue) in [
            ("chats", "direct/4"), ("chats", ["direct"]), ("chats", [5]), ("expires", "x"), ("userId", "1"),
            ("previous", ["until": 5]), ("scopes", ["other"]),
        ] {
            var members = try #require(good.objectValue)
            members[name] = value
            #expect(KeyRecord(json: .object(members)) == nil, "\(name)")
        }
    }
}
