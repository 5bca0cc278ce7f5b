import ChatStore
import Concurrency
import Files
import Foundation
import JSON
import Logging
import SimpleXCrypto
import Synchronization
import TestSupport
import Testing

@testable import ChatCore
@testable import Gateway

@Suite("Copies of the data folder", .socketTimeLimit)
struct FolderBackupTests {
    /// A file of the data folder with which a test observes and delays a backup.
    final class HoldingFile: Sendable {
        /// Called while all writes are stopped.
        let onCut = Mutex<@Sendable () async throws -> Void>({})
        /// Whether the copying waits at this file until it is released.
        let holdsCopying = Mutex(false)
        private let isHeld = Mutex(false)
        private let releaseSignal = DispatchSemaphore(value: 0)

        func makeFile(in folder: TemporaryFolder) -> GrowingFile {
            GrowingFile(path: folder.path + "/station") { [self] in
                try await onCut.withLock { $0 }()
                return { [self] target in
                    waitIfHeld()
                    try DiskFiles.createFile(target, [])
                }
            }
        }

        func waitIfHeld() {
            guard holdsCopying.withLock({ $0 }) else { return }
            isHeld.withLock { $0 = true }
            releaseSignal.wait()
        }

        func waitUntilHeld() async throws { try await waitUntil("the copying is held") { isHeld.withLock { $0 } } }
        func release() { releaseSignal.signal() }
    }

    func withGateway(_ body: (LockableGateway, HoldingFile, _ copy: String) async throws -> Void) async throws {
        let (folder, copies, station) = (try TemporaryFolder(), try TemporaryFolder(), HoldingFile())
        defer {
            folder.remove()
            copies.remove()
        }
        try await LockableGateway.run(in: folder, serving: { $0.growingFiles = [station.makeFile(in: folder)] }) {
            // The station is also released if the test fails.
            defer { station.release() }
            try await body($0, station, copies.path + "/copy")
        }
    }

    func backUp(_ gateway: LockableGateway, to copy: String) async throws -> HTTPClient.Answer {
        try await gateway.connectClient().post("/v1/backup", ["folder": .string(copy)])
    }

    func newStore(
        _ gateway: LockableGateway,
        headers: [(String, String)] = []
    ) async throws -> (id: String, client: HTTPClient) {
        let made = try await gateway.connectClient().post("/v1/stores", ["name": "Bob"], headers: headers).json
        let client = try await gateway.connectClient(made["key"]?.stringValue)
        _ = try await client.createUser("bob")
        return (try #require(made["store"]?["storeId"]?.stringValue), client)
    }

    @Test
    func `A backup below a missing folder is refused, and the problem names this folder`() async throws {
        try await withGateway { gateway, _, copy in
            let answer = try await backUp(gateway, to: copy + "/none/copy")
            #expect(answer.status == 422, "\(answer.text)")
            #expect(try answer.json["detail"]?.stringValue?.contains("no folder \(copy)/none.") == true)
        }
    }

    private func isNothing(at copy: String) -> Bool { !DiskFiles.exists(copy) && !DiskFiles.exists(copy + ".partial") }

    /// Runs `body` while this process holds the lock file at `path`.
    private func withLockFile(_ path: String, _ body: () async throws -> Void) async throws {
        guard let lock = try FileLock.tryAcquire(path) else { throw RawConnection.Failure.closed }
        try await body()
        withExtendedLifetime(lock) {}
    }

    /// Starts a gateway with a data folder, and returns the names of the profiles of each store.
    func readProfileNames(in folder: String, keys: [String?]) async throws -> [[String]] {
        try await LockableGateway.run(in: TemporaryFolder(path: folder)) { gateway in
            var all: [[String]] = []
            for key in keys {
                let client = try await gateway.connectClient(key)
                try await waitUntil("the store is open") { try await client.call("GET", "/v1/users").status == 200 }
                let users = try await client.call("GET", "/v1/users").json["users"]?.arrayValue ?? []
                all.append(users.compactMap { $0["user"]?["localDisplayName"]?.stringValue })
            }
            return all
        }
    }

    @Test
    func `The remains of an interrupted backup are replaced by the next backup`() async throws {
        try await withGateway { gateway, _, copy in
            let (partial, mark) = (copy + ".partial", copy + ".partial/.unfinished-backup")
            try DiskFiles.makeFolder(partial + "/files")
            try DiskFiles.createFile(partial + "/files/junk", [1])
            let other = try await backUp(gateway, to: copy)
            #expect(other.status == 422 && other.text.contains(".partial"), "\(other.text)")
            #expect(DiskFiles.exists(partial + "/files/junk"))
            try await withLockFile(mark) {
                let busy = try await backUp(gateway, to: copy)
                #expect(busy.status == 409 && DiskFiles.exists(partial + "/files/junk"), "\(busy.text)")
            }
            let made = try await backUp(gateway, to: copy)
            #expect(made.status == 201, "\(made.text)")
            #expect(
                !DiskFiles.exists(partial) && !DiskFiles.exists(copy + "/.unfinished-backup")
                    && !DiskFiles.exists(copy + "/files/junk")
            )
            try DiskFiles.makeFolder(copy + "2.partial")
            #expect(try await backUp(gateway, to: copy + "2").status == 201)
        }
    }

