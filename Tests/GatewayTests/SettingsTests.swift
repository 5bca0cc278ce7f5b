import JSON
import TestSupport
import Testing

@Suite(.socketTimeLimit) struct SettingsTests {
    @Test
    func `Tags can be created, assigned to chats, sorted, renamed and deleted over HTTP`() async throws {
        try await RealGateway.run { gateway in
            let client = try await gateway.connectClient()
            let (alice, bob) = (try await client.createUser("alice"), try await client.createUser("bob"))
            let (contact, _) = try await client.connectUsers(alice, bob)
            let tags = "/v1/users/\(alice)/tags"
            #expect(try await client.post(tags, ["text": "work", "emoji": "💼"]).status == 201)
            #expect(try await client.post(tags, ["text": "family"]).status == 201)
            #expect(try await client.post(tags, ["text": "work"]).status == 409)
            let chat = "/v1/users/\(alice)/chats/direct/\(contact)"
            #expect(
                try await client.patch(chat, ["tagIds": [1, 2]]).json["chat"]?["chatInfo"]?["contact"]?["chatTags"] == [
                    1, 2,
                ]
            )
            #expect(try await client.patch(chat, ["tagIds": [99]]).status == 404)
            #expect(try await client.patch("/v1/users/\(bob)/chats/direct/1", ["tagIds": [1]]).status == 404)
            #expect(try await client.put(tags + "/order", ["tagIds": [2, 1]]).status == 200)
            #expect(try await client.put(tags + "/2", ["text": "relatives"]).status == 200)
            #expect(try await client.call("GET", tags).json["userTags"]?[0]?["chatTagText"] == "relatives")
            #expect(try await client.call("DELETE", tags + "/1").status == 200)
            #expect(
                try await client.call("GET", chat + "?limit=1").json["chat"]?["chatInfo"]?["contact"]?["chatTags"] == [
                    2
                ]
            )
        }
    }

    @Test
    func `Settings of the app, of a profile and of a chat are stored`() async throws {
        try await RealGateway.run { gateway in
            let client = try await gateway.connectClient()
            let (alice, bob) = (try await client.createUser("alice"), try await client.createUser("bob"))
            let (contact, _) = try await client.connectUsers(alice, bob)
            func acceptsImages(_ query: String = "") async throws -> JSONValue? {
                try await client.call("GET", "/v1/settings/app" + query).json["appSettings"]?["privacyAcceptImages"]
            }
            let ofApp = "?settings=%7B%22privacyAcceptImages%22:true%7D"
            // Without a setting of the app, the default of the core applies: images are not received automatically.
            #expect(try await acceptsImages() == false)
            #expect(try await acceptsImages(ofApp) == true)
            #expect(try await client.call("GET", "/v1/settings/app?settings=%7B").status == 400)
            #expect(try await client.put("/v1/settings/app", ["privacyAcceptImages": false]).status == 200)
            #expect(try await acceptsImages(ofApp) == false)
            let (user, chat) = ("/v1/users/\(alice)", "/v1/users/\(alice)/chats/direct/\(contact)")
            #expect(try await client.patch(chat, ["settings": ["enableNtfs": "none", "favorite": true]]).status == 200)
            #expect(try await client.patch(user, ["ttlSeconds": 86400]).status == 200)
            #expect(try await client.call("GET", user + "/ttl").json["chatItemTTL"] == 86400)
            #expect(try await client.call("GET", user).json["ttlSeconds"] == 86400)
            #expect(try await client.patch(user, ["ttlSeconds": -1]).status == 422)
            #expect(try await client.patch(user, ["ttlSeconds": "soon"]).status == 422)
            #expect(try await client.patch(chat, ["ttlSeconds": 604800]).status == 200)
            let themes: JSONValue = ["themes": ["light": ["mode": "light", "colors": ["accent": "#ff0088ff"]]]]
            #expect(try await client.patch(chat, themes).status == 200)
            #expect(try await client.patch(user, themes).status == 200)
            let shown = try await client.call("GET", chat + "?limit=1").json["chat"]?["chatInfo"]?["contact"]
            #expect(shown?["chatItemTTL"] == 604800)
            #expect(shown?["uiThemes"] == themes["themes"])
            #expect(shown?["chatSettings"]?["favorite"] == true)
            #expect(try await client.patch(chat, ["themes": nil]).status == 200)
            #expect(try await client.patch(chat, ["ttlSeconds": nil]).status == 200)
            #expect(try await client.patch("/v1/users/\(alice)/chats/direct/99", themes).status == 404)
            let refused = try await client.patch("/v1/users/\(alice)/chats/local/1", themes)
            #expect(try refused.status == 422 && refused.json["errors"]?[0]?["pointer"] == "/themes", "\(refused.text)")
        }
    }

    @Test
    func `Requests with invalid values get 400 or 422, and change nothing`() async throws {
        try await RealGateway.run { gateway in
            let client = try await gateway.connectClient()
            let (alice, bob) = (try await client.createUser("alice"), try await client.createUser("bob"))
            let (contact, _) = try await client.connectUsers(alice, bob)
            let (user, chat) = ("/v1/users/\(alice)", "/v1/users/\(alice)/chats/direct/\(contact)")
            let before = try await client.call("GET", chat).json
            // Items are numbered across all users of a database, so the number of this item is not always the same.
            let item = try #require(before["chat"]?["chatItems"]?[0]?["meta"]?["itemId"]?.integerValue)
            let list = try await client.call("GET", "\(user)/tags").json
            for (method, path, body) in [
                ("PATCH", "\(user)/contacts/\(contact)", #"{"preferences":{"voice":{"allow":"perhaps"}}}"#),
                (
                    "PATCH", "\(user)/contacts/\(contact)",
                    #"{"preferences":{"timedMessages":{"allow":"yes","ttl":"week"}}}"#
                ),
                ("PATCH", chat, #"{"settings":{"enableNtfs":"sometimes","favorite":false}}"#),
                ("PATCH", chat, #"{"settings":null}"#), ("PUT", "/v1/settings/app", ""),
                ("PATCH", chat, #"{"ttlSeconds":"week"}"#), ("PATCH", chat, #"{"ttlSeconds":-5}"#),
                ("PATCH", user, #"{"ttlSeconds":1.5}"#), ("PATCH", user, #"{"ttlSeconds":99999999999999999999}"#),
                ("PATCH", chat, #"{"tagIds":["first"]}"#),
                ("POST", "\(user)/tags", #"{"emoji":"🏠"}"#),
                ("PATCH", chat, #"{"themes":{"light":{"mode":"dim"}}}"#),
                ("POST", "\(chat)/messages/\(item)/reactions", #"{"reaction":{"type":"sticker"}}"#),
                ("POST", "\(chat)/messages/\(item)/reactions", #"{"reaction":{"type":"emoji","emoji":"🦊"}}"#),
                (
                    "POST", "\(chat)/messages",
                    #"{"composedMessages":[{"msgContent":{"text":"no type"},"mentions":{}}]}"#
                ),
                (
                    "POST", "\(chat)/messages",
                    #"{"composedMessages":[{"msgContent":{"type":"text","text":"a\u0000b"},"mentions":{}}]}"#
                ),
                (
                    "POST", "\(chat)/messages",
                    #"{"composedMessages":[{"msgContent":{"type":"text","text":"x"},"mentions":{}}],"ttl":"soon"}"#
                ),
                ("PUT", "/v1/settings/network-info", #"{"networkType":"pigeon","online":true}"#),
                ("PUT", "\(user)/profile", #"{"profile":{"displayName":"a\u0000b","fullName":""}}"#),
            ] {
                let answer = try await client.call(method, path, body: body)
                #expect(answer.status == 422 || answer.status == 400, "\(path) \(body): \(answer.text)")
            }
            for query in [
                "limit=many", "limit=0", "limit=1001", "limit=5&around=first", "initial=3", "initial=true&around=1",
                "initial=true&search=x", "limit=5&limit=5", "limit=%2B5", "search=x&search=y", "cursor=", "cursor=x",
                "around=1&cursor=x", "count=5", "before=1", "after=1",
            ] {
                #expect(try await client.call("GET", "\(chat)?\(query)").status == 400, "\(query)")
            }
            for query in ["search=x&unread=true", "before=2026-01-02T00:00:00Z"] {
                #expect(try await client.call("GET", "\(user)/chats?\(query)").status == 400, "\(query)")
            }
            for (query, body) in [
                ("itemIds=1", #"{"itemIds":[2]}"#), ("itemIds=1&mode=internal", "{}"), ("mode=internal", ""),
                ("itemIds=1&mode=both", ""), ("itemIds=1,,2", ""),
            ] {
                #expect(
                    try await client.call("DELETE", "\(chat)/messages?\(query)", body: body).status == 400,
                    "\(query) \(body)"
                )
            }
            #expect(try await client.call("GET", chat).json == before)
            #expect(try await client.call("GET", "\(user)/tags").json == list)
        }
    }
}
