import Foundation
import JSON
import SMPTestSupport
import TestSupport
import Testing

@Suite(.socketTimeLimit, .faultTests) struct WebhookKillTests {
    static let messageCount = 120
    static let batchSize = 10

    @Test
    func `A webhook gets each event in order, and a repeated event unchanged, even if the gateway is killed`()
        async throws
    {
        let chance = SharedRandom()
        let receiver = try await HTTPReceiver.start { _ in
            // The receiver sometimes closes the connection without an answer, or answers with an error.
            switch chance.randomNumber(12) {
            case 0: .lastBytes([])
            case 1: .status(500)
            default: .status(200)
            }
        }
        try await Folder.withNewFolder { folder in
            let node = Node(
                folder: folder.path + "/one",
                ["--relay-port", "\(TestPort.takeUnused())", "--webhook-allow", "127.0.0.1"]
            )
            do { try await testWithKills(node, receiver, chance) } catch {
                await node.stop()
                throw error
            }
            await node.stop()
        }
    }

    private func testWithKills(_ node: Node, _ receiver: HTTPReceiver, _ chance: SharedRandom) async throws {
        for name in ["alice", "bob"] {
            _ = try await node.callForObject(
                "POST",
                "/v1/users",
                ["profile": ["displayName": .string(name), "fullName": ""]]
            )
        }
        let link =
            try await node.callForObject("POST", "/v1/users/1/connections/invitations", [:])["connLinkInvitation"]?[
                "connFullLink"
            ] ?? .null
        _ = try await node.callForObject("POST", "/v1/users/2/connections", ["connLink": link])
        var connected = 0
        try await node.readJournal { entry in
            connected += entry["event"]?["type"] == "contactConnected" ? 1 : 0
            return connected == 2
        }
        let url = JSONValue.string("http://127.0.0.1:\(receiver.port)/")
        let made = try await node.callForObject(
            "POST",
            "/v1/webhooks",
            ["url": url, "types": ["newChatItems", "chatItemsStatusesUpdated"]]
        )
        let begin = try #require(made["webhook"]?["cursor"]?.stringValue)
        let id = try #require(made["webhook"]?["webhookId"]?.stringValue)
        let contact = try #require(
            try await node.callForObject("GET", "/v1/users/1/contacts")["contacts"]?[0]?["contactId"]?.integerValue
        )
        for start in stride(from: 0, to: Self.messageCount, by: Self.batchSize) {
            let body = textMessages((start..<start + Self.batchSize).map { "message \($0)" })
            async let answer = node.call(
                "POST",
                "/v1/users/1/chats/direct/\(contact)/messages",
                body,
                idempotencyKey: "\(start)"
            )
            if chance.randomNumber(2) == 0 {
                try await chance.sleepRandomly(in: 0..<60_000)
                await node.restart()
            }
            #expect(try await answer.status == 201)
        }
        // The loop ends when the last message has arrived and its sender has the status of the delivery.
        var (received, delivered) = (0, Set<Int64>())
        try await node.readJournal { entry in
            for item in entry["event"]?["chatItems"]?.arrayValue ?? [] where entry["userId"] != nil {
                guard let item = item["chatItem"],
                    item["content"]?["msgContent"]?["text"]?.stringValue?.hasPrefix("message ") == true
                else { continue }
                if entry["event"]?["type"] == "newChatItems", entry["userId"] == 2 { received += 1 }
                if item["meta"]?["itemStatus"]?["type"] == "sndRcvd" {
                    delivered.insert(item["meta"]?["itemId"]?.integerValue ?? 0)
                }
            }
            return received == Self.messageCount && delivered.count == Self.messageCount
        }
        var (expected, cursor): ([String], String) = ([], begin)
        while true {
            let page = try await node.callForObject(
                "GET",
                "/v1/events?types=newChatItems,chatItemsStatusesUpdated&limit=1000&cursor=\(cursor)"
            )
            let ids = page["events"]?.arrayValue?.compactMap { $0["id"]?.stringValue } ?? []
            expected += ids
            guard let next = page["cursor"]?.stringValue, next != cursor else { break }
            cursor = next
        }
        // Failed deliveries wait for some seconds, so this check waits longer between its attempts.
        try await waitUntil("all events are accepted", every: .milliseconds(200)) {
            if try await node.callForObject("GET", "/v1/webhooks/\(id)")["firstFailedAt"] != nil {
                _ = try await node.callForObject("PATCH", "/v1/webhooks/\(id)", ["state": "active"])
            }
            return Set(receiver.requests.compactMap { $0.header("webhook-id") }).isSuperset(of: expected)
        }
        #expect(Set(receiver.requests.compactMap { $0.header("webhook-id") }) == Set(expected))
        var bodies: [String: String] = [:]
        var order: [Int64: [String]] = [:]
        for request in receiver.requests {
            let (id, json) = (request.header("webhook-id") ?? "", try JSONValue(parsing: request.body))
            #expect(json["id"]?.stringValue == id)
            if bodies[id] == nil { order[json["userId"]?.integerValue ?? 0, default: []].append(id) }
            #expect(bodies.updateValue(request.text, forKey: id) ?? request.text == request.text)
        }
        let places = Dictionary(uniqueKeysWithValues: expected.enumerated().map { ($1, $0) })
        for (_, ids) in order {
            let sequence = ids.compactMap { places[$0] }
            #expect(sequence == sequence.sorted())
        }
    }
}
