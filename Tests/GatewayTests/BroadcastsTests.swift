import ChatAPI
import ChatCore
import ChatStore
import Files
import JSON
import TestSupport
import Testing

@testable import Gateway

@Suite("Broadcasts over HTTP", .socketTimeLimit) struct BroadcastsTests {
    private let path = "/v1/users/1/broadcasts"

    private func recipients(_ ids: Int64...) -> JSONValue {
        ["chats": .array(ids.map { ["chatType": "direct", "chatId": .integer($0)] })]
    }

    private func waitUntilFinished(_ client: HTTPClient, _ id: Int64) async throws -> JSONValue {
        try await waitUntil("the broadcast is finished") {
            try await client.call("GET", "\(path)/\(id)").json["state"] != "sending"
        }
        return try await client.call("GET", "\(path)/\(id)").json
    }

    @Test
    func `A broadcast reports the result of each chat, even of a chat that does not exist`() async throws {
        try await RealGateway.run { gateway in
            let client = try await gateway.connectClient()
            let (contact, _) = try await ShortMessageTests.makeContacts(client)
            let body: JSONValue = ["to": recipients(contact, 77), "text": "hello", "messagesPerSecond": 100]
            let headers = [("Idempotency-Key", "a")]
            let made = try await client.post(path, body, headers: headers)
            let id = try #require(made.json["broadcastId"]?.integerValue)
            #expect(made.status == 202 && made.header("location") == "\(path)/\(id)", "\(made.text)")
            #expect(try made.json["waiting"] == 2 && made.json["state"] == "sending")
            #expect(try await client.post(path, body, headers: headers).json == made.json)
            let done = try await waitUntilFinished(client, id)
            #expect(done["state"] == "finished" && done["sent"] == 1 && done["failed"] == 1)
            #expect(done["composedMessages"] == nil && done["finishedAt"] != nil)
            let first = try await client.call("GET", "\(path)/\(id)/results?limit=1").json
            #expect(first["results"]?[0]?["chat"]?["chatId"] == .integer(contact))
            #expect(first["results"]?[0]?["itemIds"]?.arrayValue?.count == 1)
            let next = try #require(first["next"]?.stringValue)
            let second = try await client.call("GET", "\(path)/\(id)/results?limit=1&cursor=\(next)").json
            #expect(second["results"]?[0]?["problem"]?["code"] == "notFound" && second["next"] == .null)
            let failed = try await client.call("GET", "\(path)/\(id)/results?state=failed").json
            #expect(failed["results"]?.arrayValue?.count == 1)
            let list = try await client.call("GET", path).json["broadcasts"]?.arrayValue ?? []
            #expect(list.map { $0["broadcastId"] } == [.integer(id)])
            #expect(try await client.call("GET", "\(path)/\(id + 1)/results").status == 404)
            let cursor = try await client.call("GET", "\(path)/\(id)/results?state=failed&cursor=\(next)")
            #expect(try cursor.json["code"] == "invalidCursor")
        }
    }

    @Test
    func `A repeated cancellation of a broadcast returns the first answer`() async throws {
        try await RealGateway.run { gateway in
            let client = try await gateway.connectClient()
            _ = try await ShortMessageTests.makeContacts(client)
            let time = Timestamp.now.adding(seconds: 86_400).fullText
            let body: JSONValue = ["to": ["allContacts": true], "text": "a", "sendAt": .string(time)]
            let id = try #require(try await client.post(path, body).json["broadcastId"]?.integerValue)
            let cancelled = try await client.call("POST", "\(path)/\(id)/cancel")
            #expect(try cancelled.json["state"] == "cancelled" && cancelled.json["cancelled"] == 1, "\(cancelled.text)")
            #expect(try await client.call("POST", "\(path)/\(id)/cancel").json == cancelled.json)
            #expect(try await client.call("POST", "\(path)/\(id + 1)/cancel").status == 404)
        }
    }

    @Test
    func `A broadcast with invalid receivers, rate or message is refused`() async throws {
        try await RealGateway.run { gateway in
            let client = try await gateway.connectClient()
            let (contact, _) = try await ShortMessageTests.makeContacts(client)
            let many = (1...(PlannedLimits.maxReceivers + 1)).map { number -> JSONValue in
                ["chatType": "direct", "chatId": .integer(Int64(number))]
            }
            let wrong: [(JSONValue, Int)] = [
                (["text": "a"], 422), (["to": [:], "text": "a"], 422), (["to": ["chats": []], "text": "a"], 422),
                (["to": ["allContacts": false], "text": "a"], 422), (["to": ["tagId": 9], "text": "a"], 422),
                (["to": ["tagId": 9, "allContacts": true], "text": "a"], 422),
                (["to": ["chats": .array(many)], "text": "a"], 422),
                (["to": ["chats": [["chatType": "local", "chatId": 1]]], "text": "a"], 422),
                (["to": recipients(contact), "text": "a", "messagesPerSecond": 0], 422),
                (["to": recipients(contact), "text": "a", "messagesPerSecond": 101], 422),
                (["to": recipients(contact), "text": "a", "sendAt": "2020-01-01T00:00:00Z"], 422),
                (["to": recipients(contact), "text": "a", "more": 1], 400), (["to": recipients(contact)], 422),
            ]
            for (body, status) in wrong {
                let answer = try await client.post(path, body)
                #expect(answer.status == status, "\(body.text.prefix(100)): \(answer.text)")
            }
            #expect(try await client.call("GET", path).json["broadcasts"] == [])
        }
    }
}
