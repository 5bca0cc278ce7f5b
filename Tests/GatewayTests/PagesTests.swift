import ChatAPI
import JSON
import SMPTestSupport
import TestSupport
import Testing

@testable import ChatCore
@testable import Gateway

@Suite("Pages of lists", .socketTimeLimit)
struct PagesTests {
    private func makeRequest(
        _ path: String = "/v1/keys",
        _ filters: [(name: String, value: String)] = [],
        limit: Int = 2,
        _ cursor: String? = nil
    ) throws -> PageRequest {
        try PageRequest(list: path, filters: filters, limit: limit, cursor: cursor)
    }

    @Test
    func `A cursor leads to the next entries in both directions, even if the entry at the cursor is deleted`() throws {
        let first = try makeRequest().selectPage(of: Array(0..<5)) { ListPlace(number: Int64($0)) }
        #expect(first.entries == [0, 1] && first.ends.prev == nil)
        let second = try makeRequest(limit: 2, first.ends.next).selectPage(of: [0, 2, 3, 4]) {
            ListPlace(number: Int64($0))
        }
        #expect(second.entries == [2, 3])
        let last = try makeRequest(limit: 3, second.ends.next).selectPage(of: [0, 2, 4]) {
            ListPlace(number: Int64($0))
        }
        #expect(last.entries == [4] && last.ends.next == nil)
        let back = try makeRequest(limit: 5, last.ends.prev).selectPage(of: [-1, 0, 2, 4]) {
            ListPlace(number: Int64($0))
        }
        #expect(back.entries == [-1, 0, 2] && back.ends.prev == nil && back.ends.next != nil)
        let empty = try makeRequest(limit: 2, second.ends.next).selectPage(of: [0, 2]) { ListPlace(number: Int64($0)) }
        #expect(empty.entries.isEmpty && empty.ends.next == nil)
        let end = try makeRequest(limit: 2, empty.ends.prev).selectPage(of: [0, 1, 2]) { ListPlace(number: Int64($0)) }
        #expect(end.entries == [1, 2])
        let none = try makeRequest(limit: 2, first.ends.next).selectPage(of: [Int]()) { ListPlace(number: Int64($0)) }
        #expect(none.entries.isEmpty && none.ends.next == nil && none.ends.prev == nil)
    }

    @Test
    func `List entries that are sorted only by name are ordered by the UTF-8 bytes of the names`() throws {
        let names = ["b", "a", "e\u{301}", "\u{e9}", ""]
        var (read, cursor, pages): ([String], String?, Int) = ([], nil, 0)
        repeat {
            let page = try makeRequest(limit: 1, cursor).selectPage(of: names) { ListPlace(text: $0) }
            read += page.entries
            cursor = page.ends.next
            pages += 1
        } while cursor != nil && pages < 10
        #expect(read.map { Array($0.utf8) } == ["", "a", "b", "e\u{301}", "\u{e9}"].map { Array($0.utf8) })
    }

