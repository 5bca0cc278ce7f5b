import ChatCore
import JSON
import TestSupport
import Testing

@testable import Gateway

@Suite(.socketTimeLimit) struct AccessTests {
    @Test
    func `A request without a key or with a wrong key gets a 401 problem that states how to authenticate`() async throws
    {
        try await ServedGateway.run { served in
            for key in [nil, "sxgw_wrong", "sxgw_" + String(repeating: "A", count: 43)] {
                let answer = try await HTTPClient.connect(port: served.port, key: key).call("GET", "/v1/events")
                #expect(answer.status == 401)
                #expect(answer.header("www-authenticate")?.hasPrefix("Bearer") == true)
                #expect(answer.header("content-type") == "application/problem+json")
                #expect(try answer.json["code"] == "unauthorized")
                #expect(try answer.json["requestId"]?.stringValue?.isEmpty == false)
            }
        }
    }

    @Test
    func `A key without the needed scope is refused`() async throws {
        try await ServedGateway.run { served in
            let key = try KeyFile(folder: served.folder).addKey(name: "reader", scopes: .read).key
            try await served.connectClient(key: key.text).waitForStatus(403, at: "/v1/events")
        }
    }

    @Test
    func `Each route that needs a key refuses a request without a key or with a key that lacks the needed scope`()
        async throws
    {
        try await ServedGateway.run { served in
            let file = KeyFile(folder: served.folder)
            let keys = try [Scopes.stores, .read, .write, .events, [.read, .write, .events]].map {
                ($0, try file.addKey(name: "one", scopes: $0).key.text)
            }
            let last = try #require(keys.last).1
            // The gateway reads the whole key file at once. So it knows all keys when it knows the last one.
            try await served.connectClient(key: last).waitForStatus(200, at: "/v1/events")
            for route in RouteTable.all {
                let needed: Scopes
                switch route.access {
                case .noKey: continue
                case .key(let scopes), .firstStore(let scopes): needed = scopes
                // A key of the first store with the scope `stores` is accepted at all of these routes, so a key with
                // this scope is not tried below.
                case .storeInPath: needed = .stores
                }
                let path = route.path(id: "1")
                let unknown = try await served.connectAnonymously().call(route.method.rawValue, path)
                #expect(unknown.status == 401, "\(route.operationID)")
                for (scopes, key) in keys where !scopes.isSuperset(of: needed) {
                    let answer = try await served.connectClient(key: key).call(route.method.rawValue, path)
                    #expect(answer.status == 403, "\(route.operationID) \(scopes.names)")
                }
            }
        }
    }

