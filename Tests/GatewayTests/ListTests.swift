import ChatCore
import JSON
import TestSupport
import Testing

@testable import Gateway

@Suite("Lists and their pages", .socketTimeLimit)
struct ListTests {
    @Test
    func `The pages of the chat list and of a chat contain each entry exactly once`() async throws {
        try await RealGateway.run { gateway in
            let client = try await gateway.connectClient()
            let user = try await client.createUser("alice")
            for _ in 0..<12 { _ = try await client.post("/v1/users/\(user)/connections/invitations", [:]) }
            let path = "/v1/users/\(user)/chats"
            let whole = try await client.call("GET", path).json["chats"]?.arrayValue ?? []
            #expect(whole.count == 13)
            let pages = try await client.walkPages(path + "?limit=4") { $0["chats"]?.arrayValue ?? [] }
            #expect(pages.count == 4 && pages.joined().map(\.text) == whole.map(\.text))
            let folders = whole.compactMap { $0["chatInfo"]?["noteFolder"]?["noteFolderId"]?.integerValue }
            let folder = try #require(folders.first)
            for number in 0..<9 {
                _ = try await client.post(
                    "/v1/users/\(user)/chats/local/\(folder)/messages",
                    ["text": .string("note \(number) &?é")]
                )
            }
            for query in ["limit=4", "limit=4&search=note", "limit=3&search=%26%3F%C3%A9"] {
                let pages = try await client.walkPages("\(path)/local/\(folder)?\(query)") {
                    ($0["chat"]?["chatItems"]?.arrayValue ?? []).reversed()
                }
                #expect(
                    pages.count == 3
                        && pages.joined().compactMap { $0["meta"]?["itemText"]?.stringValue }
                            == (0..<9).reversed().map { "note \($0) &?é" },
                    "\(query)"
                )
            }
            let notes =
                try await client.call("GET", "\(path)/local/\(folder)").json["chat"]?["chatItems"]?.arrayValue ?? []
            let middle = try #require(notes[4]["meta"]?["itemId"]?.integerValue)
            func read(_ query: String) async throws -> (texts: [String], page: JSONValue) {
                let page = try await client.call("GET", "\(path)/local/\(folder)?\(query)").json
                let items = page["chat"]?["chatItems"]?.arrayValue ?? []
                return (items.compactMap { $0["meta"]?["itemText"]?.stringValue.map { String($0.prefix(6)) } }, page)
            }
            let (around, page) = try await read("limit=2&around=\(middle)")
            #expect(around == (2...6).map { "note \($0)" })
            let (next, prev) = (page["next"]?.stringValue ?? "", page["prev"]?.stringValue ?? "")
            #expect(try await read("limit=5&cursor=\(next)").texts == ["note 0", "note 1"])
            #expect(try await read("limit=1&cursor=\(prev)").texts == ["note 7"])
            let everything = try await read("limit=4&around=\(middle)").page
            #expect(everything["next"] == .null && everything["prev"] == .null)
            let initial = try await read("limit=3&initial=true")
            #expect(initial.texts == (6...8).map { "note \($0)" } && initial.page["prev"] == .null)
            #expect(initial.page["next"]?.stringValue != nil)
            let refused = try await client.call("GET", "\(path)/local/\(folder)?search=note&cursor=\(next)")
            #expect(try refused.json["code"] == "invalidCursor")
            let everywhere = try await client.walkPages("/v1/users/\(user)/messages?limit=4") {
                ($0["chatItems"]?.arrayValue ?? []).reversed()
            }
            #expect(everywhere.map(\.count) == [4, 4, 1])
        }
    }

    @Test
    func `All pages of the chat list in a profile's state show the state at the time of the first page`() async throws {
        try await RealGateway.run { gateway in
            let client = try await gateway.connectClient()
            let user = try await client.createUser("alice")
            for _ in 0..<8 { _ = try await client.post("/v1/users/\(user)/connections/invitations", [:]) }
            let path = "/v1/users/\(user)/model"
            let folders =
                try await client.call("GET", path).json["model"]?["chats"]?.arrayValue?.compactMap {
                    $0["chatInfo"]?["noteFolder"]?["noteFolderId"]?.integerValue
                } ?? []
            let note = try await client.post(
                "/v1/users/\(user)/chats/local/\(try #require(folders.first))/messages",
                ["text": "secret"]
            ).json
            let noteId = try #require(note["chatItems"]?[0]?["chatItem"]?["meta"]?["itemId"]?.integerValue)
            try await waitUntil("the state has it") { try await client.call("GET", path).text.contains("secret") }
            let first = try await client.call("GET", path + "?limit=4")
            let id = try #require(try first.json["id"]?.stringValue)
            #expect(try first.json["model"]?["chats"]?.arrayValue?.count == 4)
            let tag = try #require(first.header("etag"))
            #expect(try await client.call("GET", path + "?limit=4", headers: [("If-None-Match", tag)]).status == 304)
            #expect(try await client.call("GET", path + "?limit=5", headers: [("If-None-Match", tag)]).status == 200)
            let whole = try await client.call("GET", path).json
            #expect(whole["id"] == .string(id) && whole["next"] == .null)
            let chats = try #require(whole["model"]?["chats"]?.arrayValue)
            #expect(chats.count == 9)

            // The profile's state changes after the first page was read, and the later pages must still belong to the
            // first page.
            _ = try await client.post(
                "/v1/users/\(user)/chats/local/\(try #require(folders.first))/messages",
                ["text": "later"]
            )
            _ = try await client.post("/v1/users/\(user)/connections/invitations", [:])
            try await waitUntil("the model has the new chat") {
                try await client.call("GET", path).json["model"]?["chats"]?.arrayValue?.count == 10
            }
            let read = try await client.walkPages(path + "?limit=4") { ($0["model"] ?? $0)["chats"]?.arrayValue ?? [] }
            #expect(read.map(\.count) == [4, 4, 2])
            let cursor = try #require(try first.json["next"]?.stringValue)
            let next = "\(path)/chats?limit=4&cursor=\(cursor)"
            #expect(first.header("link") == "<\(next)>; rel=\"next\"")
            let second = try await client.call("GET", next).json
            let third = "\(path)/chats?limit=4&cursor=\(second["next"]?.stringValue ?? "")"
            let old = [second, try await client.call("GET", third).json].flatMap { $0["chats"]?.arrayValue ?? [] }
            #expect(old.map(\.text) == chats.dropFirst(4).map(\.text))

            for query in ["?cursor=", "?cursor=\(cursor)x", "?cursor=\(cursor)&limit=0", "?at=\(id)&offset=4"] {
                #expect(try await client.call("GET", path + "/chats" + query).status == 400, "\(query)")
            }
            #expect(try await client.call("GET", "\(path)?cursor=\(cursor)").status == 400)
            // The list must not show the text before the edit.
            let edited = "/v1/users/\(user)/chats/local/\(try #require(folders.first))/messages/\(noteId)"
            let edit = try await client.call(
                "PATCH",
                edited,
                body: #"{"updatedMessage":{"msgContent":{"type":"text","text":"edited"},"mentions":{}}}"#
            )
            #expect(edit.status == 200, "\(edit.text)")
            #expect(try await client.call("GET", next).json["code"] == "cursorExpired")
            let kept = try #require(try await client.call("GET", path + "?limit=4").json["next"]?.stringValue)
            let again = "\(path)/chats?cursor=\(kept)"
            let deleted = try await client.call(
                "DELETE",
                "/v1/users/\(user)/chats/local/\(try #require(folders.first))/messages?itemIds=\(noteId)&mode=internal"
            )
            #expect(deleted.status == 200)
            try await waitUntil("the state that shows it is gone") {
                try await client.call("GET", again).json["code"] == "cursorExpired"
            }
        }
    }

    @Test
    func `A search finds contacts, profiles and pending connections by their name or id`() async throws {
        try await RealGateway.run { gateway in
            let client = try await gateway.connectClient()
            let (bob, alice) = try await ShortMessageTests.makeContacts(client)
            #expect(
                try await client.call("GET", "/v1/users/1/contacts?name=bob").json["contacts"]?.arrayValue?.map {
                    $0["contactId"]
                } == [.integer(bob)]
            )
            _ = try await client.patch("/v1/users/1/contacts/\(bob)", ["alias": "the builder"])
            #expect(
                try await client.call("GET", "/v1/users/1/contacts?name=the%20builder").json["contacts"]?[0]?[
                    "contactId"
                ] == .integer(bob)
            )
            for name in ["bo", "BOB", "", "%22"] {
                let answer = try await client.call("GET", "/v1/users/1/contacts?name=\(name)")
                #expect(try answer.status != 200 || answer.json["contacts"] == [], "\(name)")
            }
            // The search uses the name by which the profile knows the contact, and ignores the contact's own name,
            // which is different here.
            let (carol, _) = try await client.connectUsers(1, try await client.createUser("carol"))
            _ = try await client.post("/v1/users/1/groups", ["groupProfile": ["displayName": "team", "fullName": ""]])
            #expect(
                try await client.put("/v1/users/3/profile", ["profile": ["displayName": "team", "fullName": ""]]).status
                    == 200
            )
            try await waitUntil("the profile of carol has the name") {
                let contacts = try await client.call("GET", "/v1/users/1/contacts").json["contacts"]?.arrayValue ?? []
                return contacts.contains {
                    $0["contactId"] == .integer(carol) && $0["profile"]?["displayName"] == "team"
                        && $0["localDisplayName"] == "team_1"
                }
            }
            #expect(try await client.call("GET", "/v1/users/1/contacts?name=team").json["contacts"] == [])
            #expect(
                try await client.call("GET", "/v1/users/1/contacts?name=team_1").json["contacts"]?.arrayValue?.map {
                    $0["contactId"]
                } == [.integer(carol)]
            )
            for query in ["limit=0", "limit=5001", "limit=x", "after=1", "cursor=x", "nmae=bob"] {
                #expect(try await client.call("GET", "/v1/users/1/contacts?\(query)").status == 400, "\(query)")
            }
            #expect(try await client.call("GET", "/v1/users/1/contacts?limit=2").json["next"] == .null)
            let made = try await client.post("/v1/users/1/connections/invitations", [:])
            let place = try #require(made.header("location"))
            let read = try await client.call("GET", place)
            #expect(read.status == 200)
            #expect(try read.json["chat"]?["chatInfo"]?["contactConnection"] == made.json["connection"])
            #expect(try await client.call("GET", place + "?limit=5").status == 200)
            #expect(try await client.call("GET", "/v1/users/1/chats/contactConnection/999").status == 404)
            #expect(try await client.call("GET", place.replacing("/users/1/", with: "/users/2/")).status == 404)
            for user in [1, 2] {
                var one = try await client.call("GET", "/v1/users/\(user)").json.objectValue
                // The list leaves out this setting, so it is removed before the comparison.
                #expect(one?["ttlSeconds"] == 0)
                one?["ttlSeconds"] = nil
                let listed = try await client.call("GET", "/v1/users").json["users"]?.arrayValue?.first {
                    $0["user"]?["userId"] == .integer(Int64(user))
                }
                #expect(one.map { JSONValue.object($0) }?.withSortedMembers == listed?.withSortedMembers)
            }
            #expect(try await client.call("GET", "/v1/users/9").status == 404)
            for number in 0..<3 {
                _ = try await client.post(
                    "/v1/users/1/chats/direct/\(bob)/messages?wait=delivered&timeout=60",
                    ["text": .string("\(number)")]
                )
            }
            let chat = "/v1/users/2/chats/direct/\(alice)"
            for query in ["", "?limit=1", "?limit=2&search=1", "?initial=true&limit=5"] {
                #expect(
                    try await client.call("GET", chat + query).json["chat"]?["chatStats"]?["unreadCount"] == 3,
                    "\(query)"
                )
            }
            let first = try await client.call("GET", chat).json["chat"]?["chatStats"]?["minUnreadItemId"]?.integerValue
            #expect(first.map { $0 > 0 } == true)
            _ = try await client.post(chat + "/read", [:])
            #expect(try await client.call("GET", chat).json["chat"]?["chatStats"]?["unreadCount"] == 0)
        }
    }

    @Test
    func `All times in answers have the same number of digits after the seconds`() async throws {
        try await RealGateway.run { gateway in
            let client = try await gateway.connectClient()
            let (bob, _) = try await ShortMessageTests.makeContacts(client)
            _ = try await client.post(
                "/v1/users/1/chats/direct/\(bob)/messages?wait=delivered&timeout=60",
                ["text": "one"]
            )
            for path in [
                "/v1/users/1/chats", "/v1/users/2/chats", "/v1/users/2/contacts", "/v1/events?limit=1000",
                "/v1/users/1/model", "/v1/stores", "/v1/keys", "/v1/users",
            ] {
                let text = try await client.call("GET", path).text
                let times = text.matches(of: /"([0-9]{4}-[0-9]{2}-[0-9]{2}T[^"]*Z)"/).map(\.1)
                #expect(
                    times.allSatisfy { $0.utf8.count == 30 },
                    "\(path): \(times.filter { $0.utf8.count != 30 }.prefix(3))"
                )
            }
        }
    }
}
