import JSON
import TestSupport
import Testing

@testable import Gateway

@Suite(.socketTimeLimit) struct MergePatchTests {
    @Test
    func `Each example patch of RFC 7396 gives the result of the RFC`() throws {
        let cases: [(String, String, String)] = [
            (#"{"a":"b"}"#, #"{"a":"c"}"#, #"{"a":"c"}"#), (#"{"a":"b"}"#, #"{"b":"c"}"#, #"{"a":"b","b":"c"}"#),
            (#"{"a":"b"}"#, #"{"a":null}"#, "{}"), (#"{"a":"b","b":"c"}"#, #"{"a":null}"#, #"{"b":"c"}"#),
            (#"{"a":["b"]}"#, #"{"a":"c"}"#, #"{"a":"c"}"#), (#"{"a":"c"}"#, #"{"a":["b"]}"#, #"{"a":["b"]}"#),
            (#"{"a":{"b":"c"}}"#, #"{"a":{"b":"d","c":null}}"#, #"{"a":{"b":"d"}}"#),
            (#"{"a":[{"b":"c"}]}"#, #"{"a":[1]}"#, #"{"a":[1]}"#), (#"["a","b"]"#, #"["c","d"]"#, #"["c","d"]"#),
            (#"{"a":"b"}"#, #"["c"]"#, #"["c"]"#), (#"{"e":null}"#, #"{"a":1}"#, #"{"e":null,"a":1}"#),
            (#"[1,2]"#, #"{"a":"b","c":null}"#, #"{"a":"b"}"#),
            ("{}", #"{"a":{"bb":{"ccc":null}}}"#, #"{"a":{"bb":{}}}"#),
        ]
        for (target, patch, result) in cases {
            let merged = MergePatch.mergeValue(try JSONValue(parsing: patch), into: try JSONValue(parsing: target))
            #expect(try merged == JSONValue(parsing: result), "\(target) \(patch)")
        }
    }

    @Test
    func `A merge patch replaces an object whose 'type' changes, and otherwise merges the members of the object`()
        throws
    {
        let stored: JSONValue = ["reply": ["type": "image", "text": "a", "image": "data:"]]
        let other: JSONValue = ["reply": ["type": "text", "text": "b"]]
        #expect(MergePatch.mergeValue(other, into: stored, byType: true) == other)
        let same: JSONValue = ["reply": ["type": "image", "text": "b"]]
        let merged: JSONValue = ["reply": ["type": "image", "text": "b", "image": "data:"]]
        #expect(MergePatch.mergeValue(same, into: stored, byType: true) == merged)
        let free: JSONValue = ["reply": ["type": "text", "text": "b", "image": "data:"]]
        #expect(MergePatch.mergeValue(other, into: stored) == free)
    }

    @Test
    func `Simultaneous patches of a contact without 'If-Match' all succeed`() async throws {
        try await RealGateway.run { gateway in
            let client = try await gateway.connectClient()
            let (alice, bob) = (try await client.createUser("alice"), try await client.createUser("bob"))
            let (contact, _) = try await client.connectUsers(alice, bob)
            let path = "/v1/users/\(alice)/contacts/\(contact)"
            let statuses = try await withThrowingTaskGroup(of: [Int].self) { tasks in
                for client in 0..<6 {
                    tasks.addTask {
                        let own = try await gateway.connectClient()
                        var statuses: [Int] = []
                        for round in 0..<8 {
                            let name = "client \(client)"
                            let body: JSONValue = ["customData": .object(JSONObject([(name, .integer(Int64(round)))]))]
                            statuses.append(try await own.patch(path, body).status)
                        }
                        return statuses
                    }
                }
                return try await tasks.reduce(into: []) { $0 += $1 }
            }
            #expect(statuses == [Int](repeating: 200, count: 48))
            let data = try await client.call("GET", path).json["contact"]?["customData"]
            for client in 0..<6 { #expect(data?["client \(client)"] == 7, "\(data?.text ?? "")") }
        }
    }

    @Test
    func `After the last patch of a resource, the queue for its patches is removed from memory`() async throws {
        let turns = PatchLocks()
        try await turns.runPatch("/a") { () async throws(ProblemDetails) in
            try await turns.runPatch("/b") { () async throws(ProblemDetails) in #expect(turns.resourceCount == 2) }
        }
        await #expect(throws: ProblemDetails.self) {
            try await turns.runPatch("/a") { () async throws(ProblemDetails) -> Void in throw ProblemDetails(.conflict)
            }
        }
        #expect(turns.resourceCount == 0)
    }

    @Test
    func `A merge patch can delete 49,999 of 50,000 members`() throws {
        let names = (0..<50_000).map { "name \($0)" }
        let target = JSONValue.object(JSONObject(names.map { ($0, true) }))
        let patch = JSONValue.object(JSONObject(names.dropLast().map { ($0, .null) }))
        #expect(MergePatch.mergeValue(patch, into: target) == ["name 49999": true])
    }

    @Test
    func `A patch of a profile changes only the settings that the patch names, and a refused patch changes nothing`()
        async throws
    {
        try await RealGateway.run { gateway in
            let client = try await gateway.connectClient()
            let alice = try await client.createUser("alice")
            let path = "/v1/users/\(alice)"
            let themes: JSONValue = ["light": ["mode": "light", "colors": ["accent": "#ff0088ff"]]]
            let changed = try await client.patch(
                path,
                [
                    "muted": true, "receipts": ["groups": true], "autoAccept": ["memberContacts": true],
                    "themes": themes, "profile": ["fullName": "Alice A.", "shortDescr": "the best"],
                ]
            )
            #expect(changed.status == 200, "\(changed.text)")
            let user = try changed.json["user"]
            #expect(try await changed.json == client.call("GET", path).json)
            #expect(user?["showNtfs"] == false && user?["uiThemes"] == themes)
            #expect(user?["sendRcptsContacts"] == true && user?["sendRcptsSmallGroups"] == true)
            #expect(user?["autoAcceptMemberContacts"] == true && user?["autoAcceptGroupInvitations"] == nil)
            // The member `autoAccept` also has a setting for groups. The tag changes with this setting too.
            let accepting = try await client.patch(path, ["autoAccept": ["groupInvitations": true]])
            #expect(try accepting.json["user"]?["autoAcceptGroupInvitations"] == true, "\(accepting.text)")
            #expect(try accepting.json["user"]?["autoAcceptMemberContacts"] == true)
            #expect(accepting.header("etag") != changed.header("etag"))
            #expect(user?["profile"]?["displayName"] == "alice" && user?["profile"]?["fullName"] == "Alice A.")
            let deleted = try await client.patch(path, ["themes": nil, "profile": ["shortDescr": nil]])
            #expect(try deleted.json["user"]?["uiThemes"] == nil && deleted.status == 200, "\(deleted.text)")
            #expect(try deleted.json["user"]?["profile"]?["shortDescr"] == nil)
            #expect(try deleted.json["user"]?["profile"]?["fullName"] == "Alice A.")
            _ = try await client.createUser("bob")
            for (body, status) in [
                (#"{"muted":false,"profile":{"displayName":"bob"}}"#, 409), (#"{"muted":false,"ttlSeconds":-1}"#, 422),
                (#"{"muted":false,"receipts":null}"#, 422),
                (#"{"receipts":{"contacts":null}}"#, 422), (#"{"muted":null}"#, 422), ("[]", 400),
                (#"{"muted":false,"mutedd":true}"#, 400), (#"{"muted":false,"profile":{"nickname":"a"}}"#, 400),
                (#"{"muted":false,"addressInProfile":true}"#, 422),
            ] {
                let refused = try await client.call("PATCH", path, body: body)
                #expect(refused.status == status, "\(body): \(refused.text)")
                #expect(try await client.call("GET", path).json["user"]?["showNtfs"] == false, "\(body)")
            }
        }
    }

    @Test
    func `A patch of a contact changes only the preferences and custom data that the patch names`() async throws {
        try await RealGateway.run { gateway in
            let client = try await gateway.connectClient()
            let (alice, bob) = (try await client.createUser("alice"), try await client.createUser("bob"))
            let (contact, other) = try await client.connectUsers(alice, bob)
            let path = "/v1/users/\(alice)/contacts/\(contact)"
            let changed = try await client.patch(
                path,
                ["alias": "robert", "preferences": ["voice": ["allow": "no"]], "customData": ["a": 1, "b": ["c": 2]]]
            )
            #expect(changed.status == 200, "\(changed.text)")
            #expect(try await client.call("GET", path).header("etag") == changed.header("etag"))
            let next = try await client.patch(
                path,
                ["preferences": ["calls": ["allow": "no"]], "customData": ["a": nil, "b": ["d": 3]]]
            )
            let shown = try next.json["contact"]
            #expect(shown?["profile"]?["localAlias"] == "robert")
            #expect(shown?["userPreferences"]?["voice"]?["allow"] == "no")
            #expect(shown?["userPreferences"]?["calls"]?["allow"] == "no")
            #expect(shown?["customData"] == ["b": ["c": 2, "d": 3]], "\(next.text)")
            var cursor: String?
            _ = try await client.waitForEvent(after: &cursor, "contactUpdated", user: bob)
            let theirs = try await client.call("GET", "/v1/users/\(bob)/contacts/\(other)").json
            #expect(theirs["contact"]?["profile"]?["preferences"]?["voice"]?["allow"] == "no")
            let model = try await client.call("GET", "/v1/users/\(alice)/model")
            #expect(model.text.contains("robert"), "\(model.text)")
            for (body, status): (JSONValue, Int) in [
                (["alias": "x", "customData": [1]], 422), (["alias": "x", "preferences": ["voice": true]], 422),
                (["alias": "x", "nickname": "y"], 400), (["alias": "x", "preferences": ["voices": [:]]], 400),
            ] {
                let refused = try await client.patch(path, body)
                #expect(refused.status == status, "\(refused.text)")
            }
            let deleted = try await client.patch(path, ["alias": nil, "preferences": nil, "customData": nil])
            #expect(try deleted.json["contact"]?["profile"]?["localAlias"] == "", "\(deleted.text)")
            #expect(try deleted.json["contact"]?["userPreferences"] == [:])
            #expect(try deleted.json["contact"]?["customData"] == nil)
            let long = JSONValue.string(String(repeating: "x", count: 600 << 10))
            #expect(try await client.patch(path, ["customData": ["a": long]]).status == 200)
            #expect(try await client.patch(path, ["customData": ["b": long]]).status == 422)
            #expect(try await client.patch(path, ["customData": ["a": nil, "b": long]]).status == 200)
            #expect(try await client.patch("/v1/users/\(alice)/contacts/99", ["alias": "x"]).status == 404)
        }
    }

    @Test
    func `A patch of a chat makes all changes or none, and a key of this chat may change only the unread mark`()
        async throws
    {
        try await RealGateway.run { gateway in
            let client = try await gateway.connectClient()
            let (alice, bob) = (try await client.createUser("alice"), try await client.createUser("bob"))
            let (contact, _) = try await client.connectUsers(alice, bob)
            let path = "/v1/users/\(alice)/chats/direct/\(contact)"
            let tag = try #require(
                try await client.post("/v1/users/\(alice)/tags", ["text": "work"]).json["userTags"]?[0]?["chatTagId"]
            )
            let changed = try await client.patch(
                path,
                [
                    "unread": true, "tagIds": [tag], "settings": ["sendRcpts": false, "favorite": true],
                    "ttlSeconds": 86400,
                ]
            )
            #expect(changed.status == 200, "\(changed.text)")
            #expect(try changed.json["chat"]?["chatStats"]?["unreadChat"] == true)
            #expect(try changed.json["chat"]?["chatItems"] == [])
            #expect(try await client.call("GET", path).header("etag") == changed.header("etag"))
            let kept = try await client.patch(path, ["settings": ["sendRcpts": nil, "enableNtfs": "none"]])
            let shown = try kept.json["chat"]?["chatInfo"]?["contact"]
            #expect(shown?["chatSettings"] == ["enableNtfs": "none", "favorite": true], "\(kept.text)")
            #expect(shown?["chatTags"] == [tag] && shown?["chatItemTTL"] == 86400)
            // The unknown tag fails in the transaction, so the other members have no effect.
            let refused = try await client.patch(path, ["unread": false, "ttlSeconds": 3600, "tagIds": [99]])
            #expect(refused.status == 404, "\(refused.text)")
            #expect(try await client.patch(path, [:]).json["chat"]?["chatStats"]?["unreadChat"] == true)
            #expect(try await client.patch(path, [:]).json["chat"]?["chatInfo"]?["contact"]?["chatItemTTL"] == 86400)
            let key = try KeyFile(folder: gateway.folder).addKey(
                name: "chat",
                scopes: [.read, .write],
                userId: alice,
                chats: [try #require(KeyChat("direct/\(contact)"))]
            ).key.text
            let bound = try await HTTPClient.connect(port: gateway.port, key: key)
            try await bound.waitForStatus(200, at: path)
            #expect(try await bound.patch(path, ["unread": false]).status == 200)
            for body: JSONValue in [
                ["ttlSeconds": 5], ["tagIds": []], ["settings": ["favorite": false]], ["themes": nil],
                ["unread": true, "ttlSeconds": 5],
            ] {
                #expect(try await bound.patch(path, body).status == 403, "\(body.text)")
            }
            #expect(try await client.patch(path, [:]).json["chat"]?["chatStats"]?["unreadChat"] == false)
        }
    }

    @Test
    func `A patch of a group is merged into the group's profile, and is refused without the required role`()
        async throws
    {
        try await RealGateway.run { gateway in
            let client = try await gateway.connectClient()
            let pair = try await GroupOfTwo(client)
            let changed = try await client.patch(
                pair.ourPath,
                [
                    "profile": ["description": "a team", "groupPreferences": ["voice": ["enable": "off"]]],
                    "alias": "ours", "customData": ["color": "blue"],
                ]
            )
            #expect(changed.status == 200, "\(changed.text)")
            let group = try changed.json["groupInfo"]
            #expect(group?["groupProfile"]?["displayName"] == "team" && group?["localAlias"] == "ours")
            #expect(group?["groupProfile"]?["groupPreferences"]?["voice"]?["enable"] == "off")
            #expect(group?["customData"] == ["color": "blue"])
            #expect(try await client.call("GET", pair.ourPath).header("etag") == changed.header("etag"))
            let deleted = try await client.patch(pair.ourPath, ["profile": ["description": nil], "customData": nil])
            #expect(try deleted.json["groupInfo"]?["groupProfile"]?["description"] == nil, "\(deleted.text)")
            #expect(try deleted.json["groupInfo"]?["groupProfile"]?["groupPreferences"] != nil)
            // Bob may set the alias, but not the profile, so the whole patch is refused.
            let refused = try await client.patch(
                pair.theirPath,
                ["alias": "theirs", "profile": ["displayName": "club"]]
            )
            #expect(refused.status == 403, "\(refused.text)")
            #expect(try await client.call("GET", pair.theirPath).json["groupInfo"]?["localAlias"] == "")
            #expect(try await client.patch(pair.ourPath, ["access": ["domainWebPage": true]]).status == 422)
            #expect(try await client.patch(pair.ourPath, ["userId": .integer(pair.bobID), "alias": "a"]).status == 422)
        }
    }

    @Test
    func `A patch of a group member makes all of its changes or none`() async throws {
        try await RealGateway.run { gateway in
            let client = try await gateway.connectClient()
            let pair = try await GroupOfTwo(client)
            let path = pair.ourPath + "/members/\(pair.bobMemberID)"
            let changed = try await client.patch(
                path,
                ["role": "observer", "blocked": true, "settings": ["showMessages": false]]
            )
            #expect(changed.status == 200, "\(changed.text)")
            let member = try changed.json["member"]
            #expect(member?["memberRole"] == "observer" && member?["blockedByAdmin"] == true)
            #expect(member?["memberSettings"]?["showMessages"] == false)
            #expect(try await client.call("GET", path).header("etag") == changed.header("etag"))
            for (body, status): (JSONValue, Int) in [
                (["blocked": false, "role": "king"], 422), (["blocked": false, "role": nil], 422),
                (["blocked": false, "settings": ["show": true]], 400),
            ] {
                let refused = try await client.patch(path, body)
                #expect(refused.status == status, "\(refused.text)")
                #expect(try await client.call("GET", path).json["member"]?["blockedByAdmin"] == true)
            }
            // Bob is an observer, so he may change only his own settings.
            let list = try await client.call("GET", pair.theirPath + "/members").json["group"]?["members"]
            let alice = try #require(list?[0]?["groupMemberId"]?.integerValue)
            let theirs = pair.theirPath + "/members/\(alice)"
            let refused = try await client.patch(theirs, ["settings": ["showMessages": false], "blocked": true])
            #expect(refused.status == 403, "\(refused.text)")
            #expect(try await client.call("GET", theirs).json["member"]?["memberSettings"]?["showMessages"] == true)
        }
    }

    @Test
    func `A patch is accepted as merge-patch+json and as json, and gets 415 with another media type`()
        async throws
    {
        try await RealGateway.run { gateway in
            let client = try await gateway.connectClient()
            let alice = try await client.createUser("alice")
            for (type, status) in [
                ("application/merge-patch+json", 200), ("application/json", 200), ("text/plain", 415),
            ] {
                let answer = try await client.call(
                    "PATCH",
                    "/v1/users/\(alice)",
                    headers: [("Content-Type", type)],
                    body: #"{"muted":true}"#
                )
                #expect(answer.status == status, "\(type): \(answer.text)")
            }
        }
    }

    @Test
    func `A patch with an old ETag gets 412, and simultaneous patches without an ETag all have effect`() async throws {
        try await RealGateway.run { gateway in
            let client = try await gateway.connectClient()
            let alice = try await client.createUser("alice")
            let path = "/v1/users/\(alice)"
            let tag = try #require(try await client.call("GET", path).header("etag"))
            let changed = try await client.patch(path, ["muted": true], ifMatch: tag)
            #expect(changed.status == 200 && changed.header("etag") != tag, "\(changed.text)")
            let late = try await client.patch(path, ["muted": false], ifMatch: tag)
            #expect(late.status == 412 && late.header("etag") == changed.header("etag"), "\(late.text)")
            #expect(try await client.call("GET", path).json["user"]?["showNtfs"] == false)
            let bodies: [JSONValue] = [
                ["profile": ["fullName": "A."]], ["profile": ["shortDescr": "s"]], ["receipts": ["groups": true]],
                ["themes": ["dark": ["mode": "dark", "colors": ["accent": "#ff000000"]]]],
            ]
            let statuses = try await withThrowingTaskGroup(of: Int.self) { tasks in
                for body in bodies {
                    tasks.addTask { try await gateway.connectClient().patch(path, body).status }
                }
                return try await tasks.reduce(into: []) { $0.append($1) }
            }
            #expect(statuses.allSatisfy { $0 == 200 }, "\(statuses)")
            let user = try await client.call("GET", path).json["user"]
            #expect(user?["profile"]?["fullName"] == "A." && user?["profile"]?["shortDescr"] == "s")
            #expect(user?["sendRcptsSmallGroups"] == true && user?["uiThemes"]?["dark"] != nil)
        }
    }

    @Test
    func `A patch of a profile needs a key with the scopes 'read' and 'write' for this profile`() async throws {
        try await RealGateway.run { gateway in
            let client = try await gateway.connectClient()
            let (alice, bob) = (try await client.createUser("alice"), try await client.createUser("bob"))
            let keys = KeyFile(folder: gateway.folder)
            let own = try keys.addKey(name: "own", scopes: [.read, .write], userId: alice).key.text
            let reader = try keys.addKey(name: "reader", scopes: [.read], userId: alice).key.text
            let writer = try keys.addKey(name: "writer", scopes: [.write], userId: alice).key.text
            let bound = try await HTTPClient.connect(port: gateway.port, key: own)
            try await bound.waitForStatus(200, at: "/v1/users/\(alice)")
            #expect(try await bound.patch("/v1/users/\(alice)", ["muted": true]).status == 200)
            #expect(try await bound.patch("/v1/users/\(bob)", ["muted": true]).status == 403)
            for key in [reader, writer] {
                let client = try await HTTPClient.connect(port: gateway.port, key: key)
                #expect(try await client.patch("/v1/users/\(alice)", ["muted": false]).status == 403)
                #expect(try await client.patch("/v1/users/\(alice)", [:]).status == 403)
            }
        }
    }
}
