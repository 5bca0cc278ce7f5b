import Files
import JSON
import SimpleXCrypto
import TestSupport
import Testing

@testable import Descriptors
@testable import Gateway

@Suite("Stores that nobody uses", .socketTimeLimit)
struct IdleStoresTests {
    private func waitUntilClosed(_ gateway: RealGateway, _ store: StoreClient) async throws {
        try await waitUntil("the store is closed") { try await gateway.readState(of: store.id) == "closed" }
    }

    @Test
    func `A store is closed when nobody has used it for a time, and the next request opens it`() async throws {
        try await RealGateway.run(storing: { $0.idleLimit = .milliseconds(200) }) { gateway in
            let store = try await gateway.makeStore("Bob")
            #expect(try await store.http.createUser("bob") == 1)
            try await waitUntilClosed(gateway, store)
            #expect(try await store.http.call("GET", "/v1/users").json["users"]?.arrayValue?.count == 1)
            try await waitUntilClosed(gateway, store)
            #expect(
                try await store.http.post("/v1/users", ["profile": ["displayName": "eve", "fullName": ""]]).status
                    == 201
            )
            try await waitUntilClosed(gateway, store)
            // Many requests at the same time open the store once.
            let users = try await withThrowingTaskGroup(of: Int.self) { tasks in
                for _ in 0..<8 {
                    tasks.addTask {
                        try await store.openConnection().call("GET", "/v1/users").json["users"]?.arrayValue?.count ?? 0
                    }
                }
                return try await tasks.reduce(into: []) { $0.append($1) }
            }
            #expect(users == Array(repeating: 2, count: 8))
            try await waitUntilClosed(gateway, store)
            let socket = try await WebSocketClient.open(store.openConnection(), "/v1/events/ws")
            #expect(try await gateway.readState(of: store.id) == "unlocked")
            await socket.http.connection.close()
        }
    }

    private func upload(
        _ client: HTTPClient,
        _ method: String,
        _ path: String,
        _ body: [UInt8],
        headers: [(String, String)] = []
    ) async throws -> HTTPClient.Answer {
        try await client.send(method, path, headers: headers, body: body)
        return try await client.receiveAnswer()
    }

    @Test
    func `An upload to a closed store waits until the store is open`() async throws {
        try await RealGateway.run(storing: { $0.idleLimit = .milliseconds(200) }) { gateway in
            let store = try await gateway.makeStore("Bob")
            #expect(try await store.http.createUser("bob") == 1)
            // So many bytes fill the buffer and suspend the connection before the store is open.
            let body = [0xFF, 0xD8, 0xFF] + RandomBytes.make(count: 3 * HTTPUpload.maxPendingBytes)
            let files = "/v1/users/1/files?name=a.bin&encrypted=false"
            for (method, path) in [
                ("POST", "/v1/users/1/wallpapers"), ("POST", files), ("PUT", "/v1/database/archives/a.zip"),
            ] {
                try await waitUntilClosed(gateway, store)
                let answer = try await upload(store.http, method, path, body)
                #expect(answer.status == 201, "\(path): \(answer.text)")
            }
            let begun = try await upload(store.http, "POST", files, body, headers: [("Upload-Complete", "?0")])
            let place = try #require(begun.header("location"), "\(begun.text)")
            try await waitUntilClosed(gateway, store)
            let rest = [("Upload-Offset", "\(body.count)"), ("Upload-Complete", "?1")]
            let ended = try await upload(store.http, "PATCH", place, body, headers: rest)
            #expect(try ended.status == 201 && ended.json["fileSize"]?.integerValue == Int64(2 * body.count))
            try await waitUntilClosed(gateway, store)
            let invented = String(store.key.dropLast(4)) + "AAAA"
            let wrong = try await HTTPClient.connect(port: gateway.port, key: invented)
            #expect(try await upload(wrong, "POST", files, [1]).status == 401)
            #expect(try await gateway.readState(of: store.id) == "closed")
        }
    }

    @Test
    func `An upload to a store waits until the node has loaded and opened the store`() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let key = try await RealGateway.run(in: folder, storing: { $0.idleLimit = .seconds(600) }) { gateway in
            let store = try await gateway.makeStore("Bob")
            #expect(try await store.http.createUser("bob") == 1)
            return store.key
        }
        try await RealGateway.run(in: folder, storing: { $0.placement = FakePlacement() }) { gateway in
            let client = try await HTTPClient.connect(port: gateway.port, key: key)
            let answer = try await upload(client, "POST", "/v1/users/1/files?name=a.bin", [1, 2, 3])
            #expect(answer.status == 201, "\(answer.text)")
        }
    }

    @Test
    func `A store with a stream, a waiting long poll or a webhook stays open`() async throws {
        // The gateway notices the end of a stream's reader only at the next heartbeat, so heartbeats are frequent here.
        try await RealGateway.run(
            serving: { $0.heartbeatSeconds = 1 },
            storing: { $0.idleLimit = .milliseconds(200) }
        ) { gateway in
            let store = try await gateway.makeStore("Bob")
            let (hooked, polled) = (try await gateway.makeStore("Hooked"), try await gateway.makeStore("Polled"))
            let stream = try await store.openLineStream()
            #expect(
                try await hooked.http.post("/v1/webhooks", ["url": "https://hooks.example/x", "name": "x"]).status
                    == 201
            )
            let poll = try await polled.openConnection()
            try await poll.send("GET", "/v1/events?timeout=60&cursor=now&types=contactConnected")
            try await polled.http.waitForLongPolls(1)
            // The other store was used last. It is closed because it is idle, so an idle one of the three stores would
            // be closed already.
            try await waitUntilClosed(gateway, gateway.makeStore("Other"))
            #expect(try await gateway.readState(of: store.id) == "unlocked")
            #expect(try await gateway.readState(of: polled.id) == "unlocked")
            #expect(try await gateway.readState(of: hooked.id) == "unlocked")
            await stream.connection.close()
            await poll.connection.close()
            try await waitUntilClosed(gateway, store)
        }
    }

    @Test
    func `Only a request with a valid key opens a closed store, and a locked store stays locked`() async throws {
        try await RealGateway.run(storing: { $0.idleLimit = .milliseconds(200) }) { gateway in
            let store = try await gateway.makeStore("Bob")
            try await waitUntilClosed(gateway, store)
            let wrong = try await HTTPClient.connect(port: gateway.port, key: String(store.key.dropLast(4)) + "AAAA")
            #expect(try await wrong.call("GET", "/v1/users").status == 401)
            #expect(try await gateway.readState(of: store.id) == "closed")
            #expect(try await store.http.call("POST", "/v1/stores/\(store.id)/lock").json["state"] == "locked")
            #expect(try await store.http.call("GET", "/v1/users").status == 503)
            let secret = try await gateway.makeStore("Secret", passphrase: "correct horse")
            #expect(
                try await gateway.connectClient().post("/v1/stores/\(secret.id)/lock", [:]).json["state"] == "locked"
            )
            #expect(try await secret.http.call("GET", "/v1/users").json["code"] == "storeLocked")
        }
    }

    @Test
    func `If a store is opened at the limit of open stores, the least recently used store is closed`()
        async throws
    {
        try await RealGateway.run(storing: {
            $0.idleLimit = .seconds(600)
            $0.openStoreLimit = Allowance(2)
        }) { gateway in
            let (one, two) = (try await gateway.makeStore("one"), try await gateway.makeStore("two"))
            let admin = try await gateway.connectClient()
            // A store that was in use a moment ago is not closed, so the request is repeated.
            try await waitUntil("another store can be opened") {
                _ = try await two.http.call("GET", "/v1/users")
                return try await admin.post("/v1/stores", ["name": "three"]).status == 201
            }
            #expect(try await gateway.readState(of: one.id) == "closed")
            #expect(try await gateway.readState(of: two.id) == "unlocked")
            _ = try await one.http.call("GET", "/v1/users")
        }
    }

    @Test
    func `A start of the gateway opens a store with a webhook, and leaves an idle store without webhooks closed`()
        async throws
    {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let (plain, hooked) = try await RealGateway.run(in: folder, storing: { $0.idleLimit = .milliseconds(200) }) {
            gateway in
            let (plain, hooked) = (try await gateway.makeStore("Plain"), try await gateway.makeStore("Hooked"))
            #expect(
                try await hooked.http.post("/v1/webhooks", ["url": "https://hooks.example/x", "name": "x"]).status
                    == 201
            )
            try await waitUntilClosed(gateway, plain)
            try await waitUntil("the record of the store says that the store stays open") {
                StoreFolder(path: gateway.folder + "/stores/\(hooked.id)").readRecord()?.staysOpen == true
            }
            return (plain, hooked)
        }
        try await RealGateway.run(in: folder, storing: { $0.idleLimit = .seconds(600) }) { gateway in
            try await waitUntil("the store with the webhook is open") {
                try await gateway.readState(of: hooked.id) == "unlocked"
            }
            #expect(try await gateway.readState(of: plain.id) == "closed")
        }
    }

    @Test
    func `When a request to schedule a message is answered, the store's record says that the store stays open`()
        async throws
    {
        try await RealGateway.run(storing: { $0.idleLimit = .seconds(600) }) { gateway in
            let store = try await gateway.makeStore("Later")
            let user = try await store.http.createUser("alice")
            let invitation = try await store.http.post("/v1/users/\(user)/connections/invitations", [:])
            let connection = try #require(try invitation.json["connection"]?["pccConnId"])
            let folder = StoreFolder(path: gateway.folder + "/stores/\(store.id)")
            #expect(folder.readRecord()?.staysOpen != true)
            let made = try await store.http.post(
                "/v1/users/\(user)/scheduled-messages",
                ["to": ["chatType": "contactConnection", "chatId": connection], "text": "welcome"]
            )
            #expect(made.status == 202, "\(made.text)")
            #expect(folder.readRecord()?.staysOpen == true)
        }
    }

    @Test
    func `A node to which a store with a scheduled message is offered opens the store`() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        // The stores come from a single node, so that the placement does not know them.
        let (later, plain) = try await RealGateway.run(in: folder, storing: { $0.idleLimit = .seconds(600) }) {
            gateway in
            let (later, plain) = (try await gateway.makeStore("Later"), try await gateway.makeStore("Plain"))
            let user = try await later.http.createUser("alice")
            let invitation = try await later.http.post("/v1/users/\(user)/connections/invitations", [:])
            let connection = try #require(try invitation.json["connection"]?["pccConnId"])
            let made = try await later.http.post(
                "/v1/users/\(user)/scheduled-messages",
                ["to": ["chatType": "contactConnection", "chatId": connection], "text": "welcome"]
            )
            #expect(made.status == 202, "\(made.text)")
            return (later, plain)
        }
        let placement = FakePlacement()
        try await RealGateway.run(
            in: folder,
            storing: {
                $0.idleLimit = .seconds(600)
                $0.placement = placement
            }
        ) { gateway in
            placement.refuseNext(1)
            #expect(await placement.register() == false)
            #expect(await placement.register() && placement.wantedStores == [later.id])
            await placement.offer([later.id])
            let states = (try await gateway.readState(of: later.id), try await gateway.readState(of: plain.id))
            #expect(states.0 == "unlocked" && states.1 == "closed")
        }
        // The store stays wanted after the end of the gateway, so that another node opens the store and sends the
        // planned messages.
        #expect(placement.wantedStores == [later.id])
    }

    @Test
    func `The progress of the move of a store to another node counts the steps of the move`() async throws {
        let placement = FakePlacement()
        try await RealGateway.run(storing: { $0.placement = placement }) { gateway in
            let (store, admin) = (try await gateway.makeStore("Bob"), try await gateway.connectClient())
            let headers = [("Prefer", "respond-async")]
            let path = "/v1/stores/\(store.id)/move"
            for (node, state, amount) in [("nobody", "failed", 1), ("two", "done", 3), ("one", "done", 3)] {
                let begun = try await admin.post(path, ["node": .string(node)], headers: headers)
                let place = try #require(begun.header("location"), "\(begun.text)")
                var ended = JSONValue.null
                try await waitUntil("the operation has ended") {
                    ended = try await admin.call("GET", place).json
                    return ended["state"] != "running"
                }
                #expect(ended["operation"] == "moveStore" && ended["state"] == .string(state), "\(ended.text)")
                #expect(ended["progress"] == ["done": .integer(Int64(amount)), "total": 3, "unit": "steps"])
            }
            #expect(placement.givenStores == [store.id: "two"])
        }
    }

    @Test
    func `A store stays open as long as one of its scheduled messages waits`() async throws {
        try await RealGateway.run(storing: { $0.idleLimit = .milliseconds(200) }) { gateway in
            let store = try await gateway.makeStore("Later")
            let user = try await store.http.createUser("alice")
            let invitation = try await store.http.post("/v1/users/\(user)/connections/invitations", [:])
            let connection = try #require(try invitation.json["connection"]?["pccConnId"])
            let path = "/v1/users/\(user)/scheduled-messages"
            let made = try await store.http.post(
                path,
                ["to": ["chatType": "contactConnection", "chatId": connection], "text": "welcome"]
            )
            #expect(made.status == 202, "\(made.text)")
            let folder = StoreFolder(path: gateway.folder + "/stores/\(store.id)")
            try await waitUntil("the store stays open") { folder.readRecord()?.staysOpen == true }
            let id = try #require(made.json["scheduledId"]?.integerValue)
            #expect(try await store.http.call("DELETE", "\(path)/\(id)").status == 204)
            try await waitUntilClosed(gateway, store)
            #expect(folder.readRecord()?.staysOpen == false)
        }
    }

    @Test
    func `New keys and tickets contain the id of their store`() async throws {
        try await RealGateway.run { gateway in
            let store = try await gateway.makeStore("Bob")
            #expect(store.key.hasPrefix("sxgw_\(store.id)_") && APIKey.storeID(in: store.key) == store.id)
            let made = try await store.http.post("/v1/keys", ["name": "bot"]).json["key"]?.stringValue ?? ""
            #expect(APIKey.storeID(in: made) == store.id)
            #expect(APIKey.storeID(in: gateway.key) == nil)
            let ticket = try await store.http.post("/v1/events/tickets", [:]).json["ticket"]?.stringValue ?? ""
            #expect(TicketStore.storeID(in: ticket) == store.id)
            let old = try KeyFile(folder: gateway.folder + "/stores/\(store.id)").addKey(name: "old", scopes: .read).key
                .text
            #expect(old.utf8.count == 48)
            let client = try await HTTPClient.connect(port: gateway.port, key: old)
            #expect(try await client.call("GET", "/v1/users").status == 200)
            for odd in [
                "sxgw_", "sxgw_abc_", "sxgw_" + String(repeating: "_", count: 59), "sxgw_\(store.id)_short",
                "sxgw_\(store.id.uppercased())_" + String(repeating: "a", count: 43),
            ] {
                #expect(APIKey.storeID(in: odd) == nil)
            }
        }
    }
}
