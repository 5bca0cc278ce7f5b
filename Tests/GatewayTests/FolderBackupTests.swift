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
    private final class Station: Sendable {
        /// Called while all writes are stopped.
        let atCut = Mutex<@Sendable () async throws -> Void>({})
        /// Whether the copying waits at this file until it is released.
        let holds = Mutex(false)
        private let isHeld = Mutex(false)
        private let released = DispatchSemaphore(value: 0)

        func file(in folder: TemporaryFolder) -> GrowingFile {
            GrowingFile(path: folder.path + "/station") { [self] in
                try await atCut.withLock { $0 }()
                return { [self] target in
                    hold()
                    try DiskFiles.create(target, [])
                }
            }
        }

        func hold() {
            guard holds.withLock({ $0 }) else { return }
            isHeld.withLock { $0 = true }
            released.wait()
        }

        func reached() async throws { try await eventually("the copying is held") { isHeld.withLock { $0 } } }
        func release() { released.signal() }
    }

    private func withGateway(_ body: (LockableGateway, Station, _ copy: String) async throws -> Void) async throws {
        let (folder, copies, station) = (try TemporaryFolder(), try TemporaryFolder(), Station())
        defer {
            folder.remove()
            copies.remove()
        }
        try await LockableGateway.run(in: folder, serving: { $0.growingFiles = [station.file(in: folder)] }) {
            // The station is also released if the test fails.
            defer { station.release() }
            try await body($0, station, copies.path + "/copy")
        }
    }

    private func backUp(_ gateway: LockableGateway, to copy: String) async throws -> HTTPClient.Answer {
        try await gateway.connectClient().post("/v1/backup", ["folder": .string(copy)])
    }

    private func newStore(
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
    private func holding(_ path: String, _ body: () async throws -> Void) async throws {
        guard let lock = try FileLock.tryAcquire(path) else { throw RawConnection.Failure.closed }
        try await body()
        withExtendedLifetime(lock) {}
    }

    /// Starts a gateway with a data folder, and returns the names of the profiles of each store.
    private func profiles(in folder: String, keys: [String?]) async throws -> [[String]] {
        try await LockableGateway.run(in: TemporaryFolder(path: folder)) { gateway in
            var all: [[String]] = []
            for key in keys {
                let client = try await gateway.connectClient(key)
                try await eventually("the store is open") { try await client.call("GET", "/v1/users").status == 200 }
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
            try DiskFiles.create(partial + "/files/junk", [1])
            let other = try await backUp(gateway, to: copy)
            #expect(other.status == 422 && other.text.contains(".partial"), "\(other.text)")
            #expect(DiskFiles.exists(partial + "/files/junk"))
            try await holding(mark) {
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
    func `A backup to a folder that cannot be created gets 422 with the reason`(parent: String) async throws {
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
    func `A store created during a backup is not in the backup`() async throws {
        try await withGateway { gateway, station, copy in
            _ = try await gateway.connectClient().createUser("alice")
            let (old, client) = try await newStore(gateway)
            let new = Mutex<String?>(nil)
            station.atCut.withLock {
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
            #expect(try await profiles(in: copy, keys: [nil, client.key]) == [["alice"], ["bob"]])
        }
    }

    @Test
    func `A store whose databases are being replaced is left out of a backup and named`() async throws {
        try await withGateway { gateway, _, copy in
            let (id, _) = try await newStore(gateway)
            let host = try #require(gateway.server.stores)
            let store = try host.requireStore(id)
            let opened = try #require(store.openedStore)
            try await host.lock(store)
            let ring = StoreKeyring(
                try #require(try FileKeyring(path: store.folder.databaseKeyPath).readMaterial()),
                file: nil
            )
            let door = WakeSignal()
            let controller = try await host.openCore(store.folder, ring, missing: .refuse)
            let core = StoreCore(controller, log: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }) {
                _ = await door.wait()
                return try await host.openCore(store.folder, ring, missing: .refuse)
            }
            _ = host.settings.openStoreLimit.take()
            store.setPhase(
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
            async let answer = core.send(.database(.deleteStorage), as: nil, with: .all, claim: nil)
            try await eventually("the databases are replaced") { core.controller?.databases == nil }
            let partial = try await backUp(gateway, to: copy)
            #expect(try partial.status == 201 && partial.json["leftOut"] == [.string(id)], "\(partial.text)")
            #expect(try !DiskFiles.exists(copy + "/stores/" + id) && CopyList.verifyFiles(copy))
            // Limits that are set meanwhile apply to the new databases.
            core.setLimits(StoreLimits([.items: 7]))
            door.signal()
            _ = await answer
            #expect(try await core.controller?.readStoreFigures().limits[.items] == 7)
            let whole = try await backUp(gateway, to: copy + "2")
            #expect(try whole.status == 201 && whole.json["leftOut"] == nil, "\(whole.text)")
        }
    }

    @Test
    func `A copy of the data folder gets a new event journal when it is opened for the first time`() async throws {
        try await withGateway { gateway, _, copy in
            let client = try await gateway.connectClient()
            _ = try await client.createUser("alice")
            _ = try await newStore(gateway)
            try DiskFiles.create(gateway.folder + FolderCopies.nodeFile, Array("node".utf8))
            let own = try epochs(gateway)
            #expect(try await backUp(gateway, to: copy).status == 201)
            #expect(try epochs(gateway) == own && Set(own).count == 2)
            #expect(!DiskFiles.exists(copy + FolderCopies.nodeFile))
            let first = try await LockableGateway.run(in: TemporaryFolder(path: copy)) { try await opened($0) }
            #expect(Set(first).isDisjoint(with: own))
            #expect(try await LockableGateway.run(in: TemporaryFolder(path: copy)) { try await opened($0) } == first)
            #expect(!DiskFiles.exists(copy + "/copied"))
        }
    }

    private func opened(_ gateway: LockableGateway) async throws -> [String] {
        try await eventually("the stores are open") {
            gateway.server.stores?.allStores.allSatisfy { $0.openedStore != nil } ?? false
        }
        return try epochs(gateway)
    }

    private func epochs(_ gateway: LockableGateway) throws -> [String] {
        try #require(gateway.server.stores).allStores.map { try #require($0.openedStore).services.events.epoch }
    }

    @Test
    func `A backup contains files whatever their names`() async throws {
        try await withGateway { gateway, _, copy in
            for name in ["film.partial", "simplex_v1_chat.db", ".hidden"] {
                try DiskFiles.makeFolder(gateway.folder + "/files")
                try DiskFiles.create(gateway.folder + "/files/" + name, Array(name.utf8))
            }
            #expect(try await backUp(gateway, to: copy).status == 201)
            for name in ["film.partial", "simplex_v1_chat.db", ".hidden"] {
                #expect(try DiskFiles.read(copy + "/files/" + name) == Array(name.utf8))
            }
        }
    }

    @Test
    func `A backup stopped by a shutdown leaves no copy`() async throws {
        try await withGateway { gateway, station, copy in
            let host = try #require(gateway.server.stores)
            station.holds.withLock { $0 = true }
            async let backup = backUp(gateway, to: copy)
            try await station.reached()
            #expect(try await backUp(gateway, to: copy + "2").status == 409)
            async let done: Void = host.quiesce()
            try await eventually("the backup is to end") { host.isStopped && host.backupSlot.isStopped() }
            station.release()
            let answer = try await backup
            #expect(answer.status == 503 && isNothing(at: copy), "\(answer.text)")
            await done
        }
    }

    @Test(arguments: ["lock", "delete"])
    func
        `A store that is locked or deleted during a backup does not wait for the other stores, and does not stop the backup`(
            by what: String
        ) async throws
    {
        try await withGateway { gateway, station, copy in
            _ = try await gateway.connectClient().createUser("alice")
            let (id, client) = try await newStore(gateway)
            let host = try #require(gateway.server.stores)
            let store = try host.requireStore(id)
            station.holds.withLock { $0 = true }
            async let backup = backUp(gateway, to: copy)
            // All stores are copied now, and the backup has not ended.
            try await station.reached()
            if what == "lock" { try await host.lock(store) } else { try await host.delete(store) }
            #expect(host.backupSlot.isUnderWay)
            station.release()
            let answer = try await backup
            #expect(try answer.status == 201 && answer.json["leftOut"] == nil, "\(answer.text)")
            #expect(DiskFiles.exists(copy + "/stores/" + id) == (what == "lock"))
            #expect(try CopyList.verifyFiles(copy))
            guard what == "lock" else { return }
            #expect(try await profiles(in: copy, keys: [nil, client.key]) == [["alice"], ["bob"]])
        }
    }

    /// Runs `body` with a gateway that calls `atStore` whenever a backup begins to copy a store.
    private func withStep(
        _ body: (LockableGateway, _ atStore: Step, _ copy: String) async throws -> Void
    ) async throws {
        let (folder, copies) = (try TemporaryFolder(), try TemporaryFolder())
        defer {
            folder.remove()
            copies.remove()
        }
        let step = Step()
        try await LockableGateway.run(
            in: folder,
            storing: { $0.onStep = { if $0 == "copy a store" { step.run() } } }
        ) { try await body($0, step, copies.path + "/copy") }
    }

    private final class Step: Sendable {
        private let action = Mutex<@Sendable () -> Void>({})

        func run() { action.withLock { $0 }() }
        func set(_ action: @escaping @Sendable () -> Void) { self.action.withLock { $0 = action } }
    }

    @Test(arguments: [1, 100])
    func
        `A store for which a backup gives way is copied after the others, and is left out and named at the second time`(
            times: Int
        ) async throws
    {
        try await withStep { gateway, atStore, copy in
            _ = try await gateway.connectClient().createUser("alice")
            let ((id, client), (_, other)) = (try await newStore(gateway), try await newStore(gateway))
            let host = try #require(gateway.server.stores)
            let left = Counter(times)
            // Each of these calls is a request for the lock of the store.
            atStore.set { if left.countDown() { host.backupSlot.giveWay(for: id) } }
            let answer = try await backUp(gateway, to: copy)
            atStore.set {}
            #expect(answer.status == 201, "\(answer.text)")
            #expect(try answer.json["leftOut"] == (times == 1 ? nil : [.string(id)]), "\(answer.text)")
            #expect(DiskFiles.exists(copy + "/stores/" + id) == (times == 1))
            #expect(try CopyList.verifyFiles(copy))
            let keys = times == 1 ? [nil, client.key, other.key] : [nil, other.key]
            let names = [["alice"]] + keys.dropFirst().map { _ in ["bob"] }
            #expect(try await profiles(in: copy, keys: keys) == names)
        }
    }

    private final class Counter: Sendable {
        private let left: Mutex<Int>

        init(_ count: Int) { left = Mutex(count) }

        /// Counts down; returns false when the count was zero.
        func countDown() -> Bool {
            left.withLock { left in
                defer { left = max(0, left - 1) }
                return left > 0
            }
        }
    }

    @Test(arguments: [1, 2])
    func `A store of nodes for which a backup gives way is copied again, or left out and named`(
        times: Int
    ) async throws {
        let (folder, shared, copies) = (try TemporaryFolder(), try TemporaryFolder(), try TemporaryFolder())
        defer { for one in [folder, shared, copies] { one.remove() } }
        let (step, copy) = (Step(), copies.path + "/copy")
        try await LockableGateway.run(
            in: folder,
            storing: {
                ($0.placement, $0.folder) = (FakePlacement(), shared.path)
                $0.onStep = { if $0 == "copy a store" { step.run() } }
            }
        ) { gateway in
            let ((id, _), (other, _)) = (try await newStore(gateway), try await newStore(gateway))
            let host = try #require(gateway.server.stores)
            let interruptions = Mutex(0)
            step.set {
                interruptions.withLock { count in
                    guard count < times else { return }
                    host.backupSlot.giveWay(for: id)
                    if host.backupSlot.isInterrupted(id) { count += 1 }
                }
            }
            let answer = try await backUp(gateway, to: copy)
            #expect(answer.status == 201 && interruptions.withLock { $0 } == times, "\(answer.text)")
            #expect(try answer.json["leftOut"] == (times == 1 ? nil : [.string(id)]), "\(answer.text)")
            #expect(try answer.json["elsewhere"] == [], "\(answer.text)")
            let copied = DiskFiles.listEntries(copy + "/stores").filter(StoreFolders.isID)
            #expect(Set(copied) == (times == 1 ? [id, other] : [other]))
            #expect(try CopyList.verifyFiles(copy))
            #expect(host.find(id)?.openedStore != nil)
        }
    }

    @Test
    func `A store that is not copied yet is locked at once during a backup, and is copied as a locked store`()
        async throws
    {
        try await withStep { gateway, atStore, copy in
            _ = try await gateway.connectClient().createUser("alice")
            for _ in 0..<5 { _ = try await newStore(gateway) }
            let host = try #require(gateway.server.stores)
            let begun = Mutex(0), isOpen = Mutex(false), waiting = Mutex<[Store]>([])
            atStore.set {
                begun.withLock { $0 += 1 }
                while !isOpen.withLock({ $0 }) { usleep(1_000) }
            }
            // The copying also goes on if the test fails.
            defer { isOpen.withLock { $0 = true } }
            async let backup = backUp(gateway, to: copy)
            try await eventually("two stores are being copied, and another one waits") {
                waiting.withLock { $0 = host.otherStores.filter { host.backupSlot.isLockHeld($0.id) } }
                return begun.withLock { $0 } >= 2 && waiting.withLock { !$0.isEmpty }
            }
            let store = try #require(waiting.withLock { $0.last })
            try await host.lock(store)
            #expect(host.backupSlot.isUnderWay && store.openedStore == nil)
            isOpen.withLock { $0 = true }
            let answer = try await backup
            #expect(try answer.status == 201 && answer.json["leftOut"] == nil, "\(answer.text)")
            #expect(DiskFiles.listEntries(copy + "/stores").filter(StoreFolders.isID).count == 5)
            #expect(DiskFiles.hasBytes(copy + "/stores/\(store.id)/simplex_v1_chat.db"))
        }
    }

    @Test
    func `Files of a store that is copied again stay on the disk until the other files are copied`() async throws {
        try await withGateway { gateway, station, copy in
            let (id, _) = try await newStore(gateway)
            let host = try #require(gateway.server.stores)
            let store = try host.requireStore(id)
            func keepsFiles() -> Bool {
                store.openedStore?.core.controller?.services.fileObjects.isHeld("any") ?? false
            }
            station.holds.withLock { $0 = true }
            // The store has other databases afterwards.
            station.atCut.withLock {
                $0 = {
                    try await host.lock(store)
                    try await host.unlock(store, nil)
                }
            }
            #expect(!keepsFiles())
            async let backup = backUp(gateway, to: copy)
            // All stores are copied now, and the other files are not.
            try await station.reached()
            #expect(keepsFiles())
            station.release()
            let answer = try await backup
            #expect(try answer.status == 201 && answer.json["leftOut"] == nil, "\(answer.text)")
            #expect(!keepsFiles())
        }
    }

    @Test
    func `A store is locked at once while a backup waits for locks, and is copied as a locked store`() async throws {
        try await withGateway { gateway, _, copy in
            for _ in 0..<2 { _ = try await newStore(gateway) }
            let host = try #require(gateway.server.stores)
            let (first, stores) = (try #require(host.firstStore), host.otherStores)
            let work = await stores[0].lifecycleLock.acquireTurn()
            let otherWork = await stores[1].lifecycleLock.acquireTurn()
            // The locks are also released if the test fails.
            defer {
                work.end()
                otherWork.end()
            }
            async let backup = backUp(gateway, to: copy)
            try await eventually("the backup waits for the next lock") { host.backupSlot.isLockHeld(first.id) }
            let locking = Task.immediate { try await host.lock(stores[0]) }
            work.end()
            try await eventually("the store is locked") { stores[0].openedStore == nil }
            #expect(host.backupSlot.isUnderWay)
            otherWork.end()
            try await locking.value
            let answer = try await backup
            #expect(try answer.status == 201 && answer.json["leftOut"] == nil, "\(answer.text)")
            #expect(DiskFiles.hasBytes(copy + "/stores/\(stores[0].id)/simplex_v1_chat.db"))
        }
    }

    @Test(
        arguments: ["copy the files of a store", "complete the copy"],
        ["lock", "delete", "destroy", "destroy locked", "another"]
    )
    func `The backup of a store leaves no copy if the store is locked, deleted or destroyed`(
        at step: String,
        by what: String
    ) async throws {
        let (folder, copies, station) = (try TemporaryFolder(), try TemporaryFolder(), Station())
        defer {
            folder.remove()
            copies.remove()
        }
        try await LockableGateway.run(in: folder, storing: { $0.onStep = { if $0 == step { station.hold() } } }) {
            gateway in
            // The station is also released if the test fails.
            defer { station.release() }
            let ((id, _), (other, _)) = (try await newStore(gateway), try await newStore(gateway))
            let host = try #require(gateway.server.stores)
            let store = try host.requireStore(id)
            if what.hasPrefix("destroy") {
                try await host.setAppPassword(SecretBytes(Array("open".utf8)), current: nil, of: store)
                try await host.setSelfDestructPassword(
                    SecretBytes(Array("destroy".utf8)),
                    current: SecretBytes(Array("open".utf8)),
                    of: store
                )
                if what == "destroy locked" { try await host.lock(store) }
            }
            station.holds.withLock { $0 = true }
            async let backup = gateway.connectClient().post(
                "/v1/backup",
                ["folder": .string(copies.path + "/copy"), "store": .string(id), "passphrase": "correct horse"]
            )
            try await station.reached()
            async let done: Void = {
                switch what {
                case "lock": try await host.lock(store)
                case "delete": try await host.delete(store)
                case "another": try await host.lock(host.requireStore(other))
                default: try await host.unlock(store, SecretBytes(Array("destroy".utf8)))
                }
            }()
            if what == "another" {
                try await done
            } else {
                try await eventually("the backup is to end") { host.backupSlot.isStopped() }
            }
            station.release()
            let answer = try await backup
            #expect(answer.status == (what == "another" ? 201 : 503), "\(answer.text)")
            #expect(DiskFiles.exists(copies.path + "/copy") == (what == "another"))
            if what != "another" { try await done }
            #expect(!DiskFiles.exists(gateway.folder + "/.backup") && !DiskFiles.exists(copies.path + "/copy.partial"))
        }
    }

    @Test
    func `A backup contains a locked first store, also if the store is unlocked during the backup`() async throws {
        try await withGateway { gateway, station, copy in
            let client = try await gateway.connectClient()
            _ = try await client.createUser("alice")
            #expect(try await client.post("/v1/stores/default/lock", [:]).status == 200)
            station.holds.withLock { $0 = true }
            async let backup = backUp(gateway, to: copy)
            try await station.reached()
            #expect(try await client.post("/v1/stores/default/unlock", [:]).status == 200)
            _ = try await client.createUser("later")
            station.release()
            let answer = try await backup
            #expect(answer.status == 201, "\(answer.text)")
            try await LockableGateway.run(in: TemporaryFolder(path: copy)) { restored in
                let client = try await restored.connectClient()
                #expect(try await client.post("/v1/stores/default/unlock", [:]).status == 200)
                let users = try await client.call("GET", "/v1/users").json["users"]?.arrayValue ?? []
                #expect(users.map { $0["user"]?["localDisplayName"] } == ["alice"])
            }
        }
    }
}
