import ChatCore
import JSON
import TestSupport
import Testing

@testable import Gateway

@Suite("Separation of stores by keys", .socketTimeLimit)
struct StoreIsolationTests {
    /// Makes users `name`-1 to `name`-n, a note of the first user, and a session of its state.
    private func fillStore(_ client: HTTPClient, _ name: String, users: Int) async throws -> String {
        for index in 1...users { _ = try await client.createUser("\(name)-\(index)") }
        let folder = try await client.call("GET", "/v1/users/1/chats").json["chats"]?.arrayValue?.first {
            $0["chatInfo"]?["type"] == "local"
        }
        let id = try #require(folder?["chatInfo"]?["noteFolder"]?["noteFolderId"]?.integerValue)
        for _ in 1...users {
            #expect(
                try await client.post("/v1/users/1/chats/local/\(id)/messages", textMessage("\(name)-secret")).status
                    == 201
            )
        }
        let session = try await client.call("POST", "/v1/users/1/sessions")
        return try #require(session.json["sessionId"]?.stringValue)
    }

    @Test
    func `No route shows or changes data of other stores, even with ids that exist in these stores`() async throws {
        try await RealGateway.run { gateway in
            let admin = try await gateway.connectClient()
            _ = try await fillStore(admin, "first", users: 4)
            let (mine, other) = (try await gateway.makeStore("mine"), try await gateway.makeStore("other"))
            _ = try await fillStore(mine.http, "mine", users: 1)
            let foreignSession = try await fillStore(other.http, "other", users: 3)
            let cores =
                [gateway.storeCore]
                + (gateway.server.stores?.otherStores.filter { $0.id == other.id }.compactMap { $0.openedStore?.core }
                    ?? [])
            #expect(cores.count == 2)
            let before = cores.map { ($0.revision, $0.eventSource.latestSeq) }
            for route in RouteTable.all where route.category != "Operations" {
                for id in ["1", "2", "3", foreignSession, other.id] {
                    // User 2 is left out, since one of the routes creates this user.
                    for user in ["1", "3"] {
                        for type in route.parameterNames.contains("chatType") ? ["direct", "local"] : ["direct"] {
                            let client = try await mine.openConnection()
                            let path = route.path(user: user, chatType: type, id: id) + route.requiredQuery
                            let answer = try await client.call(
                                route.method.rawValue,
                                path,
                                body: route.sampleBody?.text
                            )
                            #expect(
                                !answer.text.contains("first-") && !answer.text.contains("other-"),
                                "\(route.operationID): \(answer.text)"
                            )
                            if user != "1", route.parameterNames.contains("userId") {
                                #expect(answer.status >= 400, "\(route.operationID): \(answer.text)")
                            }
                            if !route.parameterNames.isEmpty, route.parameterNames != ["userId"] { continue }
                        }
                        if !route.parameterNames.contains("userId") { break }
                    }
                    if route.parameterNames.filter({ $0 != "userId" && $0 != "chatType" }).isEmpty { break }
                }
                // A command may have stopped the core of this key's store, so the core is started again.
                _ = try await mine.http.post("/v1/core/start", [:])
            }
            for (core, (revision, latest)) in zip(cores, before) {
                #expect(core.revision == revision)
                #expect(core.eventSource.latestSeq == latest)
            }
            #expect(try await other.http.call("GET", "/v1/users/1/sessions/\(foreignSession)").status == 200)
        }
    }

    @Test
    func `Idempotency keys, tickets, cursors, WebSockets and metrics are separate for each store`() async throws {
        try await RealGateway.run { gateway in
            let (one, two) = (try await gateway.makeStore("one"), try await gateway.makeStore("two"))
            let admin = try await gateway.connectClient()
            // The same idempotency key is used in each store, and the request must have an effect in each store.
            for (client, name) in [(admin, "zero"), (one.http, "one"), (two.http, "two")] {
                for _ in 1...2 {
                    let answer = try await client.post(
                        "/v1/users",
                        ["profile": ["displayName": .string("user-\(name)"), "fullName": ""]],
                        headers: [("Idempotency-Key", "same")]
                    )
                    #expect(answer.status == 201)
                }
            }
            // Each request was sent twice, and the second answer was the stored one. So each store has one user.
            for _ in 1...2 {
                for (client, name) in [(admin, "zero"), (one.http, "one"), (two.http, "two")] {
                    let users = try await client.call("GET", "/v1/users").json["users"]?.arrayValue
                    #expect(users?.map { $0["user"]?["localDisplayName"] } == [.string("user-\(name)")])
                }
            }
            let ticket = try #require(try await one.http.call("POST", "/v1/events/tickets").json["ticket"]?.stringValue)
            let told = try await HTTPClient.connect(port: gateway.port).call("GET", "/v1/events?ticket=\(ticket)").text
            #expect(!told.contains("user-two") && !told.contains("user-zero"))
            let cursor = try #require(try await two.http.call("GET", "/v1/events").json["cursor"]?.stringValue)
            #expect(try await one.http.call("GET", "/v1/events?cursor=\(cursor)").status == 410)
            let socket = try await WebSocketClient.open(one.openConnection(), "/v1/events/ws?cursor=now")
            try await socket.send(#"{"corrId":"1","cmd":"/users"}"#)
            let users = try await socket.receiveJSON()["resp"]?["users"]?.arrayValue
            #expect(users?.map { $0["user"]?["localDisplayName"] } == ["user-one"])
            let terminal = try await WebSocketClient.open(two.openConnection(), "/")
            try await terminal.send(#"{"corrId":"1","cmd":"/users"}"#)
            let answer = try await terminal.receiveAnswer(to: "1")
            #expect(answer?["users"]?[0]?["user"]?["localDisplayName"] == "user-two")
            let snapshot = try await one.http.call("GET", "/v1/users/1/model").text
            #expect(snapshot.contains("user-one") && !snapshot.contains("user-two"))
            let figures = try await one.http.call("GET", "/metrics").text
            #expect(figures.contains("sxgw_event_streams 1\n"))
            #expect(!figures.contains("sxgw_stores") && !figures.contains("resident_memory"))
            #expect(try await admin.call("GET", "/metrics").text.contains("sxgw_stores_unlocked 2\n"))
        }
    }
}
