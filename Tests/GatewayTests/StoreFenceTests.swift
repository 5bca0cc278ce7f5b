import Concurrency
import Files
import TestSupport
import Testing

@testable import Gateway

@Suite struct StoreFenceTests {
    private func makeStore(_ folder: TemporaryFolder) throws -> (store: Store, place: StoreFolder) {
        let place = StoreFolder(path: folder.path + "/store")
        try place.makeFolders()
        let record = StoreRecord(name: "Bob", created: 1, protection: .keyFile)
        try place.writeRecord(record)
        return (
            Store(
                "bob",
                place,
                record,
                hasAppPassword: false,
                UnlockDelay.Settings(initialMicroseconds: 0, maxMicroseconds: 0)
            ), place
        )
    }

    @Test
    func `While a request schedules a message, the store stays open, even if a check finds no planned message`()
        async throws
    {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let (store, place) = try makeStore(folder)
        #expect(await store.recordWhetherStaysOpen { true } && place.readRecord()?.staysOpen == true)
        let (begun, door) = (WakeSignal(), WakeSignal())
        async let isWanted = store.recordWhetherStaysOpen {
            begun.wake()
            return await !door.waitForSignal()
        }
        _ = await begun.waitForSignal()
        // The databases were read before the request begins, and the result is written during the request.
        async let planning = store.beginPlanning(nil)
        try await waitUntil("the request has begun") { store.isPlanning }
        door.wake()
        let kept = await (isWanted, planning)
        #expect(!kept.0 && store.record.staysOpen == true && place.readRecord()?.staysOpen == true)
        // While the request runs, the store stays open even if the databases contain no planned message.
        #expect(await store.recordWhetherStaysOpen { false })
        withExtendedLifetime(kept) {}
    }

    @Test
    func `After a request to schedule a message, a store stays open only if its databases have a planned message`()
        async throws
    {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let (store, place) = try makeStore(folder)
        _ = await store.beginPlanning(nil)
        #expect(store.begunPlanningCount == 1 && place.readRecord()?.staysOpen == true)
        #expect(await !store.recordWhetherStaysOpen { false })
        #expect(place.readRecord()?.staysOpen == false)
    }

    @Test
    func `Concurrent changes of a store's record are written one after the other`() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let (store, place) = try makeStore(folder)
        let (begun, door) = (WakeSignal(), WakeSignal())
        async let first: Void = store.changeRecord { record in
            begun.wake()
            _ = await door.waitForSignal()
            record.staysOpen = true
        }
        _ = await begun.waitForSignal()
        async let second: Void = store.changeRecord { $0.staysLocked = true }
        door.wake()
        _ = try await (first, second)
        #expect(place.readRecord() == store.record && store.record.staysLocked && store.record.staysOpen == true)
    }

    @Test
    func `A request to schedule a message cannot mark a store as open after another node has taken over the store`()
        async throws
    {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let (store, place) = try makeStore(folder)
        let fence = try WriteFence.claimFiles(place.fencePath, token: 1) { true }
        _ = try WriteFence.claimFiles(place.fencePath, token: 2) { true }
        // The store was released meanwhile and claimed by another node, so this node may not write its record.
        _ = await store.beginPlanning(fence)
        #expect(place.readRecord()?.staysOpen == nil && store.record.staysOpen == nil)
    }

    @Test
    func `A node cannot change the record of a store after another node has taken over the store`() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let (store, place) = try makeStore(folder)
        store.setLease(nil, try WriteFence.claimFiles(place.fencePath, token: 1) { true })
        try await store.changeRecord { $0.staysLocked = true }
        #expect(place.readRecord()?.staysLocked == true)
        _ = try WriteFence.claimFiles(place.fencePath, token: 2) { true }
        await #expect(throws: WriteFence.Refusal.self) { try await store.changeRecord { $0.staysLocked = false } }
        #expect(place.readRecord()?.staysLocked == true && store.record.staysLocked && store.isLeaseLost)
    }
}
