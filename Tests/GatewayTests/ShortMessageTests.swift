import ChatCore
import JSON
import TestSupport
import Testing

@testable import Gateway

@Suite("Short requests that send messages", .socketTimeLimit)
struct ShortMessageTests {
    /// Makes two profiles contacts, and returns the contact ids that they have of each other.
    static func makeContacts(_ client: HTTPClient) async throws -> (alice: Int64, bob: Int64) {
        let (alice, bob) = (try await client.createUser("alice"), try await client.createUser("bob"))
        let link = try await client.post("/v1/users/\(alice)/connections/invitations", [:]).json["connLinkInvitation"]?[
            "connFullLink"
        ]
        _ = try await client.post("/v1/users/\(bob)/connections", ["connLink": try #require(link)])
        var found: [Int64: Int64] = [:]
        try await waitUntil("both users are connected") {
            for user in [alice, bob] where found[user] == nil {
                let page = try await client.call("GET", "/v1/events?types=contactConnected&users=\(user)").json
                found[user] = page["events"]?[0]?["event"]?["contact"]?["contactId"]?.integerValue
            }
            return found.count == 2
        }
        return (try #require(found[alice]), try #require(found[bob]))
    }

    private func readTexts(_ client: HTTPClient, _ path: String) async throws -> [String] {
        let items = try await client.call("GET", path).json["chat"]?["chatItems"]?.arrayValue ?? []
        return items.compactMap { $0["content"]?["msgContent"]?["text"]?.stringValue }
    }

    @Test
    func `A message is sent from the JSON member 'text' or from a plain text body, and other bodies are refused`()
        async throws
    {
        try await RealGateway.run { gateway in
            let client = try await gateway.connectClient()
            let (contact, _) = try await Self.makeContacts(client)
            let path = "/v1/users/1/chats/direct/\(contact)/messages"
            let plain = ("Content-Type", "text/plain")
            let first = try await client.post(path, ["text": "one"])
            #expect(first.status == 201 && first.header("location") != nil)
            let item = try #require(try first.json["chatItems"]?[0]?["chatItem"]?["meta"]?["itemId"])
            #expect(try await client.call("POST", path, headers: [plain], body: "two\n").status == 201)
            #expect(
                try await client.call(
                    "POST",
                    path,
                    headers: [("Content-Type", "Text/Plain; charset=\"UTF-8\"")],
                    body: "{three: 3}"
                ).status == 201
            )
            let reply = try await client.post(path, ["text": "four", "quotedItemId": item])
            #expect(try reply.json["chatItems"]?[0]?["chatItem"]?["quotedItem"]?["content"]?["text"] == "one")
            for body: JSONValue in [
                [:], ["text": ""], ["text": 5], ["text": ["a"]],
                ["text": "a", "composedMessages": [["msgContent": ["type": "text", "text": "b"]]]],
                ["quotedItemId": item, "composedMessages": [["msgContent": ["type": "text", "text": "b"]]]],
                ["text": .null],
            ] {
                #expect(try await client.post(path, body).status == 422, "\(body.text)")
            }
            #expect(try await client.post(path, ["text": "a", "tex": "a"]).status == 400)
            #expect(try await client.call("POST", path, headers: [plain], body: "\n").status == 422)
            #expect(
                try await client.call(
                    "POST",
                    path,
                    headers: [("Content-Type", "text/plain; charset=latin1")],
                    body: "a"
                ).status == 415
            )
            #expect(
                try await client.call("POST", path, headers: [("Content-Type", "text/html")], body: "a").status == 415
            )
            #expect(try await client.call("POST", path, headers: [plain], body: "a\0b").status == 400)
            try await client.send("POST", path, headers: [plain], body: [0xC3, 0x28])
            #expect(try await client.receiveAnswer().status == 400)
            #expect(try await client.call("POST", "/v1/users", headers: [plain], body: "{}").status == 415)
            let chats = try await client.call("GET", "/v1/users/1/chats").json["chats"]?.arrayValue ?? []
            let folders = chats.compactMap { $0["chatInfo"]?["noteFolder"]?["noteFolderId"]?.integerValue }
            let folder = try #require(folders.first)
            #expect(
                try await client.call(
                    "POST",
                    "/v1/users/1/chats/local/\(folder)/messages",
                    headers: [plain],
                    body: "a note"
                )
                .status == 201
            )
            #expect(try await readTexts(client, "/v1/users/1/chats/local/\(folder)") == ["a note"])
            #expect(
                try await readTexts(client, "/v1/users/1/chats/direct/\(contact)").suffix(4) == [
                    "one", "two", "{three: 3}", "four",
                ]
            )
        }
    }

    @Test
    func `On request, the answer to a message waits until the message is sent or delivered, or until a timeout`()
        async throws
    {
        try await RealGateway.run { gateway in
            let client = try await gateway.connectClient()
            let (contact, _) = try await Self.makeContacts(client)
            let path = "/v1/users/1/chats/direct/\(contact)/messages"
            let sent = try await client.post(path + "?wait=sent&timeout=60", ["text": "one"])
            #expect(sent.status == 201)
            let status = try sent.json["chatItems"]?[0]?["chatItem"]?["meta"]?["itemStatus"]
            #expect(["sndSent", "sndRcvd"].contains(status?["type"]?.stringValue), "\(sent.text)")
            let delivered = try await client.post(
                path + "?wait=delivered&timeout=60&fields=ids",
                ["text": "two"],
                headers: [("Idempotency-Key", "k")]
            )
            let item = try #require(try delivered.json["items"]?[0])
            #expect(
                item["itemStatus"]?["type"] == "sndRcvd" && item["itemId"]?.integerValue != nil
                    && delivered.body.count < 300,
                "\(delivered.text)"
            )
            #expect(
                delivered.header("location")
                    == "/v1/users/1/chats/direct/\(contact)/messages/\(item["itemId"]?.integerValue ?? 0)"
            )
            // The stored answer shows the state before the message was sent. So a repeated request that waits must read
            // the present state.
            let again = try await client.post(
                path + "?wait=delivered&timeout=60&fields=ids",
                ["text": "two"],
                headers: [("Idempotency-Key", "k")]
            )
            #expect(again.header("idempotent-replayed") == "true")
            #expect(try again.json["items"] == delivered.json["items"])
            // Generated clients also send parameters with their default values, so the gateway accepts these values.
            #expect(
                try await client.post(path + "?wait=none&timeout=10&fields=all", ["text": "as ever"]).json["type"]
                    == "newChatItems"
            )
            await gateway.relay.stopAndWait()
            let late = try await client.post(
                path + "?wait=sent&timeout=1",
                [
                    "composedMessages": [
                        ["msgContent": ["type": "text", "text": "three"], "mentions": [:]],
                        ["msgContent": ["type": "text", "text": "four"], "mentions": [:]],
                    ]
                ]
            )
            #expect(late.status == 201)
            #expect(
                try late.json["chatItems"]?.arrayValue?.map { $0["chatItem"]?["meta"]?["itemStatus"]?["type"] } == [
                    "sndNew", "sndNew",
                ]
            )
            #expect(
                try await client.post(path + "?wait=sent&timeout=0&fields=ids", ["text": "five"]).json["items"]?[0]?[
                    "itemStatus"
                ] == ["type": "sndNew"]
            )
            for query in [
                "wait=read", "wait=sent&timeout=61", "wait=sent&timeout=-1", "wait=sent&timeout=x", "fields=id",
                "wait=sent&wait=sent",
            ] {
                #expect(try await client.post(path + "?" + query, ["text": "no"]).status == 400, "\(query)")
            }
            #expect(
                try await client.post("/v1/users/1/chats/direct/99/messages?wait=sent", ["text": "no"]).status == 404
            )
        }
    }

    @Test
    func `Only a limited number of requests can wait for a message status, and a stop of the gateway answers them all`()
        async
    {
        let watches = StatusWatches()
        var begun: [StatusWatch] = []
        while let watch = watches.beginWatch(), begun.count < 2_000 { begun.append(watch) }
        #expect(begun.count == StatusWatches.maxWatches)
        watches.endWatch(begun[0])
        #expect(watches.beginWatch() != nil)
        let second = begun[1]
        #expect(watches.followItems([1], of: 1, by: second))
        async let mayContinue = second.waitForChange(beyond: [:])
        watches.recordPublished([Event(seq: 1, time: "", userId: 2, json: Self.makeEvent(1))])
        watches.recordPublished([
            Event(
                seq: 2,
                time: "",
                userId: 1,
                json: Array("{\"type\":\"chatItemsStatusesUpdated\",\"chatItems\":[{},5,null]}".utf8)
            )
        ])
        #expect(second.statuses.isEmpty)
        watches.recordPublished([Event(seq: 3, time: "", userId: 1, json: Self.makeEvent(1))])
        #expect(await mayContinue)
        // The watch `begun[2]` gets the ids of its items only now.
        #expect(watches.followItems([1, 2], of: 1, by: begun[2]))
        #expect(begun[2].statuses == [1: ["type": "sndSent"]] && second.statuses == begun[2].statuses)
        watches.stop()
        #expect(await begun[3].waitForChange(beyond: [1: ["type": "sndSent"]]) == false)
        #expect(watches.beginWatch() == nil)
    }

    @Test
    func `A request that waits for statuses gets only those of its own items, also those from shortly before it`()
        throws
    {
        let watches = StatusWatches()
        let (follower, beginner, late) = (
            try #require(watches.beginWatch()), try #require(watches.beginWatch()), try #require(watches.beginWatch())
        )
        #expect(watches.followItems([1], of: 1, by: follower))
        let others = (2...Int64(StatusWatches.maxRecentStates) + 1).map {
            Event(seq: UInt64($0), time: "", userId: 1, json: Self.makeEvent($0))
        }
        watches.recordPublished(others)
        #expect(follower.statuses.isEmpty && watches.recentStateCount == StatusWatches.maxRecentStates)
        #expect(watches.followItems([2], of: 1, by: beginner) && beginner.statuses.count == 1)
        watches.recordPublished(Array(others[1...1]))
        #expect(watches.recentStateCount == StatusWatches.maxRecentStates)
        #expect(!watches.followItems([2, 3], of: 1, by: late), "the status of item 2 is no longer kept")
        #expect(Array(late.statuses.keys) == [3])
        #expect(watches.recentStateCount == 0)
        watches.recordPublished(others)
        #expect(watches.recentStateCount == 0 && late.statuses.count == 2 && follower.statuses.isEmpty)
        for watch in [follower, beginner, late] { watches.endWatch(watch) }
    }

    private static func makeEvent(_ item: Int64) -> [UInt8] {
        Array(
            "{\"type\":\"chatItemsStatusesUpdated\",\"chatItems\":[{\"chatItem\":{\"meta\":{\"itemId\":\(item),\"itemStatus\":{\"type\":\"sndSent\"}}}}]}"
                .utf8
        )
    }
}