    @Test
    func `A damaged cursor, or a cursor of another list or filter, is refused with 'invalidCursor'`() throws {
        let filters = [(name: "name", value: "a"), (name: "search", value: "b")]
        let cursor = try makeRequest("/v1/keys", filters).makeCursor(.next, ListPlace(number: 7, text: "x y"))
        let read = try makeRequest("/v1/keys", filters.reversed(), limit: 9, cursor).cursor
        #expect(read?.direction == .next && read?.place == ListPlace(number: 7, text: "x y"))
        for (path, others) in [
            ("/v1/stores", filters), ("/v1/keys", []), ("/v1/keys", [filters[0]]),
            ("/v1/keys", [filters[0], (name: "search", value: "c")]),
        ] {
            #expect(throws: ProblemDetails.self) { try makeRequest(path, others, cursor) }
        }
        var damaged = ["", "x", "next", String(cursor.dropLast()), cursor + "A", cursor + "=", "\u{0}", "é"]
        for index in cursor.indices {
            let other = cursor[index] == "A" ? "B" : "A"
            damaged.append(cursor.replacingCharacters(at: index, with: other))
        }
        for text in damaged {
            do {
                _ = try makeRequest("/v1/keys", filters, text)
                Issue.record("\(text) was accepted")
            } catch { #expect((error as? ProblemDetails)?.code == .invalidCursor) }
        }
    }

    @Test
    func `Keys, stores, webhooks, sessions and archives can be read page by page in both directions`() async throws {
        try await RealGateway.run { gateway in
            let client = try await gateway.connectClient()
            let user = try await client.createUser("alice")
            for number in 0..<4 {
                #expect(try await client.post("/v1/keys", ["name": .string("key \(number)")]).status == 201)
                #expect(try await client.post("/v1/webhooks", ["url": "https://example.org/hook"]).status == 201)
                #expect(try await client.call("POST", "/v1/users/\(user)/sessions").status == 201)
                let archive = "/v1/database/archives/\(number).zip"
                try await client.send("PUT", archive, body: [UInt8](repeating: 1, count: number + 1))
                #expect(try await client.receiveAnswer().status == 201)
                _ = try await gateway.makeStore("store \(number)")
            }
            for (path, name, count) in [
                ("/v1/keys", "keys", 5), ("/v1/webhooks", "webhooks", 4), ("/v1/stores", "stores", 5),
                ("/v1/users/\(user)/sessions", "sessions", 4), ("/v1/database/archives", "archives", 4),
                ("/v1/push-subscriptions", "subscriptions", 0), ("/v1/remote-hosts", "remoteHosts", 0),
            ] {
                let whole = try await client.call("GET", path).json
                #expect(whole[name]?.arrayValue?.count == count, "\(path)")
                #expect(whole["next"] == .null && whole["prev"] == .null, "\(path)")
                for limit in [1, 2, 3] {
                    let pages = try await client.walkPages("\(path)?limit=\(limit)") { $0[name]?.arrayValue ?? [] }
                    #expect(pages.count == max(1, (count + limit - 1) / limit), "\(path)")
                    let ids = { (entry: JSONValue) in
                        entry["keyId"] ?? entry["storeId"] ?? entry["sessionId"] ?? entry["name"]
                    }
                    let read = pages.joined().map { $0["webhookId"] ?? ids($0) }
                    #expect(read == whole[name]?.arrayValue?.map { $0["webhookId"] ?? ids($0) }, "\(path)")
                }
                for query in ["limit=0", "limit=5001", "limit=x", "cursor=", "cursor=x", "after=1"] {
                    #expect(try await client.call("GET", "\(path)?\(query)").status == 400, "\(path) \(query)")
                }
            }
            let key = try await client.call("GET", "/v1/keys?limit=2").json["next"]?.stringValue
            let cursor = try #require(key)
            for path in ["/v1/stores?", "/v1/keys?", "/v1/users/\(user)/contacts?name=x&"] {
                let answer = try await client.call("GET", "\(path)cursor=\(cursor)")
                #expect(try path.contains("keys") ? answer.status == 200 : answer.json["code"] == "invalidCursor")
            }
        }
    }

    @Test
    func `A profile that is added while profiles are read page by page is on the last page`() async throws {
        try await RealGateway.run { gateway in
            let client = try await gateway.connectClient()
            for number in 0..<5 { _ = try await client.createUser("user\(number)") }
            let pages = try await client.walkPages("/v1/users?limit=2") { $0["users"]?.arrayValue ?? [] }
            #expect(pages.map(\.count) == [2, 2, 1])
            #expect(pages.joined().map { $0["user"]?["userId"]?.integerValue } == [1, 2, 3, 4, 5])
            let last = try await client.call("GET", "/v1/users?limit=4").json["next"]?.stringValue
            _ = try await client.createUser("late")
            let rest = try await client.call("GET", "/v1/users?cursor=\(try #require(last))").json
            #expect(rest["users"]?.arrayValue?.count == 2 && rest["next"] == .null && rest["prev"] != .null)
            #expect(try await client.call("GET", "/v1/users?limit=0").status == 400)
        }
    }

    @Test
    func `The deliveries of a webhook can be read page by page, beginning with the newest`() async throws {
        try await RealGateway.runDelivering { gateway in
            let client = try await gateway.connectClient()
            let receiver = try await HTTPReceiver.start { _ in .status(204) }
            let made = try await client.post("/v1/webhooks", ["url": .string("http://127.0.0.1:\(receiver.port)/")])
            let path = try #require(made.header("location"))
            for _ in 0..<5 { #expect(try await client.call("POST", path + "/test").status == 200) }
            let pages = try await client.walkPages(path + "/deliveries?limit=2") { $0["deliveries"]?.arrayValue ?? [] }
            let ids = pages.joined().compactMap { $0["deliveryId"]?.integerValue }
            #expect(pages.count == 3 && ids.count == 5 && ids == ids.sorted(by: >))
        }
    }

    @Test
    func `If all chats have the same time, each chat is still on exactly one page`() async throws {
        try await RealGateway.run { gateway in
            let client = try await gateway.connectClient()
            let user = try await client.createUser("alice")
            for _ in 0..<30 { _ = try await client.post("/v1/users/\(user)/connections/invitations", [:]) }
            try await gateway.core.store.write { tx in
                try tx.db.execute("UPDATE connections SET updated_at = 1700000000000000000")
            }
            for limit in [1, 7, 15, 40] {
                let pages = try await client.walkPages("/v1/users/\(user)/chats?limit=\(limit)") {
                    $0["chats"]?.arrayValue ?? []
                }
                let chats = pages.joined().map(\.text)
                #expect(chats.count == 31 && Set(chats).count == 31)
                #expect(pages.dropLast().allSatisfy { $0.count == limit })
            }
        }
    }

    @Test
    func `A cursor at a deleted message leads to the messages next to this message`() async throws {
        try await RealGateway.run { gateway in
            let client = try await gateway.connectClient()
            let user = try await client.createUser("alice")
            let chats = try await client.call("GET", "/v1/users/\(user)/chats").json["chats"]?.arrayValue ?? []
            let folders = chats.compactMap { $0["chatInfo"]?["noteFolder"]?["noteFolderId"]?.integerValue }
            let folder = try #require(folders.first)
            for number in 0..<9 {
                _ = try await client.post(
                    "/v1/users/\(user)/chats/local/\(folder)/messages",
                    ["text": .string("\(number)")]
                )
            }
            let chat = "/v1/users/\(user)/chats/local/\(folder)"
            func texts(_ page: JSONValue) -> [String] {
                (page["chat"]?["chatItems"] ?? page["chatItems"])?.arrayValue?.compactMap {
                    ($0["chatItem"] ?? $0)["meta"]?["itemText"]?.stringValue
                } ?? []
            }
            for list in [chat, "/v1/users/\(user)/messages"] {
                let first = try await client.call("GET", list + "?limit=3").json
                #expect(first["prev"] == .null)
                let oldest = (first["chat"]?["chatItems"] ?? first["chatItems"])?[0]
                let id = try #require((oldest?["chatItem"] ?? oldest)?["meta"]?["itemId"]?.integerValue)
                let expected = Array(texts(try await client.call("GET", list + "?limit=9").json).dropLast(3).suffix(3))
                let deleted = try await client.call("DELETE", "\(chat)/messages?itemIds=\(id)&mode=internal")
                #expect(deleted.status == 200)
                let next = try #require(first["next"]?.stringValue)
                let second = try await client.call("GET", "\(list)?limit=3&cursor=\(next)").json
                #expect(texts(second) == expected)
                let prev = try #require(second["prev"]?.stringValue)
                let again = try await client.call("GET", "\(list)?limit=3&cursor=\(prev)").json
                #expect(texts(again) == Array(texts(first).dropFirst()) && again["prev"] == .null)
                #expect(try await client.call("GET", "\(list)?limit=3&around=\(id)").status == 404)
            }
        }
    }

    @Test
    func `A cursor at a deleted group message leads to the remaining messages of the same second`() async throws {
        try await RealGateway.run { gateway in
            let client = try await gateway.connectClient()
            let chat = try await GroupOfTwo(client).ourChatPath
            for text in ["one", "two", "three", "four"] {
                #expect(try await client.post(chat + "/messages", textMessage(text)).status == 201)
            }
            func items(_ page: JSONValue) -> [JSONValue] { page["chat"]?["chatItems"]?.arrayValue ?? [] }
            func texts(_ page: JSONValue) -> [String] {
                items(page).compactMap { $0["meta"]?["itemText"]?.stringValue }
            }
            let list = chat + "?limit=2&contentType=text"
            let first = try await client.call("GET", list).json
            #expect(texts(first) == ["three", "four"])
            let id = try #require(items(first).first?["meta"]?["itemId"]?.integerValue)
            let deleted = try await client.call("DELETE", "\(chat)/messages?itemIds=\(id)&mode=internal")
            #expect(deleted.status == 200)
            let next = try #require(first["next"]?.stringValue)
            let second = try await client.call("GET", "\(list)&cursor=\(next)").json
            #expect(texts(second) == ["one", "two"])
            let prev = try #require(second["prev"]?.stringValue)
            let again = try await client.call("GET", "\(list)&cursor=\(prev)").json
            #expect(texts(again) == ["four"])
        }
    }

    @Test
    func `Messages can be filtered by direction, sender, time and content type`() async throws {
        try await RealGateway.run { gateway in
            let client = try await gateway.connectClient()
            let group = try await GroupOfTwo(client)
            for (chat, text) in [(group.ourChatPath, "one"), (group.ourChatPath, "two")] {
                #expect(try await client.post(chat + "/messages", textMessage(text)).status == 201)
            }
            #expect(try await client.post(group.theirChatPath + "/messages", textMessage("three")).status == 201)
            _ = try await group.waitForItem("three", of: group.aliceID)
            try await waitUntil("the messages that Alice sent have their receipts") {
                let page = try await client.call("GET", group.ourChatPath + "?direction=sent&contentType=text").json
                let items = page["chat"]?["chatItems"]?.arrayValue ?? []
                return items.count == 2 && items.allSatisfy { $0["meta"]?["itemStatus"]?["type"] == "sndRcvd" }
            }
            for list in [group.ourChatPath, "/v1/users/\(group.aliceID)/messages"] {
                func texts(_ query: String) async throws -> [String] {
                    let answer = try await client.call("GET", "\(list)?\(query)")
                    #expect(answer.status == 200, "\(query): \(answer.text)")
                    let page = try answer.json
                    let items = (page["chat"]?["chatItems"] ?? page["chatItems"])?.arrayValue ?? []
                    return items.compactMap { ($0["chatItem"] ?? $0)["content"]?["msgContent"]?["text"]?.stringValue }
                }
                #expect(try await texts("direction=sent&contentType=text") == ["one", "two"])
                #expect(try await texts("direction=received&contentType=text") == ["three"])
                #expect(try await texts("sender=\(group.bobMemberID)&contentType=text") == ["three"])
                #expect(try await texts("sender=\(group.bobMemberID)&direction=sent") == [])
                let whole = try await client.call("GET", "\(list)?contentType=text").json
                let items = ((whole["chat"]?["chatItems"] ?? whole["chatItems"])?.arrayValue ?? []).map {
                    $0["chatItem"] ?? $0
                }
                #expect(items.count == 3)
                for time in items.compactMap({ $0["meta"]?["itemTs"]?.stringValue }) {
                    let later = items.filter { ($0["meta"]?["itemTs"]?.stringValue ?? "") >= time }
                    #expect(
                        try await texts("since=\(time)&contentType=text")
                            == later.compactMap { $0["content"]?["msgContent"]?["text"]?.stringValue }
                    )
                }
                #expect(try await texts("since=2099-01-01T00:00:00Z") == [])
                #expect(try await texts("search=t&contentType=text&direction=sent") == ["two"])
                #expect(try await texts("contentType=image") == [])
                let pages = try await client.walkPages("\(list)?limit=1&direction=sent&contentType=text") {
                    ($0["chat"]?["chatItems"] ?? $0["chatItems"])?.arrayValue ?? []
                }
                #expect(pages.count == 2)
                let first = try await client.call("GET", "\(list)?limit=1&direction=sent&contentType=text").json
                let next = try #require(first["next"]?.stringValue)
                let other = "\(list)?limit=1&direction=received&contentType=text&cursor=\(next)"
                #expect(try await client.call("GET", other).json["code"] == "invalidCursor")
                for (name, value) in [
                    ("direction", "up"), ("sender", "0"), ("sender", "bob"), ("since", "yesterday"),
                    ("since", "2026-01-01T00:00:00%2B01:00"), ("contentType", "song"),
                ] {
                    let answer = try await client.call("GET", "\(list)?\(name)=\(value)")
                    #expect(answer.status == 400 && answer.text.contains(name), "\(name)=\(value): \(answer.text)")
                }
            }
        }
    }

    @Test
    func `A search finds contacts by a part of their name or alias`() async throws {
        try await RealGateway.run { gateway in
            let client = try await gateway.connectClient()
            let (bob, _) = try await ShortMessageTests.makeContacts(client)
            _ = try await client.connectUsers(1, try await client.createUser("carol"))
            #expect(try await client.patch("/v1/users/1/contacts/\(bob)", ["alias": "The Builder"]).status == 200)
            for (query, found) in [
                ("search=BO", 1), ("search=builder", 1), ("search=o", 2), ("search=", 2), ("search=x", 0),
                ("search=builder&name=bob", 1), ("search=carol&name=bob", 0),
            ] {
                let contacts = try await client.call("GET", "/v1/users/1/contacts?\(query)").json["contacts"]
                #expect(contacts?.arrayValue?.count == found, "\(query)")
            }
            let pages = try await client.walkPages("/v1/users/1/contacts?search=o&limit=1") {
                $0["contacts"]?.arrayValue ?? []
            }
            #expect(pages.map(\.count) == [1, 1])
            let next = try await client.call("GET", "/v1/users/1/contacts?search=o&limit=1").json["next"]?.stringValue
            let other = "/v1/users/1/contacts?search=b&limit=1&cursor=\(next ?? "")"
            #expect(try await client.call("GET", other).json["code"] == "invalidCursor")
        }
    }

    @Test
    func `The contract lists all types of events`() throws {
        let types = Contract.servedContract.document["components"]?["schemas"]?["EventType"]?["enum"]?.arrayValue
        #expect(types?.compactMap(\.stringValue) == ChatEvent.types + ["redacted"])
    }
}

extension String {
    fileprivate func replacingCharacters(at index: Index, with text: String) -> String {
        String(self[..<index]) + text + String(self[self.index(after: index)...])
    }
}
