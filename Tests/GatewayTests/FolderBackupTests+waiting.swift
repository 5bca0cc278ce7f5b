import Concurrency
import Files
import Foundation
import JSON
import SimpleXCrypto
import Synchronization
import Testing
import TestSupport

@testable import ChatCore
@testable import Gateway

/// Backups while stores are locked, unlocked and deleted.
extension FolderBackupTests {
    @Test(arguments: ["lock", "delete"])
    func `The lock or deletion of a store during a backup waits for no other store, and does not stop the backup`(
        by what: String
    ) async throws {
        try await withGateway { gateway, station, copy in
            _ = try await gateway.connectClient().createUser("alice")
            let (id, client) = try await newStore(gateway)
            let host = try #require(gateway.server.stores)
            let store = try host.requireStore(id)
            station.holdsCopying.withLock { $0 = true }
            async let backup = backUp(gateway, to: copy)
            // At this point all stores are copied, and the backup has not ended.
            try await station.waitUntilHeld()
            if what == "lock" { try await host.lockStore(store) } else { try await host.deleteStore(store) }
            #expect(host.backupSlot.isBackupUnderWay)
            station.release()
            let answer = try await backup
            #expect(try answer.status == 201 && answer.json["leftOut"] == nil, "\(answer.text)")
            #expect(DiskFiles.exists(copy + "/stores/" + id) == (what == "lock"))
            #expect(try CopyChecksums.verifyFiles(copy))
            guard what == "lock" else { return }
            #expect(try await readProfileNames(in: copy, keys: [nil, client.key]) == [["alice"], ["bob"]])
        }
    }

    /// Runs `body` with a gateway that calls `atStore` whenever a backup begins to copy a store.
    private func withCopyStep(
        _ body: (LockableGateway, _ atStore: CopyStep, _ copy: String) async throws -> Void
    ) async throws {
        let (folder, copies) = (try TemporaryFolder(), try TemporaryFolder())
        defer {
            folder.remove()
            copies.remove()
        }
        let step = CopyStep()
        try await LockableGateway.run(
            in: folder,
            storing: { $0.onStep = { if $0 == "copy a store" { step.run() } } }
        ) { try await body($0, step, copies.path + "/copy") }
    }

    private final class CopyStep: Sendable {
        private let action = Mutex<@Sendable () -> Void>({})

        func run() { action.withLock { $0 }() }
        func setAction(_ action: @escaping @Sendable () -> Void) { self.action.withLock { $0 = action } }
    }

    @Test(arguments: [1, 100])
    func `A store that is requested during its copying is copied after the others, and left out at a second request`(
        times: Int
    ) async throws {
        try await withCopyStep { gateway, atStore, copy in
            _ = try await gateway.connectClient().createUser("alice")
            let ((id, client), (_, other)) = (try await newStore(gateway), try await newStore(gateway))
            let host = try #require(gateway.server.stores)
            let left = Countdown(times)
            // Each of these calls is a request for the lock of the store.
            atStore.setAction { if left.countDown() { host.backupSlot.giveWay(for: id) } }
            let answer = try await backUp(gateway, to: copy)
            atStore.setAction {}
            #expect(answer.status == 201, "\(answer.text)")
            #expect(try answer.json["leftOut"] == (times == 1 ? nil : [.string(id)]), "\(answer.text)")
            #expect(DiskFiles.exists(copy + "/stores/" + id) == (times == 1))
            #expect(try CopyChecksums.verifyFiles(copy))
            let keys = times == 1 ? [nil, client.key, other.key] : [nil, other.key]
            let names = [["alice"]] + keys.dropFirst().map { _ in ["bob"] }
            #expect(try await readProfileNames(in: copy, keys: keys) == names)
        }
    }

    private final class Countdown: Sendable {
        private let remainingCount: Mutex<Int>

        init(_ count: Int) { remainingCount = Mutex(count) }

        /// Counts down; returns false when the count was zero.
        func countDown() -> Bool {
            remainingCount.withLock { left in
                defer { left = max(0, left - 1) }
                return left > 0
            }
        }
    }

