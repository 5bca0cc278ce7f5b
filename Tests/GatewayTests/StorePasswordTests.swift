import Clocks
import Foundation
import JSON
import TestSupport
import Testing

@testable import Gateway

@Suite("App passwords and self-destruct passwords of stores", .socketTimeLimit)
struct StorePasswordTests {
    private let setNoDelay: (inout StoreSettings) -> Void = {
        $0.unlockDelay = UnlockDelay.Settings(initialMicroseconds: 0, maxMicroseconds: 0)
    }

    private func setPassword(
        _ gateway: RealGateway,
        _ store: StoreClient,
        _ which: String,
        _ password: String,
        current: String? = nil
    ) async throws -> Int {
        var body: JSONValue = ["password": .string(password)]
        if let current { body = ["password": .string(password), "current": .string(current)] }
        return try await gateway.connectClient().put("/v1/stores/\(store.id)/\(which)", body).status
    }

    private func removePassword(
        _ gateway: RealGateway,
        _ store: StoreClient,
        _ which: String,
        current: String
    ) async throws -> Int {
        try await gateway.connectClient().call(
            "DELETE",
            "/v1/stores/\(store.id)/\(which)",
            headers: [("Current-Password", PercentEncoding.encode(current))]
        ).status
    }

    private func lockStore(_ gateway: RealGateway, _ store: StoreClient) async throws {
        #expect(try await gateway.connectClient().post("/v1/stores/\(store.id)/lock", [:]).status == 200)
    }

    private func countUsers(_ store: StoreClient) async throws -> Int? {
        try await store.openConnection().call("GET", "/v1/users").json["users"]?.arrayValue?.count
    }

