import Foundation
import JSON
import TestSupport
import Testing

@testable import Descriptors
@testable import Gateway

@Suite("Stores over HTTP", .socketTimeLimit)
struct StoresTests {
    @Test
    func `A store can be created, listed, locked, unlocked and deleted over HTTP`() async throws {
        try await RealGateway.run { gateway in
            let admin = try await gateway.connectClient()
            _ = try await admin.createUser("first")
            let store = try await gateway.makeStore("Bob")
            #expect(try await store.http.createUser("bob") == 1)
            let list = try await admin.call("GET", "/v1/stores").json["stores"]?.arrayValue
            #expect(list?.map { $0["storeId"] } == ["default", .string(store.id)])
            #expect(list?[1]["name"] == "Bob" && list?[1]["state"] == "unlocked" && list?[1]["protection"] == "keyFile")
            #expect(try await admin.post("/v1/stores/\(store.id)/lock", [:]).json["state"] == "locked")
            let refused = try await store.http.call("GET", "/v1/users")
            #expect(refused.status == 503)
            #expect(try refused.json["code"] == "storeLocked")
            #expect(try await admin.call("GET", "/v1/users").status == 200)
            #expect(try await gateway.unlockStore(store.id).json["state"] == "unlocked")
            #expect(try await store.http.call("GET", "/v1/users").json["users"]?.arrayValue?.count == 1)
            #expect(try await store.http.call("DELETE", "/v1/stores/\(store.id)").status == 204)
            #expect(try await store.openConnection().call("GET", "/v1/users").status == 401)
            #expect(try await admin.call("GET", "/v1/stores/\(store.id)").status == 404)
            #expect(try FileManager.default.contentsOfDirectory(atPath: gateway.folder + "/stores") == [])
        }
    }

