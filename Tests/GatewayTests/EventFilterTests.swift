import JSON
import TestSupport
import Testing

@testable import Gateway

/// Filters of readers of events.
@Suite(.socketTimeLimit) struct EventFilterTests {
    private let samples: [(event: String, chats: Set<EventChat>)] = [
        (#"{"type":"contactConnected","contact":{"contactId":4}}"#, [EventChat(.direct, 4)]),
        (
            #"{"type":"newChatItems","chatItems":[{"chatInfo":{"type":"direct","contact":{"contactId":5}},"chatItem":{"meta":{"itemForwarded":{"contactId":9}}}},{"chatInfo":{"type":"group","groupInfo":{"groupId":4}}}]}"#,
            [EventChat(.direct, 5), EventChat(.group, 4)]
        ),
        (
            #"{"type":"chatItemsDeleted","chatItemDeletions":[{"deletedChatItem":{"chatInfo":{"type":"local","noteFolder":{"noteFolderId":1}}}}]}"#,
            [EventChat(.local, 1)]
        ),
        (
            #"{"type":"chatItemReaction","reaction":{"chatInfo":{"type":"group","groupInfo":{"groupId":4}}}}"#,
            [EventChat(.group, 4)]
        ),
        (
            #"{"type":"groupUpdated","fromGroup":{"groupId":4},"toGroup":{"groupId":4},"member_":{"memberContactId":5}}"#,
            [EventChat(.group, 4)]
        ),
        (
            #"{"type":"receivedContactRequest","contactRequest":{"contactRequestId":2,"contactId_":6}}"#,
            [EventChat(.contactRequest, 2), EventChat(.direct, 6)]
        ),
        (
            #"{"type":"chatInfoUpdated","chatInfo":{"type":"contactConnection","contactConnection":{"pccConnId":7}}}"#,
            [EventChat(.contactConnection, 7)]
        ),
        (
            #"{"type":"subscriptionEnd","connectionEntity":{"type":"rcvDirectMsgConnection","contact":{"contactId":4}}}"#,
            [EventChat(.direct, 4)]
        ),
        (#"{"type":"callInvitation","callInvitation":{"contact":{"contactId":4}}}"#, [EventChat(.direct, 4)]),
        (#"{"type":"hostConnected","transportHost":"a"}"#, []),
        (#"{"type":"chatItemUpdated","chatItem":7}"#, []),
        ("[]", []), ("nonsense", []),
    ]

    @Test
    func `The chats that an event concerns are found in the event's JSON, and chats it only mentions are ignored`() {
        for (event, chats) in samples { #expect(EventTraits(Array(event.utf8)).chats == chats, "\(event)") }
    }

    @Test
    func `A long poll gets only events of the requested types, profiles and chats`() async throws {
        try await ServedGateway.run { served in
            let journal = served.core.journal
            journal.publish(events: samples.prefix(5).map(\.event), userId: 1)
            journal.publish(events: samples.prefix(1).map(\.event), userId: 2)
            journal.publish(["hostConnected"])
            journal.publish(["agentConnsDeleted"], audience: .keysWithoutUser)
            var client = try await served.connectClient()
            client.checksAnswers = false
            let reader = client
            func numbers(_ query: String) async throws -> [String] {
                let page = try await reader.call("GET", "/v1/events?\(query)").json
                #expect(page["cursor"] == "test-8", "\(query)")
                return page["events"]?.arrayValue?.compactMap { $0["id"]?.stringValue } ?? []
            }
            #expect(try await numbers("types=contactConnected") == ["test-1", "test-6"])
            #expect(try await numbers("types=contactConnected,hostConnected&users=1") == ["test-1", "test-7"])
            #expect(try await numbers("users=2") == ["test-6", "test-7"])
            #expect(try await numbers("users=1,2&types=contactConnected") == ["test-1", "test-6"])
            #expect(try await numbers("chats=group/4") == ["test-2", "test-4", "test-5"])
            #expect(try await numbers("chats=direct/4,local/1&users=1") == ["test-1", "test-3"])
            #expect(try await numbers("types=callEnded") == [])
            #expect(try await numbers("types=redacted&cursor=test-3") == [])
            let page = try await client.call("GET", "/v1/events?chats=group/4&limit=2").json
            #expect(page["events"]?.arrayValue?.count == 2)
            #expect(page["cursor"] == "test-4")
        }
    }

    @Test
    func `A waiting long poll is answered only when an event that matches its filter is published`() async throws {
        try await ServedGateway.run { served in
            var client = try await served.connectClient()
            client.checksAnswers = false
            try await client.send("GET", "/v1/events?timeout=30&types=callEnded&cursor=now")
            try await served.connectClient().waitForLongPolls(1)
            served.core.journal.publish(["contactConnected"])
            served.core.journal.publish(["callEnded"])
            let page = try await client.receiveAnswer().json
            #expect(page["events"]?.arrayValue?.map { $0["event"]?["type"] } == ["callEnded"])
            #expect(page["cursor"] == "test-2")
        }
    }

    @Test(arguments: ["lines", "events", "socket"])
    func `A stream gets only events that match its filter, and its cursor also advances over all other events`(
        _ form: String
    ) async throws {
        try await ServedGateway.run({ $0.heartbeatSeconds = 1 }) { served in
            let client = try await served.connectClient()
            let query = "cursor=now&types=contactConnected,callEnded&users=1&chats=direct/4"
            var socket: WebSocketClient?
            if form == "socket" {
                socket = try await WebSocketClient.open(client, "/v1/events/ws?\(query)")
            } else {
                let accept = form == "lines" ? "application/x-ndjson" : "text/event-stream"
                try await client.send("GET", "/v1/events?\(query)", headers: [("Accept", accept)])
                #expect(try await client.receiveHead().status == 200)
            }
            let other = #"{"type":"contactConnected","contact":{"contactId":5}}"#
            served.core.journal.publish(
                events: [other, samples[0].event, other, #"{"type":"hostConnected"}"#],
                userId: 1
            )
            var text = ""
            let (entry, passed) = (
                #""id":"test-2""#, form == "events" ? "id: test-4\n\n" : #"{"id":"test-4","event":{"type":"passed"}}"#
            )
            while !text.contains(entry) || !text.contains(passed) {
                let next = if let socket { try await socket.receiveText() } else { try await client.receiveChunk() }
                text += String(decoding: try #require(next), as: UTF8.self)
            }
            for absent in ["test-1", "test-3", "hostConnected"] { #expect(!text.contains(absent)) }
        }
    }

    @Test
    func `An event filter with unknown types, invalid chats or profiles that the key may not read is refused`()
        async throws
    {
        try await ServedGateway.run { served in
            let client = try await served.connectClient()
            let many = Array(repeating: "1", count: 201).joined(separator: ",")
            for query in [
                "types=contactConected", "types=", "types=contactConnected,", "users=bob", "users=0", "users=1,,2",
                "users=\(many)", "chats=4", "chats=direct/0",
                "chats=direct/4/5", "chats=friend/4", "chats=direct/x", "types=a&types=b",
            ] {
                let answer = try await client.call("GET", "/v1/events?\(query)")
                #expect(try answer.status == 400 && answer.json["code"] == "invalidParameter", "\(answer.text)")
                #expect(
                    try await WebSocketClient.sendHandshake(served.connectClient(), "/v1/events/ws?\(query)").status
                        == 400,
                    "\(query)"
                )
            }
            #expect(try await client.call("GET", "/v1/users/1/model/changes?cursor=a-1&types=callEnded").status == 400)
            let key = try KeyFile(folder: served.folder).addKey(name: "bob", scopes: .events, userId: 2).key
            let bob = try await served.connectClient(key: key.text)
            try await bob.waitForStatus(200, at: "/v1/events")
            #expect(try await bob.call("GET", "/v1/events?users=1").status == 403)
            #expect(try await bob.call("GET", "/v1/events?users=2").status == 200)
        }
    }

    @Test
    func `A long poll with a filter for one chat gets only the messages of this chat`() async throws {
        try await RealGateway.run { gateway in
            let client = try await gateway.connectClient()
            let (alice, bob) = (try await client.createUser("alice"), try await client.createUser("bob"))
            let (ofBob, ofAlice) = try await client.connectUsers(alice, bob)
            _ = try await client.post("/v1/users/\(bob)/chats/direct/\(ofAlice)/messages", textMessage("hello"))
            let query = "types=newChatItems&users=\(alice)&chats=direct/\(ofBob)&timeout=20"
            var (page, texts) = (JSONValue.null, [JSONValue?]())
            // The chat begins with items about the features of both sides, so the first events need not have the text.
            while !texts.contains("hello") {
                page = try await client.call(
                    "GET",
                    "/v1/events?\(query)" + (page["cursor"]?.stringValue.map { "&cursor=\($0)" } ?? "")
                ).json
                for entry in try #require(page["events"]?.arrayValue) {
                    #expect(entry["event"]?["type"] == "newChatItems")
                    #expect(entry["userId"] == .integer(alice))
                    texts +=
                        entry["event"]?["chatItems"]?.arrayValue?.map { $0["chatItem"]?["meta"]?["itemText"] } ?? []
                }
            }
        }
    }
}