    @Test
    func `A store with an app password has no key file, and only the app password unlocks the store`() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let store = try await RealGateway.run(in: folder, storing: setNoDelay) { gateway in
            let store = try await gateway.makeStore("Bob")
            _ = try await store.http.createUser("bob")
            let files = "\(gateway.folder)/stores/\(store.id)"
            #expect(FileManager.default.fileExists(atPath: files + "/database.key"))
            #expect(try await setPassword(gateway, store, "app-password", "1234") == 204)
            #expect(!FileManager.default.fileExists(atPath: files + "/database.key"))
            #expect(
                try await gateway.connectClient().call("GET", "/v1/stores/\(store.id)").json["protection"]
                    == "appPassword"
            )
            #expect(try await setPassword(gateway, store, "app-password", "12345") == 422)
            #expect(try await setPassword(gateway, store, "app-password", "12345", current: "wrong") == 403)
            #expect(try await setPassword(gateway, store, "app-password", "12345", current: "1234") == 204)
            try await lockStore(gateway, store)
            #expect(try await gateway.unlockStore(store.id).status == 422)
            #expect(try await gateway.unlockStore(store.id, "1234").status == 403)
            #expect(try await gateway.unlockStore(store.id, "12345").json["state"] == "unlocked")
            #expect(try await gateway.unlockStore(store.id, "12345").status == 200)
            #expect(try await gateway.unlockStore(store.id, "1234").status == 403)
            #expect(try await countUsers(store) == 1)
            let kept = try String(contentsOfFile: files + "/passwords.json", encoding: .utf8)
            #expect(!kept.contains("12345"))
            return store
        }
        try await RealGateway.run(in: folder, storing: setNoDelay) { gateway in
            #expect(try await gateway.readState(of: store.id) == "locked")
            let there = StoreClient(
                id: store.id,
                key: store.key,
                port: gateway.port,
                http: try await .connect(port: gateway.port, key: store.key)
            )
            #expect(try await gateway.unlockStore(store.id, "12345").status == 200)
            #expect(try await countUsers(there) == 1)
            #expect(try await removePassword(gateway, there, "app-password", current: "1234") == 403)
            #expect(try await removePassword(gateway, there, "app-password", current: "12345") == 204)
            #expect(try await removePassword(gateway, there, "app-password", current: "12345") == 409)
        }
        try await RealGateway.run(in: folder) { gateway in
            try await waitUntil("the store opens by itself") {
                try await gateway.readState(of: store.id) == "unlocked"
            }
            let count = try await HTTPClient.connect(port: gateway.port, key: store.key).call("GET", "/v1/users").json[
                "users"
            ]?.arrayValue?.count
            #expect(count == 1)
        }
    }

    @Test
    func `An app password replaces the passphrase of a store until the app password is removed`() async throws {
        try await RealGateway.run(storing: setNoDelay) { gateway in
            let store = try await gateway.makeStore("Bob", passphrase: "long")
            _ = try await store.http.createUser("bob")
            #expect(try await setPassword(gateway, store, "app-password", "1234") == 204)
            try await lockStore(gateway, store)
            #expect(try await setPassword(gateway, store, "app-password", "x", current: "1234") == 503)
            #expect(try await gateway.unlockStore(store.id, "long").status == 403)
            #expect(try await gateway.unlockStore(store.id, "1234").status == 200)
            #expect(try await store.http.post("/v1/core/stop", [:]).status == 200)
            #expect(
                try await store.http.put("/v1/database/encryption", ["currentKey": "long", "newKey": "longer"]).status
                    == 422
            )
            #expect(try await removePassword(gateway, store, "app-password", current: "1234") == 204)
            #expect(
                try await store.http.put("/v1/database/encryption", ["currentKey": "long", "newKey": "longer"]).status
                    == 200
            )
            #expect(try await setPassword(gateway, store, "app-password", "4321") == 204)
            try await lockStore(gateway, store)
            #expect(try await gateway.unlockStore(store.id, "4321").status == 200)
            #expect(try await removePassword(gateway, store, "app-password", current: "4321") == 204)
            try await lockStore(gateway, store)
            #expect(try await gateway.unlockStore(store.id, "long").status == 403)
            #expect(try await gateway.unlockStore(store.id, "longer").status == 200)
            #expect(try await countUsers(store) == 1)
        }
    }

    @Test
    func `The self-destruct password empties a store, and gets the same answer as the app password`()
        async throws
    {
        try await RealGateway.run(storing: setNoDelay) { gateway in
            let (store, other) = (try await gateway.makeStore("Bob"), try await gateway.makeStore("other"))
            _ = try await store.http.createUser("bob")
            _ = try await other.http.createUser("other")
            let files = "\(gateway.folder)/stores/\(store.id)"
            #expect(try await setPassword(gateway, store, "self-destruct-password", "666", current: "1234") == 409)
            #expect(try await setPassword(gateway, store, "app-password", "1234") == 204)
            let size = try FileManager.default.attributesOfItem(atPath: files + "/passwords.json")[.size] as? Int
            #expect(try await setPassword(gateway, store, "self-destruct-password", "666") == 422)
            #expect(try await setPassword(gateway, store, "self-destruct-password", "1234", current: "1234") == 422)
            #expect(try await setPassword(gateway, store, "self-destruct-password", "666", current: "1234") == 204)
            #expect(try await setPassword(gateway, store, "app-password", "666", current: "1234") == 422)
            #expect(try await setPassword(gateway, store, "app-password", "x", current: "666") == 403)
            #expect(try FileManager.default.attributesOfItem(atPath: files + "/passwords.json")[.size] as? Int == size)
            try Data("received".utf8).write(to: URL(fileURLWithPath: files + "/space/received"))
            let database = try Data(contentsOf: URL(fileURLWithPath: files + "/simplex_v1_chat.db")).prefix(16)
            try await lockStore(gateway, store)
            let usual = try await gateway.unlockStore(store.id, "1234")
            #expect(try await countUsers(store) == 1)
            try await lockStore(gateway, store)
            let last = try await gateway.unlockStore(store.id, "666")
            #expect(last.status == usual.status && last.body == usual.body)
            #expect(last.headers.map(\.name) == usual.headers.map(\.name))
            #expect(try await countUsers(store) == 0)
            #expect(!FileManager.default.fileExists(atPath: files + "/space/received"))
            #expect(try Data(contentsOf: URL(fileURLWithPath: files + "/simplex_v1_chat.db")).prefix(16) != database)
            let left = { try FileManager.default.contentsOfDirectory(atPath: gateway.folder + "/stores").sorted() }
            try await waitUntil("only the two stores are left: \((try? left()) ?? [])") {
                try left() == [store.id, other.id].sorted()
            }
            try await lockStore(gateway, store)
            #expect(try await gateway.unlockStore(store.id, "1234").status == 403)
            #expect(try await gateway.unlockStore(store.id, "666").status == 200)
            _ = try await store.openConnection().createUser("somebody else")
            #expect(try await countUsers(other) == 1)
            // The gateway must notice changes that another process makes in the new folder of the store.
            let key = try #require(KeyFile(store: store.id, in: gateway.folder)).addKey(name: "new", scopes: .read).key
            let client = try await HTTPClient.connect(port: gateway.port, key: key.text)
            try await client.waitForStatus(200, at: "/v1/users")
        }
    }

    @Test
    func `A self-destruct password also empties an unlocked store, and is refused after the password was removed`()
        async throws
    {
        try await RealGateway.run(storing: setNoDelay) { gateway in
            let store = try await gateway.makeStore("Bob")
            _ = try await store.http.createUser("bob")
            #expect(try await setPassword(gateway, store, "app-password", "1234") == 204)
            #expect(try await setPassword(gateway, store, "self-destruct-password", "666", current: "1234") == 204)
            #expect(try await removePassword(gateway, store, "self-destruct-password", current: "1234") == 204)
            #expect(try await gateway.unlockStore(store.id, "666").status == 403)
            #expect(try await setPassword(gateway, store, "self-destruct-password", "666", current: "1234") == 204)
            #expect(try await gateway.unlockStore(store.id, "666").status == 200)
            #expect(try await countUsers(store) == 0)
        }
    }

    @Test
    func `The answers to the app password and to the self-destruct password take at least the same fixed time`()
        async throws
    {
        try await RealGateway.run(storing: { $0.unlockDurationStepMicroseconds = 400_000 }) { gateway in
            let store = try await gateway.makeStore("Bob")
            #expect(try await setPassword(gateway, store, "app-password", "1234") == 204)
            #expect(try await setPassword(gateway, store, "self-destruct-password", "666", current: "1234") == 204)
            for password in ["1234", "666"] {
                try await lockStore(gateway, store)
                let begin = MonotonicClock.microseconds()
                #expect(try await gateway.unlockStore(store.id, password).status == 200)
                #expect(MonotonicClock.microseconds() - begin >= 400_000)
            }
        }
    }

    @Test
    func `A request to unlock a store gets 500 while the password file is damaged`() async throws {
        try await RealGateway.run(storing: setNoDelay) { gateway in
            let store = try await gateway.makeStore("Bob")
            #expect(try await setPassword(gateway, store, "app-password", "1234") == 204)
            try await lockStore(gateway, store)
            let file = URL(fileURLWithPath: "\(gateway.folder)/stores/\(store.id)/passwords.json")
            let kept = try Data(contentsOf: file)
            for content in [Data(), Data("{}".utf8), kept.prefix(100)] {
                try content.write(to: file)
                #expect(try await gateway.unlockStore(store.id, "1234").status == 500)
            }
            try kept.write(to: file)
            #expect(try await gateway.unlockStore(store.id, "1234").status == 200)
        }
    }
}