    @Test
    func `A key for one profile is refused at the routes of another profile and at the list of profiles`() async throws
    {
        try await ServedGateway.run { served in
            let key = try KeyFile(folder: served.folder).addKey(name: "bob", scopes: [.read, .events], userId: 2).key
            try await served.connectClient(key: key.text).waitForStatus(200, at: "/v1/events")
            #expect(try await served.connectClient(key: key.text).call("GET", "/v1/users/1/tags").status == 403)
            #expect(
                try await served.connectClient(key: key.text).call("GET", "/v1/users/2/groups/1/relays").status == 409
            )
            #expect(try await served.connectClient(key: key.text).call("GET", "/v1/users").status == 403)
        }
    }

    @Test
    func `A key for one profile is accepted only at routes of this profile and at routes that filter by profile`()
        async throws
    {
        try await ServedGateway.run { served in
            let key = try KeyFile(folder: served.folder).addKey(
                name: "bob",
                scopes: [.read, .write, .events, .admin],
                userId: 2
            ).key.text
            try await served.connectClient(key: key).waitForStatus(200, at: "/v1/events")
            let client = try await served.connectClient(key: key)
            // These routes do not refuse the key, because they show only the waiting calls of its profile, or the
            // changes of its documents.
            let filtered = ["listCallInvitations", "followDocuments", "openDocumentSocket"]
            for route in RouteTable.all
            where route.access != .noKey && route.category != "Keys"
                && !filtered.contains(route.operationID)
            {
                // Routes of subscriptions and notices have no profile in the path: they use the profile of the key.
                guard
                    !["Events", "Webhooks", "WebPush", "Consumers", "LongOperations", "Notices"].contains(
                        route.category
                    )
                        || route.operationID == "openConsoleSocket"
                else {
                    #expect(
                        try await served.connectClient(key: key).call(route.method.rawValue, route.path(id: "1")).status
                            != 403,
                        "\(route.operationID)"
                    )
                    continue
                }
                #expect(
                    try await client.call(route.method.rawValue, route.path(user: "1", id: "1")).status == 403,
                    "\(route.operationID)"
                )
                guard route.parameterNames.contains("userId") else { continue }
                let own = try await served.connectClient(key: key).call(
                    route.method.rawValue,
                    route.path(user: "2", id: "1")
                )
                #expect(![401, 403].contains(own.status), "\(route.operationID)")
            }
        }
    }

    @Test
    func `If another process revokes a key, the key is refused immediately, and its stream ends`() async throws {
        try await ServedGateway.run { served in
            let file = KeyFile(folder: served.folder)
            let (key, record) = try file.addKey(name: "stream", scopes: .events)
            try await served.connectClient(key: key.text).waitForStatus(200, at: "/v1/events")
            let stream = try await served.connectClient(key: key.text)
            try await stream.send("GET", "/v1/events", headers: [("Accept", "text/event-stream")])
            #expect(try await stream.receiveHead().status == 200)
            _ = try await stream.receiveChunk()
            #expect(try file.revokeKey(id: record.id))
            let last = try #require(try await stream.receiveChunk())
            #expect(String(decoding: last, as: UTF8.self).contains("keyEnded"))
            #expect(try await stream.receiveChunk() == nil)
            #expect(try await served.connectClient(key: key.text).call("GET", "/v1/events").status == 401)
        }
    }

    @Test
    func `A request is refused if its Host is foreign, missing or repeated`() async throws {
        try await ServedGateway.run { served in
            let client = try await served.connectAnonymously()
            let refused = try await client.call("GET", "/docs", headers: [("Host", "evil.example")])
            #expect(refused.status == 421)
            #expect(try refused.json["detail"]?.stringValue?.contains("--allow-host evil.example") == true)
            #expect(try await client.call("GET", "/docs", headers: [("Host", "LOCALHOST:1")]).status == 200)
            #expect(
                try await client.call("GET", "/livez", headers: [("Host", "localhost"), ("Host", "evil.example")])
                    .status == 400
            )
        }
    }

    @Test
    func `Only the gateway's own Origin and configured Origins are accepted`() async throws {
        try await ServedGateway.run({ $0.allowedOrigins = ["https://app.example"] }) { served in
            let client = try await served.connectAnonymously()
            #expect(try await client.call("GET", "/livez", headers: [("Origin", "https://evil.example")]).status == 403)
            #expect(try await client.call("GET", "/livez", headers: [("Origin", "null")]).status == 403)
            #expect(
                try await client.call("GET", "/livez", headers: [("Origin", "http://127.0.0.1:\(served.port)")]).status
                    == 200
            )
            let allowed = try await client.call("GET", "/livez", headers: [("Origin", "https://app.example")])
            #expect(allowed.status == 200)
            #expect(allowed.header("access-control-allow-origin") == "https://app.example")
        }
    }

    @Test
    func `If a ticket is used a second time for its path, the new stream ends the first stream`() async throws {
        try await ServedGateway.run { served in
            let made = try await served.connectClient().call("POST", "/v1/events/tickets")
            #expect(made.status == 201)
            let ticket = try #require(try made.json["ticket"]?.stringValue)
            #expect(try await served.connectAnonymously().call("GET", "/v1/events?ticket=\(ticket)").status == 200)
            #expect(try await served.connectAnonymously().call("GET", "/v1/events/ws?ticket=\(ticket)").status == 401)
            served.core.journal.publish(["one", "two"])
            let stream = try await served.connectAnonymously()
            try await stream.send("GET", "/v1/events?ticket=\(ticket)", headers: [("Accept", "text/event-stream")])
            #expect(try await stream.receiveHead().status == 200)
            let again = try await served.connectAnonymously()
            try await again.send(
                "GET",
                "/v1/events?ticket=\(ticket)",
                headers: [("Accept", "text/event-stream"), ("Last-Event-ID", "test-1")]
            )
            #expect(try await again.receiveHead().status == 200)
            while try await stream.receiveChunk() != nil {}
            var text = ""
            while !text.contains("two") {
                text += String(decoding: try await again.receiveChunk() ?? [], as: UTF8.self)
            }
            #expect(!text.contains("\"one\""))
            #expect(
                try KeyFile(folder: served.folder).revokeKey(
                    id: #require(KeyFile(folder: served.folder).loadKeys().first).id
                )
            )
            while try await again.receiveChunk() != nil {}
            #expect(try await served.connectAnonymously().call("GET", "/v1/events?ticket=\(ticket)").status == 401)
        }
    }

    @Test
    func `A ticket opens only its own path, and is created only for paths that accept tickets`() async throws {
        try await ServedGateway.run { served in
            let client = try await served.connectClient()
            let made = try await client.call("POST", "/v1/events/tickets", body: #"{"path":"/v1/events"}"#)
            let ticket = try #require(try made.json["ticket"]?.stringValue)
            let socket = try await WebSocketClient.sendHandshake(
                served.connectAnonymously(),
                "/v1/events/ws?ticket=\(ticket)"
            )
            #expect(socket.status == 401)
            #expect(try await served.connectAnonymously().call("GET", "/v1/events?ticket=\(ticket)").status == 200)
            for path in [
                "/v1/users", "/v1/nothing", "", "/v1/users/1/chats/direct/1/messages",
                String(repeating: "/", count: 10_000),
            ] {
                let answer = try await client.call(
                    "POST",
                    "/v1/events/tickets",
                    body: JSONValue.object(["path": .string(path)]).text
                )
                #expect(answer.status == 422, "\(path)")
            }
            #expect(try await client.call("POST", "/v1/events/tickets", body: #"{"path":7}"#).status == 422)
        }
    }

    @Test
    func `A gateway without TLS does not start at an address that other machines can reach`() async throws {
        await #expect(throws: GatewayError.self) {
            try await ServedGateway.run({ $0.http.host = "0.0.0.0" }) { _ in }
        }
    }
}
