import JSON
import TestSupport
import Testing

@testable import Gateway

/// Keys which are limited to some chats.
extension KeysTests {
    @Test
    func `A request to create a key for an unknown profile, chat or phone is refused`() async throws {
        try await RealGateway.run { gateway in
            let admin = try await gateway.connectClient()
            _ = try await admin.createUser("alice")
            let bound = try await HTTPClient.connect(
                port: gateway.port,
                key: makeKey(admin, ["name": "bound", "scopes": ["admin"], "userId": 1]).key
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
            #expect(try KeyFile(folder: gateway.folder).loadKeys().count == 2)
            let notes = try await HTTPClient.connect(
                port: gateway.port,
                key: makeKey(bound, ["name": "notes", "userId": 1, "chats": ["local/1"]]).key
            )
            #expect(try await notes.post("/v1/users/1/chats/local/1/messages", ["text": "a note"]).status == 201)
            #expect(try await notes.post("/v1/users/1/chats/local/2/messages", ["text": "a note"]).status == 403)
        }
    }

    @Test
    func `A key for chats reads only the contacts, groups and members of these chats`() async throws {
        try await RealGateway.run { gateway in
            let admin = try await gateway.connectClient()
            let (bob, _) = try await ShortMessageTests.makeContacts(admin)
            for name in ["team", "other"] {
                _ = try await admin.post(
                    "/v1/users/1/groups",
                    ["groupProfile": ["displayName": .string(name), "fullName": ""]]
                )
            }
            let (key, _) = try await makeKey(
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

    @Test
    func `No answer or event for a key for chats names the foreign chat from which an item was forwarded`() async throws
    {
        try await RealGateway.run { gateway in
            let admin = try await gateway.connectClient()
            let (bob, _) = try await ShortMessageTests.makeContacts(admin)
            let (carol, _) = try await admin.connectUsers(1, try await admin.createUser("carol"))
            let sent = try await admin.post("/v1/users/1/chats/direct/\(carol)/messages", ["text": "from elsewhere"])
            let item = try #require(try sent.json["chatItems"]?[0]?["chatItem"]?["meta"]?["itemId"])
            let own = "/v1/users/1/chats/direct/\(bob)"
            let forwarded = try await admin.post(
                own + "/forwards",
                ["fromChatType": "direct", "fromChatId": .integer(carol), "itemIds": [item]]
            )
            #expect(forwarded.text.contains("\"chatName\":\"carol\""), "\(forwarded.text)")
            let one = try #require(try forwarded.json["chatItems"]?[0]?["chatItem"]?["meta"]?["itemId"]?.integerValue)
            try await waitUntil("the item is delivered") { try await admin.call("GET", own).text.contains("sndRcvd") }
            let bound = try await HTTPClient.connect(
                port: gateway.port,
                key: makeKey(admin, ["name": "one", "userId": 1, "chats": [.string("direct/\(bob)")]]).key
            )
            let both = try await HTTPClient.connect(
                port: gateway.port,
                key: makeKey(
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
            #expect(try await stream.receiveHead().status == 200)
            var text = ""
            while !text.contains("itemForwarded"), let chunk = try await stream.receiveChunk() {
                text += String(decoding: chunk, as: UTF8.self)
            }
            #expect(text.contains("\"itemForwarded\":{\"type\":\"unknown\"}") && !text.contains("carol"))
        }
    }

    @Test
    func `Over every transport, a key for chats can use only routes of these chats, and gets only their events`()
        async throws
    {
        try await RealGateway.run { gateway in
            let admin = try await gateway.connectClient()
            let (bob, _) = try await ShortMessageTests.makeContacts(admin)
            let (key, _) = try await makeKey(admin, ["name": "one", "userId": 1, "chats": [.string("direct/\(bob)")]])
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
            where route.access != .noKey && !open.contains(route.operationID)
                && !filtered.contains(route.category)
            {
                let target = route.path(chatType: "local", id: "\(folder)")
                let answer = try await client.call(route.method.rawValue, target)
                #expect(answer.status == 403, "\(route.operationID): \(answer.text)")
            }
            #expect(try await client.call("GET", "/v1/users/2/chats/direct/\(bob)").status == 403)
            // Sends requests that name another chat in the body, or a file.
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
            try await expectUploads(client, own, admin)
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
            for (command, answer) in zip(commands, try await socket.receiveAnswers(to: commands)) {
                #expect(answer.text.contains("bound to other chats"), "\(command): \(answer.text)")
            }
            #expect(try await socket.receiveAnswers(to: ["/_get chat @\(bob) count=1"])[0].text.contains("\"apiChat\""))
        }
    }

    /// Checks that a key of one chat can send its own upload, but only once and only with the key of the file, and that
    /// it cannot send another file of the profile.
    private func expectUploads(_ client: HTTPClient, _ own: String, _ admin: HTTPClient) async throws {
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
        // The file now belongs to a message, so it cannot be sent again.
        #expect(try await send(mine) == 403)
        #expect(try await client.call("GET", "/v1/users/1/files/1/content").status == 403)
    }
}
