import Dispatch
import Synchronization
import TestSupport
import Testing

@testable import Files

@Suite struct FolderSyncTests {
    @Test func `Callers that request a sync of a folder during a running sync share the next sync`() async throws {
        let syncs = SyncCount()
        let (began, mayContinue) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let folder = FolderSync {
            // Only the first sync is delayed, so that the other callers wait during it.
            if syncs.value.add(1, ordering: .relaxed).oldValue == 0 {
                began.signal()
                mayContinue.wait()
            }
        }
        let all = DispatchGroup()
        DispatchQueue.global().async(group: all) { folder.waitForSync() }
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                began.wait()
                continuation.resume()
            }
        }
        for _ in 0..<5 { DispatchQueue.global().async(group: all) { folder.waitForSync() } }
        try await waitUntil("all callers have asked") { folder.callCount.load(ordering: .acquiring) == 6 }
        mayContinue.signal()
        await withCheckedContinuation { continuation in all.notify(queue: .global()) { continuation.resume() } }
        #expect(syncs.value.load(ordering: .relaxed) == 2)
    }
}

private final class SyncCount: Sendable {
    let value = Atomic(0)
}
