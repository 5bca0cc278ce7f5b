import ChatCore
import Descriptors
import Foundation
import JSON
import Logging
import NIOPosix
import OutgoingHTTP
import SMP
import SimpleXCrypto
import Synchronization
import TestSupport
import Testing

@testable import Gateway

/// Tests that save the disk before each step of an operation, and start from each saved state, as after a crash.
@Suite("A crash at any step of creating, deleting or destroying a store", .socketTimeLimit, .faultTests)
struct StoreCrashTests {
    private final class DiskSnapshots: Sendable {
        let folder: String
        let snapshots = Mutex<[(step: String, path: String)]>([])
        let takesSnapshots = Mutex(false)

        init(_ folder: String) { self.folder = folder }

        func takeSnapshot(_ step: String) {
            guard takesSnapshots.withLock({ $0 }) else { return }
            snapshots.withLock { kept in
                let path = "\(folder)/at-\(kept.count)"
                try? FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
                try? FileManager.default.copyItem(atPath: folder + "/stores", toPath: path + "/stores")
                kept.append((step, path))
            }
        }
    }

    /// Starts a gateway in the folder. Returns the users of each store that can be opened, by the secret that opens it.
    private func startAndReadUsers(_ path: String, _ passwords: [String]) async throws -> [String: [String]] {
        var chat = ChatConfiguration(dataDirectory: path, databaseKey: .none, servers: [])
        chat.networkConfig = .standard
        var settings = StoreSettings(chat: chat, folder: path + "/stores")
        settings.appPasswordCost = .least
        settings.unlockDurationStepMicroseconds = 0
        settings.unlockDelay = UnlockDelay.Settings(initialMicroseconds: 0, maxMicroseconds: 0)
        let configuration = GatewayConfiguration(folder: path)
        let keys = try KeyRing(file: KeyFile(folder: path))
        let services = GatewayServices(
            configuration: configuration,
            core: MemoryCore(),
            keys: keys,
            tickets: TicketStore(),
            eventHub: EventHub(source: MemoryJournal()),
            modelHost: ModelHost(core: MemoryCore(), configuration: configuration),
            outgoingHTTP: try OutgoingHTTP(
                group: MultiThreadedEventLoopGroup.singleton,
                policy: AddressPolicy(),
                connections: Allowance(1),
                userAgent: "test"
            ),
            metrics: Metrics(),
            disks: GatewayDisks(configuration, nil),
            eventLoopGroup: MultiThreadedEventLoopGroup.singleton,
            unreadAnswers: UnreadAnswers(),
            clientRates: ClientRates(
                perKey: configuration.keyRequestsPerSecond,
                perAddress: configuration.addressRequestsPerSecond
            )
        )
        let log = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let host = try await StoreHost(settings, keys: keys, watch: nil, group: services.eventLoopGroup, log: log) {
            services.makeServices($0, id: $1, fence: $2, log: log)
        }
        var found: [String: [String]] = [:]
        for store in host.otherStores {
            for password in [nil] + passwords.map(Optional.some) {
                do throws(ProblemDetails) {
                    try await host.unlockStore(store, password.map { SecretBytes($0.utf8) })
                } catch { continue }
                break
            }
            let core = try #require(store.openedStore?.core, "the store exists but does not open")
            guard
                case .result(let response) = await core.runCommand(.users(.listUsers), as: nil, with: .all, claim: nil)
            else {
                Issue.record("the store does not answer")
                continue
            }
            let users = try JSONEncoder().encodeValue(response)["users"]?.arrayValue ?? []
            found[store.id] = users.compactMap { $0["user"]?["localDisplayName"]?.stringValue }
        }
        await host.beginStopping()
        await host.closeAllStores()
        // Each remaining name belongs to a store, so the crash has left no other file or folder.
        let names = (try? FileManager.default.contentsOfDirectory(atPath: path + "/stores")) ?? []
        #expect(Set(names) == Set(found.keys))
        return found
    }

