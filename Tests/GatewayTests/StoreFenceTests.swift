import Concurrency
import Files
import TestSupport
import Testing

@testable import Gateway

@Suite struct StoreFenceTests {
    private func make(_ folder: TemporaryFolder) throws -> (store: Store, place: StoreFolder) {
        let place = StoreFolder(path: folder.path + "/store")
        try place.make()
        let record = StoreRecord(name: "Bob", created: 1, protection: .keyFile)
        try place.write(record)
        return (Store("bob", place, record, hasAppPassword: false, UnlockDelay.Settings(first: 0, most: 0)), place)
    }

    @Test
    func `A request that plans messages keeps a store open, even if an older check found no planned messages`()
        async throws
    {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let (store, place) = try make(folder)
        #expect(await store.noteWanted { true } && place.readRecord()?.staysOpen == true)
        let (begun, door) = (WakeSignal(), WakeSignal())
        async let isWanted = store.noteWanted {
            begun.signal()
            return await !door.wait()
        }
        _ = await begun.wait()
        // The databases are read before the request, and the result is written during the request.
        async let planning = store.planning(nil)
        try await eventually("the request has begun") { store.isPlanning }
        door.signal()
        let kept = await (isWanted, planning)
        #expect(!kept.0 && store.record.staysOpen == true && place.readRecord()?.staysOpen == true)
        // While the request runs, the store stays open even if the databases contain no planned message.
        #expect(await store.noteWanted { false })
        withExtendedLifetime(kept) {}
    }

    @Test
    func `After the request that plans messages, the databases decide whether a store stays open`() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let (store, place) = try make(folder)
        _ = await store.planning(nil)
        #expect(store.plansBegun == 1 && place.readRecord()?.staysOpen == true)
        #expect(await !store.noteWanted { false })
        #expect(place.readRecord()?.staysOpen == false)
    }

    @Test
    func `Concurrent changes of a store's record are written one after the other`() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let (store, place) = try make(folder)
        let (begun, door) = (WakeSignal(), WakeSignal())
        async let first: Void = store.change { record in
            begun.signal()
            _ = await door.wait()
            record.staysOpen = true
        }
        _ = await begun.wait()
        async let second: Void = store.change { $0.staysLocked = true }
        door.signal()
        _ = try await (first, second)
        #expect(place.readRecord() == store.record && store.record.staysLocked && store.record.staysOpen == true)
    }

    @Test
    func `A request cannot mark a store as open after another node has taken over the store`() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let (store, place) = try make(folder)
        let fence = try WriteFence.claim(place.fence, token: 1) { true }
        _ = try WriteFence.claim(place.fence, token: 2) { true }
        // The store was released meanwhile, and has no fence of this node.
        _ = await store.planning(fence)
        #expect(place.readRecord()?.staysOpen == nil && store.record.staysOpen == nil)
    }

    @Test
    func `A node cannot change the record of a store after another node has taken over the store`() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let (store, place) = try make(folder)
        store.set(nil, try WriteFence.claim(place.fence, token: 1) { true })
        try await store.change { $0.staysLocked = true }
        #expect(place.readRecord()?.staysLocked == true)
        _ = try WriteFence.claim(place.fence, token: 2) { true }
        await #expect(throws: WriteFence.Refusal.self) { try await store.change { $0.staysLocked = false } }
        #expect(place.readRecord()?.staysLocked == true && store.record.staysLocked && store.isLost)
    }
}
