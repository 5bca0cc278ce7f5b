import Files
import TestSupport
import Testing

@testable import Gateway

@Suite struct StoreFenceTests {
    @Test("If another node has taken a store over, this node cannot change the record of the store")
    func record() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let place = StoreFolder(path: folder.path + "/store")
        try place.make()
        let record = StoreRecord(name: "Bob", created: 1, protection: .keyFile)
        try place.write(record)
        let store = Store("bob", place, record, hasAppPassword: false, UnlockDelay.Settings(first: 0, most: 0))
        store.set(nil, try WriteFence.claim(place.fence, token: 1) { true })
        try await store.change { $0.staysLocked = true }
        #expect(place.readRecord()?.staysLocked == true)
        _ = try WriteFence.claim(place.fence, token: 2) { true }
        await #expect(throws: WriteFence.Refusal.self) { try await store.change { $0.staysLocked = false } }
        #expect(place.readRecord()?.staysLocked == true && store.record.staysLocked && store.isLost)
    }
}