    @Test(arguments: [nil, "passphrase"])
    func `A crash during the creation of a store leaves a complete store with its administrator's key, or no store`(
        passphrase: String?
    ) async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let disk = DiskSnapshots(folder.path)
        let store = try await RealGateway.run(in: folder, storing: { $0.onStep = disk.takeSnapshot }) { gateway in
            disk.takesSnapshots.withLock { $0 = true }
            return try await gateway.makeStore("Bob", passphrase: passphrase)
        }
        var isThere = false
        let kept = disk.snapshots.withLock { $0 }
        #expect(kept.count >= 6)
        for (step, path) in kept {
            let found = try await startAndReadUsers(path, passphrase.map { [$0] } ?? [])
            if step == "the store is there" { isThere = true }
            #expect(found == (isThere ? [store.id: []] : [:]), "\(step)")
            if isThere {
                #expect(
                    try KeyRing(file: #require(KeyFile(store: store.id, in: path))).findPrincipal(for: store.key) != nil
                )
            }
        }
        #expect(isThere)
    }

    @Test
    func `After a crash, a repeated request gets the first answer, or creates a missing store`() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let disk = DiskSnapshots(folder.path)
        let (key, body): ([(String, String)], JSONValue) = ([("Idempotency-Key", "one")], ["name": "Bob"])
        let first = try await RealGateway.run(in: folder, storing: { $0.onStep = disk.takeSnapshot }) { gateway in
            disk.takesSnapshots.withLock { $0 = true }
            return try await gateway.connectClient().post("/v1/stores", body, headers: key)
        }
        var isThere = false
        for (step, path) in disk.snapshots.withLock({ $0 }) {
            if step == "the store is there" { isThere = true }
            // The repeated request uses the same administrator key, which opens the stored answer.
            for file in ["keys.json", "admin.key"] {
                try FileManager.default.copyItem(atPath: "\(folder.path)/\(file)", toPath: "\(path)/\(file)")
            }
            try await RealGateway.run(in: TemporaryFolder(path: path)) { gateway in
                let again = try await gateway.connectClient().post("/v1/stores", body, headers: key)
                #expect(again.status == 201)
                #expect((again.body == first.body) == isThere, "\(step)")
                #expect(
                    try await gateway.connectClient().call("GET", "/v1/stores").json["stores"]?.arrayValue?.count == 2,
                    "\(step)"
                )
            }
        }
        #expect(isThere)
    }

    @Test
    func `A crash during the deletion of a store leaves the complete store or no store`() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let disk = DiskSnapshots(folder.path)
        let store = try await RealGateway.run(in: folder, storing: { $0.onStep = disk.takeSnapshot }) { gateway in
            let store = try await gateway.makeStore("Bob")
            _ = try await store.http.createUser("bob")
            disk.takesSnapshots.withLock { $0 = true }
            #expect(try await gateway.connectClient().call("DELETE", "/v1/stores/\(store.id)").status == 204)
            return store
        }
        let kept = disk.snapshots.withLock { $0 }
        #expect(
            kept.map(\.step) == [
                "take the name from the store", "destroy the keys", "remove the files", "the store is gone",
            ]
        )
        for (step, path) in kept {
            let found = try await startAndReadUsers(path, [])
            #expect(found == (step == "take the name from the store" ? [store.id: ["bob"]] : [:]), "\(step)")
        }
    }

    @Test
    func `A crash during the destruction of a store leaves either the old store or an empty store`() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let disk = DiskSnapshots(folder.path)
        let store = try await RealGateway.run(in: folder, storing: { $0.onStep = disk.takeSnapshot }) { gateway in
            let store = try await gateway.makeStore("Bob")
            _ = try await store.http.createUser("bob")
            let path = "/v1/stores/\(store.id)"
            #expect(try await store.http.put(path + "/app-password", ["password": "1234"]).status == 204)
            #expect(
                try await store.http.put(path + "/self-destruct-password", ["password": "666", "current": "1234"])
                    .status == 204
            )
            disk.takesSnapshots.withLock { $0 = true }
            #expect(try await gateway.unlockStore(store.id, "666").status == 200)
            return store
        }
        let kept = disk.snapshots.withLock { $0 }
        var isDecided = false
        for (step, path) in kept {
            let found = try await startAndReadUsers(path, isDecided ? ["1234", "666"] : ["1234"])
            #expect(found == [store.id: isDecided ? [] : ["bob"]], "\(step)")
            if step == "decide on the new store" { isDecided = true }
        }
        #expect(isDecided && kept.last?.step == "the store is another one")
    }

    @Test
    func `A folder that contains no store is neither listed as a store nor removed`() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let path = folder.path + "/stores"
        for name in ["lost+found", "abcdefghijkmnpq", "abcdefghijkmnpr"] {
            try FileManager.default.createDirectory(atPath: "\(path)/\(name)", withIntermediateDirectories: true)
        }
        try Data("{}".utf8).write(to: URL(fileURLWithPath: path + "/abcdefghijkmnpr/store.json"))
        try await RealGateway.run(in: folder) { gateway in
            let list = try await gateway.connectClient().call("GET", "/v1/stores").json["stores"]?.arrayValue
            #expect(list?.count == 1)
            #expect(try FileManager.default.contentsOfDirectory(atPath: path).count == 3)
        }
    }
}