    @Test(arguments: ["/proc", "/etc/hostname", "/none"])
    func `A request for a backup to a folder that cannot be created gets 422 with the reason`(
        parent: String
    ) async throws {
        try await withGateway { gateway, _, _ in
            for name in ["copy", String(repeating: "a", count: 300)] {
                let answer = try await backUp(gateway, to: parent + "/" + name)
                #expect(
                    try answer.status == 422 && answer.json["code"] == "invalidValue" && answer.text.contains(parent),
                    "\(answer.text)"
                )
            }
        }
    }

    @Test
    func `A store that is created during a backup is not in the backup`() async throws {
        try await withGateway { gateway, station, copy in
            _ = try await gateway.connectClient().createUser("alice")
            let (old, client) = try await newStore(gateway)
            let new = Mutex<String?>(nil)
            station.onCut.withLock {
                $0 = {
                    let made = try await newStore(gateway, headers: [("Idempotency-Key", "k")])
                    new.withLock { $0 = made.id }
                }
            }
            let answer = try await backUp(gateway, to: copy)
            #expect(answer.status == 201, "\(answer.text)")
            let created = try #require(new.withLock { $0 })
            #expect(DiskFiles.listEntries(gateway.folder + "/stores").contains(created))
            #expect(DiskFiles.listEntries(copy + "/stores").filter { !$0.hasPrefix(".") } == [old])
            #expect(DiskFiles.listEntries(copy + "/stores/.requests").isEmpty)
            #expect(try await readProfileNames(in: copy, keys: [nil, client.key]) == [["alice"], ["bob"]])
        }
    }

    @Test
    func `A store whose databases are being replaced is left out of a backup, and the answer names the store`()
        async throws
    {
        try await withGateway { gateway, _, copy in
            let (id, _) = try await newStore(gateway)
            let host = try #require(gateway.server.stores)
            let store = try host.requireStore(id)
            let opened = try #require(store.openedStore)
            try await host.lockStore(store)
            let ring = StoreKeyring(
                try #require(try FileKeyring(path: store.folder.databaseKeyPath).readKeyMaterial()),
                file: nil
            )
            let door = WakeSignal()
            let controller = try await host.openCore(store.folder, ring, missing: .refuse)
            let core = StoreCore(controller, log: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }) {
                _ = await door.waitForSignal()
                return try await host.openCore(store.folder, ring, missing: .refuse)
            }
            _ = host.settings.openStoreLimit.takeUnit()
            store.changePhase(
                .unlocked(
                    OpenedStore(
                        services: opened.services,
                        core: core,
                        keyring: ring,
                        openStoreLimit: host.settings.openStoreLimit,
                        openingTask: Task {}
                    )
                )
            )
            async let answer = core.runCommand(.database(.deleteStorage), as: nil, with: .all, claim: nil)
            try await waitUntil("the databases are replaced") { core.controller?.databases == nil }
            let partial = try await backUp(gateway, to: copy)
            #expect(try partial.status == 201 && partial.json["leftOut"] == [.string(id)], "\(partial.text)")
            #expect(try !DiskFiles.exists(copy + "/stores/" + id) && CopyChecksums.verifyFiles(copy))
            // Limits that are set while the databases are replaced apply to the new databases too.
            core.setLimits(StoreLimits([.items: 7]))
            door.wake()
            _ = await answer
            #expect(try await core.controller?.readStoreFigures().limits[.items] == 7)
            let whole = try await backUp(gateway, to: copy + "2")
            #expect(try whole.status == 201 && whole.json["leftOut"] == nil, "\(whole.text)")
        }
    }

    @Test
    func `A copy of the data folder gets a new event journal at its first opening, and keeps this journal`()
        async throws
    {
        try await withGateway { gateway, _, copy in
            let client = try await gateway.connectClient()
            _ = try await client.createUser("alice")
            _ = try await newStore(gateway)
            try DiskFiles.createFile(gateway.folder + FolderCopies.nodeIDFile, Array("node".utf8))
            let own = try journalEpochs(gateway)
            #expect(try await backUp(gateway, to: copy).status == 201)
            #expect(try journalEpochs(gateway) == own && Set(own).count == 2)
            #expect(!DiskFiles.exists(copy + FolderCopies.nodeIDFile))
            let first = try await LockableGateway.run(in: TemporaryFolder(path: copy)) { try await waitUntilOpen($0) }
            #expect(Set(first).isDisjoint(with: own))
            #expect(
                try await LockableGateway.run(in: TemporaryFolder(path: copy)) { try await waitUntilOpen($0) } == first
            )
            #expect(!DiskFiles.exists(copy + "/copied"))
        }
    }

    private func waitUntilOpen(_ gateway: LockableGateway) async throws -> [String] {
        try await waitUntil("the stores are open") {
            gateway.server.stores?.allStores.allSatisfy { $0.openedStore != nil } ?? false
        }
        return try journalEpochs(gateway)
    }

    private func journalEpochs(_ gateway: LockableGateway) throws -> [String] {
        try #require(gateway.server.stores).allStores.map { try #require($0.openedStore).services.eventHub.epoch }
    }

    @Test
    func `A backup contains all files of chats, even with names like 'film.partial' or '.hidden'`() async throws {
        try await withGateway { gateway, _, copy in
            for name in ["film.partial", "simplex_v1_chat.db", ".hidden"] {
                try DiskFiles.makeFolder(gateway.folder + "/files")
                try DiskFiles.createFile(gateway.folder + "/files/" + name, Array(name.utf8))
            }
            #expect(try await backUp(gateway, to: copy).status == 201)
            for name in ["film.partial", "simplex_v1_chat.db", ".hidden"] {
                #expect(try DiskFiles.readFile(copy + "/files/" + name) == Array(name.utf8))
            }
        }
    }

    @Test
    func `If a shutdown of the gateway stops a backup, no copy remains`() async throws {
        try await withGateway { gateway, station, copy in
            let host = try #require(gateway.server.stores)
            station.holdsCopying.withLock { $0 = true }
            async let backup = backUp(gateway, to: copy)
            try await station.waitUntilHeld()
            #expect(try await backUp(gateway, to: copy + "2").status == 409)
            async let done: Void = host.beginStopping()
            try await waitUntil("the backup is to end") { host.isStopped && host.backupSlot.isStopped() }
            station.release()
            let answer = try await backup
            #expect(answer.status == 503 && isNothing(at: copy), "\(answer.text)")
            await done
        }
    }
}
