import Synchronization
import Testing

@testable import Gateway

@Suite("State of the running backup") struct BackupSlotTests {
    /// Counts the releases of the lock of a store.
    private final class ReleaseCounter: Sendable {
        let releaseCount = Mutex(0)
        @Sendable func release() { releaseCount.withLock { $0 += 1 } }
        var count: Int { releaseCount.withLock { $0 } }
    }

    private func makeSlot(of store: String? = nil) -> BackupSlot {
        let slot = BackupSlot()
        #expect(slot.begin(of: store) && !slot.begin())
        return slot
    }

    @Test
    func `If a request needs a store that is not copied yet, the backup releases the async lock of the store`() throws {
        let (slot, lock, further) = (makeSlot(), ReleaseCounter(), ReleaseCounter())
        #expect(try slot.recordLockHeld("a", release: lock.release))
        #expect(slot.addReleaseStep("a", further.release) && slot.isLockHeld("a"))
        slot.giveWay(for: "b")
        #expect(lock.count == 0)
        slot.giveWay(for: "a")
        #expect(lock.count == 1 && further.count == 1 && !slot.isStopped())
        #expect(try !slot.beginStoreCopy(of: "a") && !slot.addReleaseStep("a", further.release))
    }

    @Test
    func `A lock request stops the copying of a store, an unlock request only if the backup holds the async lock`()
        async throws
    {
        let (slot, lock) = (makeSlot(), ReleaseCounter())
        #expect(try slot.recordLockHeld("a", release: lock.release))
        #expect(try slot.beginStoreCopy(of: "a"))
        let mayContinue = slot.mayContinue(of: "a")
        slot.releaseTurn(of: "a")
        slot.giveWay(for: "a", isForTurn: true)
        #expect(lock.count == 1 && mayContinue())
        slot.giveWay(for: "a")
        #expect(!mayContinue() && slot.isCopyInterrupted("a") && slot.mayContinue())
        let waiting = Task.immediate { await slot.stopCopying(of: "a") }
        slot.endStoreCopy(of: "a")
        await waiting.value
        #expect(lock.count == 1 && !slot.isCopyInterrupted("a"))
        #expect(try slot.recordLockHeld("b", release: lock.release))
        #expect(try slot.beginStoreCopy(of: "b"))
        slot.giveWay(for: "b", isForTurn: true)
        #expect(slot.isCopyInterrupted("b") && lock.count == 1)
        slot.endStoreCopy(of: "b")
        #expect(lock.count == 2)
    }

    @Test
    func `If a request needs a store while a backup waits for the store's async lock, the store is not copied`() throws
    {
        let (slot, lock) = (makeSlot(), ReleaseCounter())
        try slot.recordTurnWait(of: "a")
        slot.giveWay(for: "a", isForTurn: true)
        #expect(try !slot.recordTurnTaken(of: "a", release: lock.release))
        try slot.recordTurnWait(of: "a")
        #expect(try slot.recordTurnTaken(of: "a", release: lock.release) && slot.beginStoreCopy(of: "a"))
        slot.endStoreCopy(of: "a")
        #expect(lock.count == 1)
    }

    @Test(arguments: [true, false])
    func `If a request needs a store while a backup collects async locks, the backup does not lock this store`(
        isForTurn: Bool
    ) throws {
        let (slot, lock) = (makeSlot(), ReleaseCounter())
        try slot.recordLockWait(of: "a")
        slot.giveWay(for: "b", isForTurn: isForTurn)
        #expect(try slot.recordLockHeld("a", release: lock.release))
        try slot.recordLockWait(of: "b")
        slot.giveWay(for: "b", isForTurn: isForTurn)
        #expect(try !slot.recordLockHeld("b", release: lock.release) && !slot.isLockHeld("b"))
        #expect(slot.isLockHeld("a") && lock.count == 0)
        try slot.recordLockWait(of: "c")
        #expect(try slot.recordLockHeld("c", release: lock.release))
    }

    @Test
    func `A backup of a single store is stopped by a request for this store, but not by a request for a second store`()
        throws
    {
        let slot = makeSlot(of: "a")
        slot.giveWay(for: "b")
        try slot.recordTurnWait(of: "a")
        #expect(try slot.recordTurnTaken(of: "a") {} && slot.beginStoreCopy(of: "a"))
        slot.releaseTurn(of: "a")
        slot.giveWay(for: "a", isForTurn: true)
        #expect(!slot.isStopped())
        slot.giveWay(for: "a")
        #expect(slot.isStopped())
        #expect(throws: CancellationError.self) { try slot.beginCopying() }
    }

    @Test
    func `Each store that is emptied or deleted during a backup is reported to the backup exactly once`() {
        let slot = BackupSlot()
        slot.recordEmptiedStore("a")
        #expect(slot.begin())
        #expect(slot.takeEmptiedStores() == [])
        slot.recordEmptiedStore("b")
        #expect(slot.takeEmptiedStores() == ["b"] && slot.takeEmptiedStores() == [])
    }
}
