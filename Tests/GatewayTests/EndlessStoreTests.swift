import ChatCore
import Files
import JSON
import SQLCipher
import TestSupport
import Testing

@testable import Concurrency
@testable import Gateway

@Suite("Stores with SQL statements that never end", .socketTimeLimit) struct EndlessStoreTests {
    enum StoreEnding: CaseIterable { case lock, delete, stop }

    private static let endlessQuery = "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT x FROM c"
    /// SQL that makes the creation of a profile run without end.
    private static let endlessCommand = """
        CREATE TRIGGER endless AFTER INSERT ON users BEGIN SELECT count(*) FROM (\(endlessQuery)); END
        """
    /// SQL that makes the opening of the store run without end.
    private static let endlessOpening = """
        ALTER TABLE users RENAME TO former;
        CREATE VIEW users AS SELECT former.* FROM (\(endlessQuery)) AS c LEFT JOIN former ON 0 WHERE c.x < 0
        """

    private static let setShortTimeout: @Sendable (inout StoreSettings) -> Void = {
        $0.storeClosingTimeout = .milliseconds(50)
    }

    private struct MadeStore {
        let id: String
        let key: String
        let folder: String

        var openingCrashes: CrashCount { CrashCount(path: folder + "/openings") }
    }

    /// Makes stores, and then changes the chat databases of some stores while no gateway runs.
    private func makeStores(
        _ names: [String],
        in folder: TemporaryFolder,
        changing: [String],
        _ script: String
    ) async throws -> [MadeStore] {
        let stores = try await LockableGateway.run(in: folder) { gateway in
            let manager = try await gateway.connectClient()
            var stores: [MadeStore] = []
            for name in names {
                let answer = try await manager.post("/v1/stores", ["name": .string(name)]).json
                let id = try #require(answer["store"]?["storeId"]?.stringValue)
                let key = try #require(answer["key"]?.stringValue)
                stores.append(MadeStore(id: id, key: key, folder: "\(folder.path)/stores/\(id)"))
            }
            return stores
        }
        for (name, store) in zip(names, stores) where changing.contains(name) {
            let key = try #require(try FileKeyring(path: store.folder + "/database.key").readKeyMaterial())
            let database = try await Database.open(
                at: store.folder + "/simplex_v1_chat.db",
                key: .sealed(key),
                create: false,
                migrates: false
            )
            try await database.write { db in try db.executeScript(script) }
            await database.close()
        }
        return stores
    }

    private func endStore(_ store: MadeStore, to end: StoreEnding, _ gateway: LockableGateway) async throws {
        switch end {
        case .lock:
            let answer = try await gateway.connectClient().post("/v1/stores/\(store.id)/lock", [:])
            #expect(try answer.json["state"] == "locked")
        case .delete: #expect(try await gateway.connectClient().call("DELETE", "/v1/stores/\(store.id)").status == 204)
        case .stop: break
        }
    }

    private func expectServed(_ store: MadeStore, _ gateway: LockableGateway) async throws {
        let client = try await gateway.connectClient(store.key)
        try await client.waitForStatus(200, at: "/v1/users")
        _ = try await client.createUser("alice")
    }

    @Test(arguments: StoreEnding.allCases)
    func `A store can be locked or deleted, and the gateway stopped, while a command of the store never ends`(
        end: StoreEnding
    ) async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let stores = try await makeStores(["bad", "good"], in: folder, changing: ["bad"], Self.endlessCommand)
        let request = try await LockableGateway.run(in: folder, storing: Self.setShortTimeout) { gateway in
            let client = try await gateway.connectClient(stores[0].key)
            try await client.waitForStatus(200, at: "/v1/users")
            let profile: JSONValue = ["displayName": "alice", "fullName": ""]
            let request = Task { try? await client.post("/v1/users", ["profile": profile]) }
            let store = try #require(gateway.server.stores?.findStore(stores[0].id))
            try await waitUntil("the command runs") { store.openedStore?.core.runningRequests.isRunning == true }
            try await expectServed(stores[1], gateway)
            try await endStore(stores[0], to: end, gateway)
            return request
        }
        let status = await request.value?.status
        #expect(status != 201)
    }

    @Test(arguments: StoreEnding.allCases)
    func `A store can be locked or deleted, and the gateway stopped, while the opening of the store never ends`(
        end: StoreEnding
    ) async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let stores = try await makeStores(["bad", "good"], in: folder, changing: ["bad"], Self.endlessOpening)
        try await LockableGateway.run(in: folder, storing: Self.setShortTimeout) { gateway in
            try await waitUntil("the store is being opened") { DiskFiles.exists(stores[0].openingCrashes.path) }
            try await expectServed(stores[1], gateway)
            try await endStore(stores[0], to: end, gateway)
        }
        // The process has survived the opening, so no crash is counted.
        #expect(!DiskFiles.exists(stores[0].openingCrashes.path))
    }

    @Test
    func `A gateway stops even while a backup waits for a store whose opening never ends`() async throws {
        let (folder, copies) = (try TemporaryFolder(), try TemporaryFolder())
        defer {
            folder.remove()
            copies.remove()
        }
        let stores = try await makeStores(["bad"], in: folder, changing: ["bad"], Self.endlessOpening)
        let request = try await LockableGateway.run(in: folder, storing: Self.setShortTimeout) { gateway in
            try await waitUntil("the store is being opened") { DiskFiles.exists(stores[0].openingCrashes.path) }
            let store = try #require(gateway.server.stores?.findStore(stores[0].id))
            let client = try await gateway.connectClient()
            let body: JSONValue = ["folder": .string(copies.path + "/copy"), "store": .string(store.id)]
            let request = Task { try? await client.post("/v1/backup", body) }
            try await waitUntil("the backup waits for the store") { store.lifecycleLock.waitingCount == 1 }
            return request
        }
        let status = await request.value?.status
        #expect(status != 201 && !DiskFiles.exists(copies.path + "/copy"))
    }

    @Test
    func `Stores whose opening has crashed the process before are opened one at a time`() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let stores = try await makeStores(
            ["one", "other"],
            in: folder,
            changing: ["one", "other"],
            Self.endlessOpening
        )
        for store in stores { try DiskFiles.replaceFile(store.openingCrashes.path, with: [0]) }
        try await LockableGateway.run(in: folder, storing: Self.setShortTimeout) { gateway in
            let host = try #require(gateway.server.stores)
            try await waitUntil("one store waits for the other store") { host.crashedStoreLock.waitingCount == 1 }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for store in stores { group.addTask { try await endStore(store, to: .lock, gateway) } }
                try await group.waitForAll()
            }
        }
        #expect(stores.allSatisfy { !DiskFiles.exists($0.openingCrashes.path) })
    }
}
