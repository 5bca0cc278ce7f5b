import ChatCore
import Foundation
import JSON
import Logging
import NIOPosix
import Synchronization
import TestSupport
import Testing

@testable import Gateway

@Suite("Lock and password of the first store", .socketTimeLimit)
struct FirstStoreTests {
    private let firstStorePath = "/v1/stores/default"

    private func countUsers(_ gateway: LockableGateway) async throws -> Int? {
        try await gateway.connectClient().call("GET", "/v1/users").json["users"]?.arrayValue?.count
    }

    private func setPassword(
        _ gateway: LockableGateway,
        _ which: String,
        _ password: String,
        current: String? = nil
    ) async throws -> Int {
        var body = JSONObject([("password", .string(password))])
        body["current"] = current.map { .string($0) }
        return try await gateway.connectClient().put("\(firstStorePath)/\(which)", .object(body)).status
    }

    private func lockStore(_ gateway: LockableGateway) async throws {
        #expect(try await gateway.connectClient().post(firstStorePath + "/lock", [:]).json["state"] == "locked")
    }

    private func unlockStore(_ gateway: LockableGateway, _ password: String? = nil) async throws -> HTTPClient.Answer {
        try await gateway.connectClient().post(
            firstStorePath + "/unlock",
            password.map { ["passphrase": .string($0)] } ?? [:]
        )
    }

