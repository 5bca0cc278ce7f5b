import ChatCore
import JSON
import TestSupport
import Testing

@testable import Gateway

/// Limits of a store over HTTP.
@Suite(.socketTimeLimit) struct StoreAmountsTests {
    private func uploadBytes(
        _ client: HTTPClient,
        _ count: Int,
        _ name: String,
        headers: [(String, String)] = []
    ) async throws -> HTTPClient.Answer {
        try await client.send(
            "POST",
            "/v1/users/1/files?name=\(name)",
            headers: headers,
            body: [UInt8](repeating: 7, count: count)
        )
        return try await client.receiveAnswer()
    }

    @Test
    func `The limits of a store replace the gateway's limits, and are kept after a restart`() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let store = try await RealGateway.run(
            in: folder,
            change: {
                $0.storeLimits[.connections] = 7; $0.storeLimits[.files] = 9
            }
        ) { gateway in
            let (admin, store) = (try await gateway.connectClient(), try await gateway.makeStore("Bob"))
            _ = try await store.http.createUser("bob")
            let place = "/v1/stores/\(store.id)/limits"
            let first = try await store.http.call("GET", place).json
            #expect(first["limits"] == ["files": 9, "connections": 7] && first["own"] == [:])
            #expect(first["used"]?["connections"] == 0 && (first["used"]?["databaseBytes"]?.integerValue ?? 0) > 0)
            let set = try await admin.put(place, ["items": 40, "files": .null])
            #expect(set.status == 200, "\(set.text)")
            #expect(
                try set.json["limits"] == ["items": 40, "connections": 7]
                    && set.json["own"] == ["items": 40, "files": .null]
            )
            #expect(try await store.http.put(place, ["items": 50]).status == 403)
            for (body, status) in [(["items": -1], 422), (["items": "many"], 422), (["item": 1], 400)]
                as [(JSONValue, Int)]
            {
                #expect(try await admin.put(place, body).status == status, "\(body)")
            }
            return store
        }
        try await RealGateway.run(in: folder, change: { $0.storeLimits[.connections] = 8 }) { gateway in
            try await waitUntil("the store opens by itself") {
                try await gateway.readState(of: store.id) == "unlocked"
            }
            let limits = try await gateway.connectClient().call("GET", "/v1/stores/\(store.id)/limits").json
            #expect(limits["limits"] == ["items": 40, "connections": 8])
        }
    }

    @Test
    func `A command above a limit of its store gets 507, and metrics count the refusal`() async throws {
        try await RealGateway.run(change: { $0.storeLimits[.items] = 3 }) { gateway in
            let client = try await gateway.connectClient()
            _ = try await client.createUser("alice")
            var last = try await client.post("/v1/users/1/chats/local/1/messages", textMessage("note"))
            for _ in 0..<3 where last.status < 300 {
                last = try await client.post("/v1/users/1/chats/local/1/messages", textMessage("note"))
            }
            let problem = try last.json
            #expect(
                last.status == 507 && problem["code"] == "quotaExceeded" && problem["resource"] == "items"
                    && problem["limit"] == 3,
                "\(last.text)"
            )
            #expect(problem["chatError"]?["errorType"]?["type"] == "exception")
            let metrics = try await client.call("GET", "/metrics").text
            #expect(
                metrics.contains("sxgw_store_limit{store=\"default\",resource=\"items\"} 3\n")
                    && metrics.contains("sxgw_store_used{store=\"default\",resource=\"items\"} 3\n")
            )
            #expect(
                metrics.contains("sxgw_store_used_bytes{store=\"default\",resource=\"databases\"} ")
                    && metrics.contains("sxgw_store_used_bytes{store=\"default\",resource=\"files\"} 0\n")
                    && !metrics.contains("Bytes\"")
            )
            let journal = try #require(
                metrics.split(separator: "\n").first { $0.hasPrefix("sxgw_journal_bytes ") }?.split(separator: " ").last
                    .flatMap { Int($0) }
            )
            #expect(journal > 0)
            #expect(
                metrics.contains("sxgw_store_full_refusals_total 1\n")
                    && !metrics.contains("sxgw_store_limit{store=\"default\",resource=\"files\"}")
            )
        }
    }

    @Test
    func `An upload above a limit of its store gets 507, with or without an announced length`() async throws {
        try await RealGateway.run(change: {
            $0.storeLimits[.files] = 2; $0.storeLimits[.fileBytes] = 100_000
        }) { gateway in
            let client = try await gateway.connectClient()
            _ = try await client.createUser("alice")
            let large = try await uploadBytes(
                gateway.connectClient(),
                200_000,
                "large",
                headers: [("Upload-Length", "200000")]
            )
            #expect(
                try large.status == 507 && large.json["resource"] == "fileBytes" && large.json["limit"] == 100_000,
                "\(large.text)"
            )
            #expect(try await uploadBytes(gateway.connectClient(), 200_000, "large").status == 507)
            let one = try await uploadBytes(client, 60_000, "one")
            #expect(one.status == 201, "\(one.text)")
            #expect(try await uploadBytes(gateway.connectClient(), 60_000, "other").status == 507)
            let figures = try await gateway.core.readStoreFigures()
            #expect(figures.resourceUse[.files] == 1 && figures.resourceUse[.fileBytes] == 60_016)
            // A message uses the uploaded file, which is not counted again.
            let message: JSONValue = [
                "fileSource": try #require(try one.json["fileSource"]), "msgContent": ["type": "file", "text": ""],
                "mentions": [:],
            ]
            #expect(
                try await client.post("/v1/users/1/chats/local/1/messages", ["composedMessages": [message]]).status
                    < 300
            )
            #expect(try await uploadBytes(client, 10, "two").status == 201)
            let third = try await uploadBytes(client, 10, "three")
            #expect(try third.status == 507 && third.json["resource"] == "files", "\(third.text)")
            let last = try await gateway.core.readStoreFigures()
            // The refusals before and during the transfer of the bytes are all counted.
            #expect(last.resourceUse[.files] == 2 && last.refusalCount == 4)
        }
    }
}