    @Test
    func `A store above the limit of open stores is refused with 503 until another store is locked`() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try await RealGateway.run(in: folder, storing: { $0.openStoreLimit = Allowance(2) }) { gateway in
            let (one, _) = (try await gateway.makeStore("one"), try await gateway.makeStore("two"))
            let admin = try await gateway.connectClient()
            let refused = try await admin.post("/v1/stores", ["name": "three"])
            #expect(refused.status == 503)
            #expect(try refused.json["code"] == "unavailable")
            #expect(try await admin.post("/v1/stores/\(one.id)/lock", [:]).status == 200)
            _ = try await gateway.makeStore("three")
            #expect(try await gateway.unlockStore(one.id).status == 503)
        }
    }

    @Test
    func `A restart opens each store, except a store with a passphrase and a store that was locked`() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let (open, closed, locked) = try await RealGateway.run(in: folder) { gateway in
            let stores = (
                try await gateway.makeStore("open"), try await gateway.makeStore("closed", passphrase: "correct horse"),
                try await gateway.makeStore("locked")
            )
            for store in [stores.0, stores.1, stores.2] { _ = try await store.http.createUser("somebody") }
            #expect(try await gateway.connectClient().post("/v1/stores/\(stores.2.id)/lock", [:]).status == 200)
            return (stores.0, stores.1, stores.2)
        }
        try await RealGateway.run(in: folder) { gateway in
            try await waitUntil("the store opens by itself") { try await gateway.readState(of: open.id) == "unlocked" }
            #expect(
                try await HTTPClient.connect(port: gateway.port, key: open.key).call("GET", "/v1/users").json["users"]?
                    .arrayValue?.count == 1
            )
            #expect(try await gateway.readState(of: locked.id) == "locked")
            #expect(
                try await HTTPClient.connect(port: gateway.port, key: closed.key).call("GET", "/v1/users").status == 503
            )
            #expect(try await gateway.unlockStore(closed.id, "wrong").json["code"] == "wrongPassphrase")
            // Attempts are limited for each store, so the wrong passphrase for one store does not delay another store.
            #expect(try await gateway.unlockStore(locked.id).status == 200)
            #expect(try await gateway.unlockStore(closed.id, "correct horse").status == 429)
        }
        try await RealGateway.run(in: folder) { gateway in
            let withoutPassphrase = try await gateway.unlockStore(closed.id)
            #expect(withoutPassphrase.status == 422)
            #expect(try await gateway.unlockStore(closed.id, "correct horse").json["state"] == "unlocked")
            #expect(
                try await HTTPClient.connect(port: gateway.port, key: closed.key).call("GET", "/v1/users").json[
                    "users"
                ]?.arrayValue?.count == 1
            )
        }
    }

    @Test
    func `Each wrong passphrase causes a longer delay for the next attempt, up to a limit`() async throws {
        var delay = UnlockDelay(UnlockDelay.Settings(initialMicroseconds: 1_000_000, maxMicroseconds: 5_000_000))
        var waits: [Int64] = []
        for _ in 0..<5 {
            delay.recordFailure(at: 100)
            waits.append(delay.remainingMicroseconds(at: 100))
        }
        #expect(waits == [1_000_000, 2_000_000, 4_000_000, 5_000_000, 5_000_000])
        for _ in 0..<100 { delay.recordFailure(at: 100) }
        #expect(delay.remainingMicroseconds(at: 100) == 5_000_000)
        #expect(delay.remainingMicroseconds(at: 5_000_101) == 0)
        delay.recordSuccess()
        #expect(delay.remainingMicroseconds(at: 0) == 0)
        try await RealGateway.run(storing: {
            $0.unlockDelay = UnlockDelay.Settings(initialMicroseconds: 6_000_000, maxMicroseconds: 6_000_000)
        }) {
            gateway in
            let store = try await gateway.makeStore("closed", passphrase: "right")
            _ = try await gateway.connectClient().post("/v1/stores/\(store.id)/lock", [:])
            #expect(try await gateway.unlockStore(store.id, "wrong").status == 403)
            let early = try await gateway.unlockStore(store.id, "right")
            #expect(early.status == 429 && (1...7).map(String.init).contains(early.header("retry-after") ?? ""))
            #expect(try await gateway.connectClient().call("GET", "/v1/users").status == 200)
            var answer = early
            try await waitUntil("the time is over in which nothing is tried", every: .milliseconds(100)) {
                answer = try await gateway.unlockStore(store.id, "right")
                return answer.status != 429
            }
            #expect(answer.status == 200)
            #expect(try await gateway.unlockStore(store.id, "wrong").status == 403)
            #expect(try await store.http.call("GET", "/v1/users").status == 200)
        }
    }

    @Test
    func `Concurrent requests to unlock a store all succeed`() async throws {
        try await RealGateway.run { gateway in
            let store = try await gateway.makeStore("closed", passphrase: "right")
            _ = try await store.http.createUser("bob")
            _ = try await gateway.connectClient().post("/v1/stores/\(store.id)/lock", [:])
            let answers = try await withThrowingTaskGroup(of: Int.self) { tasks in
                for _ in 0..<8 { tasks.addTask { try await gateway.unlockStore(store.id, "right").status } }
                return try await tasks.reduce(into: [Int]()) { $0.append($1) }
            }
            #expect(answers == Array(repeating: 200, count: 8))
            #expect(try await store.http.call("GET", "/v1/users").json["users"]?.arrayValue?.count == 1)
        }
    }

    @Test
    func `Only a key of the first store with the scope 'stores' can manage other stores`() async throws {
        try await RealGateway.run { gateway in
            let (mine, other) = (try await gateway.makeStore("mine"), try await gateway.makeStore("other"))
            let plain = try KeyFile(folder: gateway.folder).addKey(name: "plain", scopes: .admin).key.text
            let reader = try #require(KeyFile(store: mine.id, in: gateway.folder)).addKey(
                name: "reader",
                scopes: [.read, .write, .events]
            ).key.text
            let claimed = try #require(KeyFile(store: mine.id, in: gateway.folder)).addKey(
                name: "claimed",
                scopes: [.stores, .admin]
            ).key.text
            let clients = try await [plain, reader, claimed].asyncMap {
                try await HTTPClient.connect(port: gateway.port, key: $0)
            }
            try await clients[0].waitForStatus(200, at: "/v1/users")
            try await clients[2].waitForStatus(200, at: "/v1/users")
            for client in clients + [mine.http] {
                #expect(try await client.call("GET", "/v1/stores").status == 403)
                #expect(try await client.post("/v1/stores", ["name": "more"]).status == 403)
                for id in [other.id, StoreID.make(), "x"] {
                    for (method, end) in [
                        ("GET", ""), ("DELETE", ""), ("POST", "/lock"), ("POST", "/unlock"), ("PUT", "/app-password"),
                        ("DELETE", "/app-password"),
                        ("PUT", "/self-destruct-password"), ("DELETE", "/self-destruct-password"),
                    ] {
                        let answer = try await client.call(method, "/v1/stores/\(id)\(end)")
                        #expect(answer.status == 403)
                        #expect(try answer.json["detail"] == "The key belongs to another store.")
                    }
                }
            }
            #expect(try await clients[1].call("GET", "/v1/stores/\(mine.id)").status == 403)
            #expect(try await clients[0].call("GET", "/v1/stores/default").json["state"] == "unlocked")
            #expect(try await clients[0].post("/v1/stores/default/lock", [:]).status == 409)
            #expect(try await mine.http.post("/v1/stores/\(mine.id)/lock", [:]).status == 200)
            #expect(try await mine.http.post("/v1/stores/\(mine.id)/unlock", [:]).status == 200)
            for name in ["", String(repeating: "x", count: 101), "two\nlines"] {
                #expect(try await gateway.connectClient().post("/v1/stores", ["name": .string(name)]).status == 422)
            }
            #expect(
                try await gateway.connectClient().post("/v1/stores", ["name": "x", "passphrase": ""]).status == 422
            )
        }
    }

    @Test
    func `Every route for an unknown or deleted store is answered with 404`() async throws {
        try await RealGateway.run { gateway in
            let admin = try await gateway.connectClient()
            let gone = try await gateway.makeStore("gone")
            #expect(try await admin.call("DELETE", "/v1/stores/\(gone.id)").status == 204)
            for route in RouteTable.all where route.access == .storeInPath {
                for id in [gone.id, StoreID.make(), "x", "..", "%2E%2E", "%2F"] {
                    let answer = try await gateway.connectClient().call(
                        route.method.rawValue,
                        route.path(id: id),
                        body: route.sampleBody?.text
                    )
                    #expect(answer.status == 404, "\(route.operationID) \(id): \(answer.text)")
                }
            }
            #expect(try await gone.openConnection().call("GET", "/v1/users").status == 401)
            #expect(
                try FileManager.default.contentsOfDirectory(atPath: gateway.folder + "/stores").filter {
                    !$0.hasPrefix(".")
                } == []
            )
        }
    }

    @Test
    func `If another process adds or revokes a key of a store, the key is immediately valid or invalid`() async throws {
        try await RealGateway.run { gateway in
            let store = try await gateway.makeStore("Bob")
            let file = try #require(KeyFile(store: store.id, in: gateway.folder))
            let (key, record) = try file.addKey(name: "reader", scopes: [.read, .events])
            let client = try await HTTPClient.connect(port: gateway.port, key: key.text)
            try await client.waitForStatus(200, at: "/v1/users")
            let stream = try await StoreClient(id: store.id, key: key.text, port: gateway.port, http: client)
                .openLineStream()
            #expect(try file.revokeKey(id: record.id))
            _ = try await stream.readRest()
            #expect(try await client.call("GET", "/v1/users").status == 401)
            #expect(KeyFile(store: StoreID.make(), in: gateway.folder) == nil)
            #expect(KeyFile(store: "../relay", in: gateway.folder) == nil)
        }
    }

    @Test
    func `Repeated requests with an idempotency key create one store, and return the first answer with its key`()
        async throws
    {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let key = [("Idempotency-Key", "one")]
        let body: JSONValue = ["name": "Bob", "passphrase": "correct horse"]
        let first = try await RealGateway.run(in: folder) { gateway in
            let answers = try await withThrowingTaskGroup(of: HTTPClient.Answer.self) { tasks in
                for _ in 0..<4 {
                    tasks.addTask { try await gateway.connectClient().post("/v1/stores", body, headers: key) }
                }
                return try await tasks.reduce(into: [HTTPClient.Answer]()) { $0.append($1) }
            }
            let made = answers.filter { $0.status == 201 }
            #expect(!made.isEmpty && answers.allSatisfy { $0.status == 201 || $0.status == 409 })
            #expect(Set(made.map(\.body)).count == 1)
            let first = try #require(made.first)
            let again = try await gateway.connectClient().post("/v1/stores", body, headers: key)
            #expect(again.status == 201 && again.body == first.body && again.header("idempotent-replayed") == "true")
            #expect(again.header("location") == first.header("location") && again.header("cache-control") == "no-store")
            let other = try await gateway.connectClient().post(
                "/v1/stores",
                ["name": "Bob", "passphrase": "wrong horse"],
                headers: key
            )
            #expect(try other.json["code"] == "idempotencyKeyReused")
            #expect(
                try await gateway.connectClient().post("/v1/stores", body, headers: [("Idempotency-Key", "")]).status
                    == 400
            )
            return first
        }
        try await RealGateway.run(in: folder) { gateway in
            let again = try await gateway.connectClient().post("/v1/stores", body, headers: key)
            #expect(again.status == 201 && again.body == first.body)
            #expect(try await gateway.connectClient().call("GET", "/v1/stores").json["stores"]?.arrayValue?.count == 2)
            // The stored request must contain neither the key of the store nor the passphrase of the request.
            let requests = folder.path + "/stores/.requests"
            let files = try FileManager.default.contentsOfDirectory(atPath: requests)
            #expect(files.count == 1)
            for file in files {
                let kept = try String(contentsOfFile: requests + "/" + file, encoding: .utf8)
                let secret = try #require(first.json["key"]?.stringValue)
                #expect(!kept.contains(secret) && !kept.contains("horse"))
            }
            // Idempotency keys of another key of the first store are separate, so the same request makes another store.
            let second = try KeyFile(folder: folder.path).addKey(name: "second", scopes: .stores).key.text
            let client = try await HTTPClient.connect(port: gateway.port, key: second)
            try await client.waitForStatus(200, at: "/v1/stores")
            let its = try await client.post("/v1/stores", body, headers: key)
            #expect(its.status == 201 && its.body != first.body)
        }
    }

    @Test
    func `A request that names a path outside the space folder of its store is refused`() async throws {
        try await RealGateway.run { gateway in
            let store = try await gateway.makeStore("Bob")
            #expect(try await store.http.post("/v1/core/stop", [:]).status == 200)
            let own = "\(gateway.folder)/stores/\(store.id)"
            for path in [
                "\(gateway.folder)/stolen.zip", "\(own)/x.zip", "\(own)/space/../x.zip", "\(own)/space/",
                "\(own)/space//x", "\(own)/space/./x",
            ] {
                #expect(try await store.http.post("/v1/database/export", ["archivePath": .string(path)]).status == 422)
                #expect(try await store.http.post("/v1/database/import", ["archivePath": .string(path)]).status == 422)
                let paths: JSONValue = [
                    "appFilesFolder": .string(path), "appTempFolder": .string(path), "appAssetsFolder": .string(path),
                ]
                #expect(try await store.http.put("/v1/core/file-paths", paths).status == 422)
            }
            // A path through a symbolic link out of the folder is refused.
            try FileManager.default.createSymbolicLink(atPath: own + "/space/out", withDestinationPath: gateway.folder)
            #expect(
                try await store.http.post("/v1/database/export", ["archivePath": .string("\(own)/space/out/x.zip")])
                    .status == 422
            )
            #expect(!FileManager.default.fileExists(atPath: gateway.folder + "/x.zip"))
            let archive: JSONValue = ["archivePath": .string("\(own)/space/x.zip")]
            #expect(try await store.http.post("/v1/database/export", archive).status == 200)
            #expect(try await store.http.post("/v1/database/import", archive).status == 200)
            #expect(try await store.http.post("/v1/core/start", [:]).status == 200)
            // The other members of the request must have their effect: the passphrase of the archive, and the running
            // chat.
            let place = JSONValue.string("\(own)/space/y.zip")
            #expect(
                try await store.http.post("/v1/database/export", ["archivePath": place, "passphrase": "moving"]).status
                    == 200
            )
            #expect(try await store.http.post("/v1/core/stop", [:]).status == 200)
            #expect(try await store.http.post("/v1/database/import", ["archivePath": place]).status == 422)
            #expect(
                try await store.http.post("/v1/database/import", ["archivePath": place, "passphrase": "moving"]).status
                    == 200
            )
            #expect(try await gateway.connectClient().call("GET", "/v1/users").status == 200)
        }
    }
}

extension Sequence {
    func asyncMap<T>(_ body: (Element) async throws -> T) async rethrows -> [T] {
        var mapped: [T] = []
        for element in self { mapped.append(try await body(element)) }
        return mapped
    }
}