    @Test
    func `The routes of a locked first store answer 503, except the routes that manage stores`() async throws {
        try await LockableGateway.run { gateway in
            let admin = try await gateway.connectClient()
            _ = try await admin.createUser("first")
            let made = try await admin.post("/v1/stores", ["name": "Bob"]).json
            let other = try await gateway.connectClient(made["key"]?.stringValue)
            let id = try #require(made["store"]?["storeId"]?.stringValue)
            _ = try await other.createUser("bob")
            let stream = try await gateway.connectClient()
            try await stream.send("GET", "/v1/events", headers: [("Accept", "application/x-ndjson")])
            #expect(try await stream.receiveHead().status == 200)
            let terminal = try await WebSocketClient.open(gateway.connectClient(), "/")
            let without = try await WebSocketClient.open(.connect(port: try #require(gateway.server.terminalPort)), "/")
            let cursor = try #require(try await admin.call("GET", "/v1/events").json["cursor"]?.stringValue)
            try await lockStore(gateway)
            #expect(try await stream.readRest().hasSuffix(#"{"event":{"type":"storeLocked"}}"# + "\n"))
            #expect(try await terminal.receiveCloseCode() == 1001)
            #expect(try await without.receiveCloseCode() == 1001)
            for (method, path) in [
                ("GET", "/v1/users"), ("GET", "/v1/events"), ("POST", "/v1/events/tickets"),
                ("GET", "/v1/users/1/model"), ("POST", "/v1/core/stop"),
            ] {
                let answer = try await admin.call(method, path)
                #expect(answer.status == 503, "\(path)")
                #expect(try answer.json["code"] == "storeLocked", "\(path)")
            }
            #expect(try await admin.call("GET", "/livez").status == 200)
            #expect(try await admin.call("GET", "/readyz").json["code"] == "storeLocked")
            #expect(try await admin.call("GET", "/metrics").text.contains("sxgw_ready 0\n"))
            #expect(
                try await admin.call("GET", "/v1/stores").json["stores"]?.arrayValue?.map { $0["state"] } == [
                    "locked", "unlocked",
                ]
            )
            #expect(try await other.call("GET", "/v1/users").json["users"]?.arrayValue?.count == 1)
            #expect(try await other.post(firstStorePath + "/unlock", [:]).status == 403)
            #expect(try await admin.post("/v1/stores/\(id)/lock", [:]).status == 200)
            #expect(try await admin.post("/v1/stores", ["name": "Carol"]).status == 201)
            #expect(try await admin.call("DELETE", firstStorePath).status == 409)
            #expect(try await unlockStore(gateway).json["state"] == "unlocked")
            #expect(try await countUsers(gateway) == 1)
            #expect(try await admin.call("GET", "/v1/events?cursor=\(cursor)").status == 200)
            #expect(try await admin.call("GET", "/readyz").status == 200)
            let again = try await WebSocketClient.open(.connect(port: try #require(gateway.server.terminalPort)), "/")
            try await again.send(#"{"corrId":"1","cmd":"/users"}"#)
            #expect(try await again.receiveAnswer(to: "1")?["users"]?.arrayValue?.count == 1)
            #expect(try await admin.call("DELETE", firstStorePath).status == 409)
        }
    }

    @Test
    func `A locked first store stays locked after a restart`() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try await LockableGateway.run(in: folder) { gateway in
            _ = try await gateway.connectClient().createUser("first")
            try await lockStore(gateway)
            try await lockStore(gateway)
        }
        try await LockableGateway.run(in: folder) { gateway in
            #expect(try await gateway.connectClient().call("GET", firstStorePath).json["state"] == "locked")
            #expect(try await gateway.connectClient().call("GET", "/v1/users").json["code"] == "storeLocked")
            let key = try KeyFile(folder: folder.path).addKey(name: "plain", scopes: [.read]).key.text
            let plain = try await gateway.connectClient(key)
            try await plain.waitForStatus(503, at: "/v1/users")
            #expect(try await unlockStore(gateway).status == 200)
            #expect(try await plain.call("GET", "/v1/users").status == 200)
            #expect(try await countUsers(gateway) == 1)
        }
        #expect(try await LockableGateway.run(in: folder) { try await countUsers($0) } == 1)
    }

    @Test
    func `A first store with an app password is opened only by this password`() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try await LockableGateway.run(in: folder) { gateway in
            _ = try await gateway.connectClient().createUser("first")
            #expect(FileManager.default.fileExists(atPath: folder.path + "/database.key"))
            #expect(try await setPassword(gateway, "app-password", "1234") == 204)
            #expect(!FileManager.default.fileExists(atPath: folder.path + "/database.key"))
            #expect(try await gateway.connectClient().call("GET", firstStorePath).json["protection"] == "appPassword")
        }
        try await LockableGateway.run(in: folder) { gateway in
            #expect(try await gateway.connectClient().call("GET", "/v1/users").json["code"] == "storeLocked")
            #expect(try await unlockStore(gateway).status == 422)
            #expect(try await unlockStore(gateway, "wrong").json["code"] == "wrongPassphrase")
            #expect(try await unlockStore(gateway, "1234").status == 200)
            #expect(try await countUsers(gateway) == 1)
            let place = firstStorePath + "/app-password"
            let client = try await gateway.connectClient()
            #expect(try await client.call("DELETE", place).status == 400)
            #expect(try await gateway.connectClient().call("DELETE", place, body: #"{"current":"1234"}"#).status == 400)
            let malformed = [("Current-Password", "%zz")]
            #expect(try await gateway.connectClient().call("DELETE", place, headers: malformed).status == 400)
            let current = [("Current-Password", "12%334")]
            #expect(try await gateway.connectClient().call("DELETE", place, headers: current).status == 204)
            #expect(FileManager.default.fileExists(atPath: folder.path + "/database.key"))
        }
        #expect(try await LockableGateway.run(in: folder) { try await countUsers($0) } == 1)
    }

    @Test
    func `If the key file is outside the data folder, the first store can be locked, but an app password gets 409`()
        async throws
    {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let file = folder.path + "/elsewhere"
        try "a passphrase\n".write(toFile: file, atomically: true, encoding: .utf8)
        try await LockableGateway.run(in: folder, keyFile: file) { gateway in
            _ = try await gateway.connectClient().createUser("first")
            #expect(try await setPassword(gateway, "app-password", "1234") == 409)
            try await lockStore(gateway)
            #expect(try await unlockStore(gateway).status == 200)
            #expect(try await countUsers(gateway) == 1)
        }
        #expect(try String(contentsOfFile: file, encoding: .utf8) == "a passphrase\n")
    }

    @Test
    func `The self-destruct password empties the first store and keeps the other stores`() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let other = try await LockableGateway.run(in: folder) { gateway in
            let admin = try await gateway.connectClient()
            _ = try await admin.createUser("first")
            let other = try #require(try await admin.post("/v1/stores", ["name": "Bob"]).json["key"]?.stringValue)
            _ = try await gateway.connectClient(other).createUser("bob")
            try FileManager.default.createDirectory(atPath: folder.path + "/files", withIntermediateDirectories: true)
            try Data("received".utf8).write(to: URL(fileURLWithPath: folder.path + "/files/received"))
            #expect(try await setPassword(gateway, "app-password", "1234") == 204)
            #expect(try await setPassword(gateway, "self-destruct-password", "666", current: "1234") == 204)
            let database = try Data(contentsOf: URL(fileURLWithPath: folder.path + "/simplex_v1_chat.db")).prefix(16)
            try await lockStore(gateway)
            let usual = try await unlockStore(gateway, "1234")
            #expect(try await countUsers(gateway) == 1)
            try await lockStore(gateway)
            let last = try await unlockStore(gateway, "666")
            #expect(last.status == usual.status && last.body == usual.body)
            #expect(try await countUsers(gateway) == 0)
            #expect(!FileManager.default.fileExists(atPath: folder.path + "/files/received"))
            #expect(
                try Data(contentsOf: URL(fileURLWithPath: folder.path + "/simplex_v1_chat.db")).prefix(16) != database
            )
            #expect(
                try await gateway.connectClient(other).call("GET", "/v1/users").json["users"]?.arrayValue?.count == 1
            )
            try await lockStore(gateway)
            #expect(try await unlockStore(gateway, "1234").status == 403)
            return other
        }
        try await LockableGateway.run(in: folder) { gateway in
            #expect(try await unlockStore(gateway, "1234").status == 403)
            #expect(try await unlockStore(gateway, "666").status == 200)
            _ = try await gateway.connectClient().createUser("somebody else")
            let bob = try await gateway.connectClient(other)
            try await bob.waitForStatus(200, at: "/v1/users")
        }
    }

    @Test
    func `A crash during the destruction of the first store leaves the store either unchanged or empty`() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let kept = Mutex<[(step: String, path: String)]>([])
        let keeps = Mutex(false)
        let keep: @Sendable (String) -> Void = { step in
            guard keeps.withLock({ $0 }) else { return }
            kept.withLock { kept in
                let path = "\(folder.path)-at-\(kept.count)"
                try? FileManager.default.copyItem(atPath: folder.path, toPath: path)
                kept.append((step, path))
            }
        }
        try await LockableGateway.run(in: folder, storing: { $0.onStep = keep }) { gateway in
            _ = try await gateway.connectClient().createUser("first")
            #expect(try await setPassword(gateway, "app-password", "1234") == 204)
            #expect(try await setPassword(gateway, "self-destruct-password", "666", current: "1234") == 204)
            keeps.withLock { $0 = true }
            #expect(try await unlockStore(gateway, "666").status == 200)
            keeps.withLock { $0 = false }
        }
        var isDecided = false
        for (step, path) in kept.withLock({ $0 }) {
            let copy = TemporaryFolder(path: path)
            defer { copy.remove() }
            let found = try await LockableGateway.run(in: copy) { gateway in
                let first = try await unlockStore(gateway, "1234").status
                let second = first == 200 ? 200 : try await unlockStore(gateway, "666").status
                let left = try FileManager.default.contentsOfDirectory(atPath: path + "/stores").count
                return [first, second, try await countUsers(gateway) ?? -1, left]
            }
            #expect(found == (isDecided ? [403, 200, 0, 0] : [200, 200, 1, 0]), "\(step)")
            if step == "decide on the new store" { isDecided = true }
        }
        #expect(isDecided)
        #expect(kept.withLock { $0.last?.step } == "the store is another one")
    }
}
