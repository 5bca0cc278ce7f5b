import ChatCore
import Foundation
import JSON
import TestSupport
import Testing

@testable import Gateway

@Suite("Keys over HTTP", .socketTimeLimit)
struct KeysTests {
    func makeKey(
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

    @Test
    func `A key can be created, used, listed, rotated and revoked, and its secret is shown only once`() async throws {
        try await RealGateway.run { gateway in
            let admin = try await gateway.connectClient()
            _ = try await admin.createUser("alice")
            let (key, id) = try await makeKey(admin, ["name": "bot", "scopes": ["read", "events"], "userId": 1])
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
            #expect(try KeyFile(folder: gateway.folder).loadKeys().map(\.id).contains(id))
            let listed = try await admin.call("GET", "/v1/keys")
            #expect(
                try listed.json["keys"]?.arrayValue?.count == 2 && !listed.text.contains("sxgw_")
                    && !listed.text.contains("sha256")
            )
            let used = try await admin.call("GET", "/v1/keys/\(id)").json
            #expect(used["lastUsedAt"]?.stringValue != nil && used["lastUsedFrom"] == "127.0.0.1")
            let stream = try await HTTPClient.connect(port: gateway.port, key: key)
            try await stream.send("GET", "/v1/events?cursor=now", headers: [("Accept", "application/x-ndjson")])
            #expect(try await stream.receiveHead().status == 200)
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
            while try await stream.receiveChunk() != nil {}
            #expect(try await admin.call("DELETE", "/v1/keys/\(id)").status == 404)
            #expect(try await admin.post("/v1/keys/none/rotate", [:]).status == 404)
            #expect(try String(contentsOfFile: gateway.folder + "/keys.json", encoding: .utf8).contains(third) == false)
        }
    }

