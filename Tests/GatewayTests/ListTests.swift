import ChatCore
import JSON
import TestSupport
import Testing

@testable import Gateway

@Suite("Lists, counts and paths", .overSockets)
struct ListTests {
    /// Reads a whole list by following the links between its pages.
    private func all(
        _ client: HTTPClient,
        _ first: String,
        _ items: (JSONValue) -> [JSONValue]
    ) async throws -> (parts: Int, items: [JSONValue]) {
        var (target, found, parts): (String?, [JSONValue], Int) = (first, [], 0)
        while let next = target, parts < 100 {
            let answer = try await client.call("GET", next)
            #expect(answer.status == 200, "\(next)")
            found += items(try answer.json)
            parts += 1
            target = try answer.json["next"]?.stringValue
            #expect(answer.header("link") == target.map { "<\($0)>; rel=\"next\"" })
        }
        return (parts, found)
    }

    @Test("The chat list and the items of a chat are read in pages without omissions and repetitions")
    func parts() async throws {
        try await RealGateway.run { gateway in
            let client = try await gateway.client()
            let user = try await client.user("alice")
            for _ in 0..<12 { _ = try await client.post("/v1/users/\(user)/connections/invitations", [:]) }
            let path = "/v1/users/\(user)/chats"
            let whole = try await client.call("GET", path).json["chats"]?.arrayValue ?? []
            #expect(whole.count == 13)
            let (parts, chats) = try await all(client, path + "?count=4") { $0["chats"]?.arrayValue ?? [] }
            #expect(parts == 4 && chats.map(\.text) == whole.map(\.text))
            let folders = whole.compactMap { $0["chatInfo"]?["noteFolder"]?["noteFolderId"]?.integerValue }
            let folder = try #require(folders.first)
            for number in 0..<9 {
                _ = try await client.post(
                    "/v1/users/\(user)/notes/\(folder)/items",
                    ["text": .string("note \(number) &?é")]
                )
            }
            for query in ["count=4", "count=4&search=note", "count=3&search=%26%3F%C3%A9"] {
                let (parts, notes) = try await all(client, "\(path)/local/\(folder)?\(query)") {
                    ($0["chat"]?["chatItems"]?.arrayValue ?? []).reversed()
                }
                #expect(
                    parts >= 3
                        && notes.compactMap { $0["meta"]?["itemText"]?.stringValue }
                            == (0..<9).reversed().map { "note \($0) &?é" },
                    "\(query)"
                )
            }
            let notes =
                try await client.call("GET", "\(path)/local/\(folder)").json["chat"]?["chatItems"]?.arrayValue ?? []
            let oldest = try #require(notes.first?["meta"]?["itemId"]?.integerValue)
            let (parts2, forward) = try await all(client, "\(path)/local/\(folder)?count=3&after=\(oldest)") {
                $0["chat"]?["chatItems"]?.arrayValue ?? []
            }
            #expect(
                parts2 >= 3
                    && forward.compactMap { $0["meta"]?["itemText"]?.stringValue } == (1..<9).map { "note \($0) &?é" }
            )
            let (_, everywhere) = try await all(client, "/v1/users/\(user)/items?count=4") {
                ($0["chatItems"]?.arrayValue ?? []).reversed()
            }
            #expect(everywhere.count == 9)
        }
    }

    @Test(
        "All pages of a model's chat list show one state, until an edit or deletion of its data expires the cursor"
    )
    func modelParts() async throws {
        try await RealGateway.run { gateway in
            let client = try await gateway.client()
            let user = try await client.user("alice")
            for _ in 0..<8 { _ = try await client.post("/v1/users/\(user)/connections/invitations", [:]) }
            let path = "/v1/users/\(user)/model"
            let folders =
                try await client.call("GET", path).json["model"]?["chats"]?.arrayValue?.compactMap {
                    $0["chatInfo"]?["noteFolder"]?["noteFolderId"]?.integerValue
                } ?? []
            let note = try await client.post(
                "/v1/users/\(user)/notes/\(try #require(folders.first))/items",
                ["text": "secret"]
            ).json
            let noteId = try #require(note["chatItems"]?[0]?["chatItem"]?["meta"]?["itemId"]?.integerValue)
            try await eventually("the state has it") { try await client.call("GET", path).text.contains("secret") }
            let first = try await client.call("GET", path + "?limit=4")
            let id = try #require(try first.json["id"]?.stringValue)
            #expect(try first.json["model"]?["chats"]?.arrayValue?.count == 4)
            let tag = try #require(first.header("etag"))
            #expect(try await client.call("GET", path + "?limit=4", headers: [("If-None-Match", tag)]).status == 304)
            #expect(try await client.call("GET", path + "?limit=5", headers: [("If-None-Match", tag)]).status == 200)
            let whole = try await client.call("GET", path).json
            #expect(whole["id"] == .string(id) && whole["next"] == nil)
            let chats = try #require(whole["model"]?["chats"]?.arrayValue)
            #expect(chats.count == 9)

            // The state changes before the other pages are read.
            _ = try await client.post("/v1/users/\(user)/notes/\(try #require(folders.first))/items", ["text": "later"])
            _ = try await client.post("/v1/users/\(user)/connections/invitations", [:])
            try await eventually("the model has the new chat") {
                try await client.call("GET", path).json["model"]?["chats"]?.arrayValue?.count == 10
            }
            let (parts, read) = try await all(client, path + "?limit=4") {
                ($0["model"] ?? $0)["chats"]?.arrayValue ?? []
            }
            #expect(parts == 3 && read.count == 10)
            let next = try #require(try first.json["next"]?.stringValue)
            #expect(first.header("link") == "<\(next)>; rel=\"next\"")
            let (rest, old) = try await all(client, next) { $0["chats"]?.arrayValue ?? [] }
            #expect(rest == 2 && old.map(\.text) == chats.dropFirst(4).map(\.text))

            for query in [
                "", "?at=", "?at=\(id)&offset=-1", "?at=\(id)&limit=0", "?at=\(id)&limit=5001", "?at=\(id)&form=1",
            ] {
                let status = try await client.call("GET", path + "/chats" + query).status
                #expect(status == 400 || query == "?at=" && status == 410, "\(query)")
            }
            #expect(try await client.call("GET", path + "/chats?at=\(id)&offset=1000000").json["chats"] == [])
            // The text before the edit is not shown.
            let edited = "/v1/users/\(user)/chats/local/\(try #require(folders.first))/items/\(noteId)"
            let edit = try await client.call(
                "PATCH",
                edited,
                body: #"{"updatedMessage":{"msgContent":{"type":"text","text":"edited"},"mentions":{}}}"#
            )
            #expect(edit.status == 200, "\(edit.text)")
            #expect(try await client.call("GET", next).json["code"] == "cursorExpired")
            let again = try #require(try await client.call("GET", path + "?limit=4").json["next"]?.stringValue)
            let deleted = try await client.call(
                "DELETE",
                "/v1/users/\(user)/chats/local/\(try #require(folders.first))/items?itemIds=\(noteId)&mode=internal"
            )
            #expect(deleted.status == 200)
            try await eventually("the state that shows it is gone") {
                try await client.call("GET", again).json["code"] == "cursorExpired"
            }
        }
    }

    @Test("Contacts are found by name, a profile by id, a pending connection by its path, and the counts are right")
    func lookups() async throws {
        try await RealGateway.run { gateway in
            let client = try await gateway.client()
            let (bob, alice) = try await ShortMessageTests.contacts(client)
            #expect(
                try await client.call("GET", "/v1/users/1/contacts?name=bob").json["contacts"]?.arrayValue?.map {
                    $0["contactId"]
                } == [.integer(bob)]
            )
            _ = try await client.put("/v1/users/1/contacts/\(bob)/alias", ["localAlias": "the builder"])
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
            let (carol, _) = try await client.connect(1, try await client.user("carol"))
            _ = try await client.post("/v1/users/1/groups", ["groupProfile": ["displayName": "team", "fullName": ""]])
            #expect(
                try await client.put("/v1/users/3/profile", ["profile": ["displayName": "team", "fullName": ""]]).status
                    == 200
            )
            try await eventually("the profile of carol has the name") {
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
            for query in ["limit=0", "limit=5001", "limit=x", "after=-1", "nmae=bob"] {
                #expect(try await client.call("GET", "/v1/users/1/contacts?\(query)").status == 400, "\(query)")
            }
            #expect(try await client.call("GET", "/v1/users/1/contacts?limit=2").json["next"] == nil)
            let made = try await client.post("/v1/users/1/connections/invitations", [:])
            let place = try #require(made.header("location"))
            let read = try await client.call("GET", place)
            #expect(read.status == 200)
            #expect(try read.json["chat"]?["chatInfo"]?["contactConnection"] == made.json["connection"])
            #expect(try await client.call("GET", place + "?count=5").status == 200)
            #expect(try await client.call("GET", "/v1/users/1/chats/contactConnection/999").status == 404)
            #expect(try await client.call("GET", place.replacing("/users/1/", with: "/users/2/")).status == 404)
            for user in [1, 2] {
                let one = try await client.call("GET", "/v1/users/\(user)").json
                let listed = try await client.call("GET", "/v1/users").json["users"]?.arrayValue?.first {
                    $0["user"]?["userId"] == .integer(Int64(user))
                }
                #expect(one.sorted == listed?.sorted)
            }
            #expect(try await client.call("GET", "/v1/users/9").status == 404)
            for number in 0..<3 {
                _ = try await client.post(
                    "/v1/users/1/chats/direct/\(bob)/messages?wait=delivered&timeout=60",
                    ["text": .string("\(number)")]
                )
            }
            let chat = "/v1/users/2/chats/direct/\(alice)"
            for query in ["", "?count=1", "?count=2&search=1", "?initial=5"] {
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

    @Test("All times in answers have the same number of digits")
    func times() async throws {
        try await RealGateway.run { gateway in
            let client = try await gateway.client()
            let (bob, _) = try await ShortMessageTests.contacts(client)
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
