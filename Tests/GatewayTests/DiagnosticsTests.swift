import JSON
import TestSupport
import Testing

@Suite(.overSockets) struct DiagnosticsTests {
    @Test("version, subscriptions, servers, queues and statuses over HTTP")
    func diagnostics() async throws {
        try await RealGateway.run { gateway in
            let client = try await gateway.client()
            let (alice, bob) = (try await client.user("alice"), try await client.user("bob"))
            let (contact, _) = try await client.connect(alice, bob)
            #expect(try await client.call("GET", "/v1/version").json["type"] == "versionInfo")
            let total = try await client.call("GET", "/v1/users/\(alice)/diagnostics/subscriptions").json
            #expect(total["subsTotal"] == ["ssActive": 1, "ssPending": 0])
            let servers = try await client.call("GET", "/v1/users/\(alice)/diagnostics/servers").json["serversSummary"]
            #expect(servers?["allUsersSMP"]?["smpTotals"]?["subs"]?["ssActive"] == 2)
            let queue = try await client.call("GET", "/v1/users/\(alice)/contacts/\(contact)/queue")
            #expect(try queue.json["queueInfo"]?["info"]?["qiSnd"] == true)
            #expect(try await client.call("GET", "/v1/users/\(alice)/contacts/99/queue").status == 404)
            let statuses = try await client.call("GET", "/v1/diagnostics/network-statuses").json["networkStatuses"]
            #expect(statuses?.arrayValue?.count == 2)
            #expect(try await client.call("DELETE", "/v1/diagnostics/servers").status == 200)
        }
    }
}