    @Test
    func `Only the first client that rotates a claimable key gets the permanent key`() async throws {
        let clock = HeldClock(at: 1_900_000_000)
        try await RealGateway.run(serving: { $0.clock = clock.gatewayClock }) { gateway in
            let admin = try await gateway.connectClient()
            let (link, id) = try await makeKey(admin, ["name": "page", "scopes": ["admin"], "claimWithin": 600])
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

            // A link can be withdrawn only before its key is claimed, so this request is refused.
            let withdrawn = try await admin.call("DELETE", "/v1/keys/\(id)?unclaimed=true")
            #expect(try withdrawn.status == 409 && withdrawn.json["code"] == "conflict", "\(withdrawn.text)")
            #expect(try await admin.call("GET", "/v1/keys/\(id)").status == 200)
            let plainID = try await makeKey(admin, ["name": "plain", "scopes": ["admin"]]).1
            let refused = try await admin.call("DELETE", "/v1/keys/\(plainID)?unclaimed=true")
            #expect(
                try refused.status == 409
                    && refused.json["detail"] == "No link that waits to be claimed has this key.",
                "\(refused.text)"
            )
            let (unused, unusedID) = try await makeKey(
                admin,
                ["name": "unused", "scopes": ["admin"], "claimWithin": 600]
            )
            #expect(try await admin.call("DELETE", "/v1/keys/\(unusedID)?unclaimed=true").status == 204)
            #expect(try await admin.call("DELETE", "/v1/keys/\(unusedID)?unclaimed=true").status == 404)
            let ended = try await HTTPClient.connect(port: gateway.port, key: unused)
            #expect(try await ended.call("GET", "/v1/whoami").status == 401)

            let (late, lateID) = try await makeKey(
                admin,
                ["name": "late", "scopes": ["admin", "events"], "claimWithin": 600]
            )
            // Another holder of the link could be a thief, so a key that is not claimed cannot make or replace keys.
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

    @Test
    func `A rotation with an invalid name is refused with 422, and a rotation with a valid name changes the name`()
        async throws
    {
        try await RealGateway.run { gateway in
            let admin = try await gateway.connectClient()
            let (_, id) = try await makeKey(admin, ["name": "bot"])
            for wrong: JSONValue in ["", " ", "a\u{202E}b", "a\nb", .string(String(repeating: "a", count: 101)), 1] {
                #expect(try await admin.post("/v1/keys/\(id)/rotate", ["name": wrong]).status == 422, "\(wrong)")
            }
            #expect(try await admin.post("/v1/keys/\(id)/rotate", ["name": "robot"]).status == 200)
            #expect(try await admin.post("/v1/keys/\(id)/rotate", [:]).status == 200)
            #expect(try await admin.call("GET", "/v1/keys/\(id)").json["name"] == "robot")
        }
    }

    @Test
    func `The time of the last use of a key is still known after a restart`() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let (id, used) = try await RealGateway.run(in: folder) { gateway in
            let admin = try await gateway.connectClient()
            let (key, id) = try await makeKey(admin, ["name": "bot"])
            _ = try await HTTPClient.connect(port: gateway.port, key: key).call("GET", "/v1/whoami")
            return (id, try #require(try await admin.call("GET", "/v1/keys/\(id)").json["lastUsedAt"]?.stringValue))
        }
        try await RealGateway.run(in: folder) { gateway in
            let admin = try await gateway.connectClient()
            let key = try await admin.call("GET", "/v1/keys/\(id)").json
            #expect(key["lastUsedAt"]?.stringValue == used && key["lastUsedFrom"] == nil)
            #expect(try await admin.call("DELETE", "/v1/keys/\(id)").status == 204)
        }
        let kept = try String(contentsOfFile: folder.path + "/key-uses.json", encoding: .utf8)
        #expect(!kept.contains(id) && !kept.contains("sxgw_"))
        // Invalid contents of the file of last uses must not make keys invalid.
        for content in ["", "[]", "{\"a\":\"b\"}", "\u{0}"] {
            try Data(content.utf8).write(to: URL(filePath: folder.path + "/key-uses.json"))
            try await RealGateway.run(in: folder) { gateway in
                let client = try await gateway.connectClient()
                #expect(try await client.call("GET", "/v1/whoami").status == 200)
            }
        }
    }

    @Test
    func `A request to create a key with invalid JSON members is refused`() async throws {
        try await RealGateway.run { gateway in
            let admin = try await gateway.connectClient()
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
            #expect(try KeyFile(folder: gateway.folder).loadKeys().count == 1)
        }
    }

    @Test
    func `A key cannot create, see, change or revoke a key with more rights than its own`() async throws {
        try await RealGateway.run { gateway in
            let root = try await gateway.connectClient()
            _ = try await root.createUser("alice")
            _ = try await root.createUser("bob")
            let plain = try await HTTPClient.connect(
                port: gateway.port,
                key: makeKey(root, ["name": "admin", "scopes": ["admin"]]).key
            )
            let (boundKey, boundID) = try await makeKey(
                root,
                ["name": "bound", "scopes": ["admin"], "userId": 1, "expiresIn": 1000]
            )
            let bound = try await HTTPClient.connect(port: gateway.port, key: boundKey)
            #expect(try await plain.post("/v1/keys", ["name": "a", "scopes": ["stores"]]).status == 403)
            #expect(try await bound.post("/v1/keys", ["name": "a", "userId": 2]).status == 403)
            let (key, id) = try await makeKey(bound, ["name": "child", "scopes": ["read"], "expiresIn": 100_000])
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

    @Test
    func `Many wrong keys from one address get 429, and valid keys are still accepted`() async throws {
        let clock = HeldClock(at: 1_000_000_000)
        try await ServedGateway.run {
            $0.clock = clock.gatewayClock
        } _: { served in
            let right = try await served.connectClient()
            var statuses: [Int] = []
            for number in 0..<40 {
                let wrong = try await served.connectClient(
                    key: "sxgw_" + String(repeating: "\(number % 10)", count: 43)
                )
                let answer = try await wrong.call("GET", "/v1/events")
                statuses.append(answer.status)
                #expect((answer.header("retry-after").flatMap { Int($0) } ?? 0 > 0) == (answer.status == 429))
                #expect(try await right.call("GET", "/v1/whoami").status == 200)
            }
            #expect(statuses == [Int](repeating: 401, count: 20) + [Int](repeating: 429, count: 20))
            clock.advance(by: 3)
            #expect(
                try await served.connectClient(key: "sxgw_" + String(repeating: "a", count: 43)).call(
                    "GET",
                    "/v1/events"
                )
                .status == 401
            )
            // A request without a key gets 401.
            #expect(try await served.connectAnonymously().call("GET", "/v1/events").status == 401)
        }
    }

    @Test
    func `An address that was refused for too many wrong keys may send wrong keys again after a time`() {
        let wrong = WrongKeys()
        for _ in 0..<20 { #expect(wrong.countWrongKey(nil, at: 0) == nil) }
        #expect(wrong.countWrongKey(nil, at: 0) == 4)
        #expect(wrong.countWrongKey(nil, at: WrongKeys.microsecondsPerWrongKey) == nil)
        #expect(wrong.countWrongKey(nil, at: WrongKeys.microsecondsPerWrongKey) != nil)
        for _ in 0..<20 { #expect(wrong.countWrongKey(nil, at: 100 * WrongKeys.microsecondsPerWrongKey) == nil) }
    }

    @Test
    func `A stored key record with a malformed scope, chat list, expiry or user id is refused`() throws {
        let hash = "47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU="
        let good: JSONValue = [
            "id": "a", "name": "b", "scopes": ["read"], "created": 5, "sha256": .string(hash), "chats": ["direct/4"],
            "expires": 9, "userId": 1,
        ]
        let record = try #require(KeyRecord(json: good))
        #expect(
            record.json == KeyRecord(json: record.json)?.json && record.chats?.map(\.text) == ["direct/4"]
                && record.expiresAtSeconds == 9
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
