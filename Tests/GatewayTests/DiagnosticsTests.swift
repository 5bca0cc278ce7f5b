import ChatCore
import JSON
import Logging
import Synchronization
import TestSupport
import Testing

@testable import Gateway

@Suite(.socketTimeLimit) struct DiagnosticsTests {
    @Test
    func `The diagnostics of the core can be read over HTTP`() async throws {
        try await RealGateway.run { gateway in
            let client = try await gateway.connectClient()
            let (alice, bob) = (try await client.createUser("alice"), try await client.createUser("bob"))
            let (contact, _) = try await client.connectUsers(alice, bob)
            let version = try await client.call("GET", "/v1/version").json
            #expect(version["type"] == "versionInfo")
            #expect(version["versionInfo"]?["version"] == JSONValue.string(ProgramVersion.text))
            let total = try await client.call("GET", "/v1/users/\(alice)/diagnostics/subscriptions").json
            #expect(total["subsTotal"] == ["ssActive": 1, "ssPending": 0])
            let servers = try await client.call("GET", "/v1/users/\(alice)/diagnostics/servers").json["serversSummary"]
            #expect(servers?["allUsersSMP"]?["smpTotals"]?["subs"]?["ssActive"] == 2)
            let queue = try await client.call("GET", "/v1/users/\(alice)/contacts/\(contact)/queue")
            #expect(try queue.json["queueInfo"]?["info"]?["qiSnd"] == true)
            #expect(try await client.call("GET", "/v1/users/\(alice)/contacts/99/queue").status == 404)
            let path = "/v1/diagnostics/network-statuses"
            let whole = try await client.call("GET", path).json
            #expect(whole["networkStatuses"]?.arrayValue?.count == 2 && whole["next"] == .null)
            let pages = try await client.walkPages("\(path)?limit=1") { $0["networkStatuses"]?.arrayValue ?? [] }
            #expect(pages.count == 2 && Array(pages.joined()) == whole["networkStatuses"]?.arrayValue)
            #expect(try await client.call("DELETE", "/v1/diagnostics/servers").status == 200)
            let slow = try await client.call("GET", "/v1/diagnostics/statements").json
            #expect(slow["type"] == "slowSQLQueries")
            #expect(slow["chatQueries"]?.arrayValue != nil && slow["agentQueries"]?.arrayValue != nil)
            let workers = try await client.call("GET", "/v1/diagnostics/workers").json
            let subscriptions = workers["workers"]?.arrayValue?.filter { $0["kind"] == "subscription" }
            #expect(subscriptions?.count == 2 && subscriptions?.allSatisfy { $0["state"] == "running" } == true)
            let page = try await client.call("GET", "/v1/diagnostics/workers?limit=1").json
            #expect(page["workers"]?.arrayValue?.count == 1 && page["next"]?.stringValue != nil)
            let locks = try await client.call("GET", "/v1/diagnostics/locks").json
            #expect(locks["lifecycle"] == ["running": 0, "waiting": 0, "longestWaitMilliseconds": 0])
            #expect(locks["databases"]?.arrayValue?.map { $0["database"] } == ["chat", "agent"])
            let reader = try await client.post("/v1/keys", ["name": "reader", "scopes": ["read"]]).json["key"]
            let other = try await HTTPClient.connect(port: gateway.port, key: try #require(reader?.stringValue))
            for path in ["/v1/diagnostics/workers", "/v1/diagnostics/locks"] {
                #expect(try await other.call("GET", path).status == 403)
            }
        }
    }
}

/// The log level over HTTP.
@Suite(.socketTimeLimit) struct LogLevelRouteTests {
    @Test
    func `Only an administrator of the first store can change the log level`() async throws {
        let level = Mutex(Logger.Level.notice)
        try await RealGateway.run(serving: {
            $0.logLevelControl = LogLevelControl(
                level: { level.withLock { $0 } },
                set: { new in level.withLock { $0 = new } }
            )
        }) { gateway in
            let client = try await gateway.connectClient()
            #expect(try await client.call("GET", "/v1/diagnostics/log-level").json == ["level": "notice"])
            #expect(try await client.put("/v1/diagnostics/log-level", ["level": "debug"]).json == ["level": "debug"])
            #expect(level.withLock { $0 } == .debug)
            #expect(try await client.put("/v1/diagnostics/log-level", ["level": "loud"]).status == 422)
            let other = try await gateway.makeStore("Bob")
            #expect(try await other.http.put("/v1/diagnostics/log-level", ["level": "trace"]).status == 403)
            #expect(level.withLock { $0 } == .debug)
        }
    }

    @Test
    func `If the configuration fixes the log level, a request to the route of the log level gets 404`() async throws {
        try await RealGateway.run { gateway in
            let answer = try await gateway.connectClient().call("GET", "/v1/diagnostics/log-level")
            #expect(answer.status == 404)
        }
    }
}