    @Test(arguments: [1, 2])
    func `On a node, a store that is requested during its copying is copied again, and left out at a second request`(
        times: Int
    ) async throws {
        let (folder, shared, copies) = (try TemporaryFolder(), try TemporaryFolder(), try TemporaryFolder())
        defer { for one in [folder, shared, copies] { one.remove() } }
        let (step, copy) = (CopyStep(), copies.path + "/copy")
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
            step.setAction {
                interruptions.withLock { count in
                    guard count < times else { return }
                    host.backupSlot.giveWay(for: id)
                    if host.backupSlot.isCopyInterrupted(id) { count += 1 }
                }
            }
            let answer = try await backUp(gateway, to: copy)
            #expect(answer.status == 201 && interruptions.withLock { $0 } == times, "\(answer.text)")
            #expect(try answer.json["leftOut"] == (times == 1 ? nil : [.string(id)]), "\(answer.text)")
            #expect(try answer.json["elsewhere"] == [], "\(answer.text)")
            let copied = DiskFiles.listEntries(copy + "/stores").filter(StoreID.isID)
            #expect(Set(copied) == (times == 1 ? [id, other] : [other]))
            #expect(try CopyChecksums.verifyFiles(copy))
            #expect(host.findStore(id)?.openedStore != nil)
        }
    }

    @Test
    func `During a backup, a store that is not copied yet can be locked at once, and is copied as a locked store`()
        async throws
    {
        try await withCopyStep { gateway, atStore, copy in
            _ = try await gateway.connectClient().createUser("alice")
            for _ in 0..<5 { _ = try await newStore(gateway) }
            let host = try #require(gateway.server.stores)
            let begun = Mutex(0), isOpen = Mutex(false), waiting = Mutex<[Store]>([])
            atStore.setAction {
                begun.withLock { $0 += 1 }
                while !isOpen.withLock({ $0 }) { usleep(1_000) }
            }
            // The copying must also go on if the test fails, since the gateway waits for it.
            defer { isOpen.withLock { $0 = true } }
            async let backup = backUp(gateway, to: copy)
            try await waitUntil("two stores are being copied, and another one waits") {
                waiting.withLock { $0 = host.otherStores.filter { host.backupSlot.isLockHeld($0.id) } }
                return begun.withLock { $0 } >= 2 && waiting.withLock { !$0.isEmpty }
            }
            let store = try #require(waiting.withLock { $0.last })
            try await host.lockStore(store)
            #expect(host.backupSlot.isBackupUnderWay && store.openedStore == nil)
            isOpen.withLock { $0 = true }
            let answer = try await backup
            #expect(try answer.status == 201 && answer.json["leftOut"] == nil, "\(answer.text)")
            #expect(DiskFiles.listEntries(copy + "/stores").filter(StoreID.isID).count == 5)
            #expect(DiskFiles.hasBytes(copy + "/stores/\(store.id)/simplex_v1_chat.db"))
        }
    }

    @Test
    func `While a backup copies a store again, files of the store stay on the disk until all files are copied`()
        async throws
    {
        try await withGateway { gateway, station, copy in
            let (id, _) = try await newStore(gateway)
            let host = try #require(gateway.server.stores)
            let store = try host.requireStore(id)
            func keepsFiles() -> Bool {
                store.openedStore?.core.controller?.services.fileObjects.isHeld("any") ?? false
            }
            station.holdsCopying.withLock { $0 = true }
            // The store is locked and unlocked while it is copied. Its databases are then opened again, so it is
            // copied again.
            station.onCut.withLock {
                $0 = {
                    try await host.lockStore(store)
                    try await host.unlockStore(store, nil)
                }
            }
            #expect(!keepsFiles())
            async let backup = backUp(gateway, to: copy)
            // At this point all stores are copied, and the other files are not.
            try await station.waitUntilHeld()
            #expect(keepsFiles())
            station.release()
            let answer = try await backup
            #expect(try answer.status == 201 && answer.json["leftOut"] == nil, "\(answer.text)")
            #expect(!keepsFiles())
        }
    }

    @Test
    func `While a backup waits for other stores, a store can be locked at once, and is copied as a locked store`()
        async throws
    {
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
            try await waitUntil("the backup waits for the next lock") { host.backupSlot.isLockHeld(first.id) }
            let locking = Task.immediate { try await host.lockStore(stores[0]) }
            work.end()
            try await waitUntil("the store is locked") { stores[0].openedStore == nil }
            #expect(host.backupSlot.isBackupUnderWay)
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
        let (folder, copies, station) = (try TemporaryFolder(), try TemporaryFolder(), HoldingFile())
        defer {
            folder.remove()
            copies.remove()
        }
        try await LockableGateway.run(in: folder, storing: { $0.onStep = { if $0 == step { station.waitIfHeld() } } }) {
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
                if what == "destroy locked" { try await host.lockStore(store) }
            }
            station.holdsCopying.withLock { $0 = true }
            async let backup = gateway.connectClient().post(
                "/v1/backup",
                ["folder": .string(copies.path + "/copy"), "store": .string(id), "passphrase": "correct horse"]
            )
            try await station.waitUntilHeld()
            async let done: Void = {
                switch what {
                case "lock": try await host.lockStore(store)
                case "delete": try await host.deleteStore(store)
                case "another": try await host.lockStore(host.requireStore(other))
                default: try await host.unlockStore(store, SecretBytes(Array("destroy".utf8)))
                }
            }()
            if what == "another" {
                try await done
            } else {
                try await waitUntil("the backup is to end") { host.backupSlot.isStopped() }
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
    func `A backup of a locked first store contains no changes that are made after an unlock during the backup`()
        async throws
    {
        try await withGateway { gateway, station, copy in
            let client = try await gateway.connectClient()
            _ = try await client.createUser("alice")
            #expect(try await client.post("/v1/stores/default/lock", [:]).status == 200)
            station.holdsCopying.withLock { $0 = true }
            async let backup = backUp(gateway, to: copy)
            try await station.waitUntilHeld()
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
