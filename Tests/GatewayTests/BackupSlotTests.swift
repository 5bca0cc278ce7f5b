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
    func `A backup releases the lock of a store that is not copied yet when a request needs it`() throws {
        let (slot, lock, further) = (makeSlot(), ReleaseCounter(), ReleaseCounter())
        #expect(try slot.recordLockHeld("a", release: lock.release))
        #expect(slot.addToHold("a", further.release) && slot.isLockHeld("a"))
        slot.giveWay(for: "b")
        #expect(lock.count == 0)
        slot.giveWay(for: "a")
        #expect(lock.count == 1 && further.count == 1 && !slot.isStopped())
        #expect(try !slot.beginPart(of: "a") && !slot.addToHold("a", further.release))
    }

    @Test
    func `A password interrupts the copying of a store only while the backup has its lock, and a lock always`()
        async throws
    {
        let (slot, lock) = (makeSlot(), ReleaseCounter())
        #expect(try slot.recordLockHeld("a", release: lock.release))
        #expect(try slot.beginPart(of: "a"))
        let mayContinue = slot.mayContinue(of: "a")
        slot.releaseTurn(of: "a")
        slot.giveWay(for: "a", isForTurn: true)
        #expect(lock.count == 1 && mayContinue())
        slot.giveWay(for: "a")
        #expect(!mayContinue() && slot.isInterrupted("a") && slot.mayContinue())
        let waiting = Task.immediate { await slot.stopCopying(of: "a") }
        slot.endPart(of: "a")
        await waiting.value
        #expect(lock.count == 1 && !slot.isInterrupted("a"))
        #expect(try slot.recordLockHeld("b", release: lock.release))
        #expect(try slot.beginPart(of: "b"))
        slot.giveWay(for: "b", isForTurn: true)
        #expect(slot.isInterrupted("b") && lock.count == 1)
        slot.endPart(of: "b")
        #expect(lock.count == 2)
    }

    @Test
    func `A backup does not copy a store if a request needs its lock while the backup waits for the lock`() throws {
        let (slot, lock) = (makeSlot(), ReleaseCounter())
        try slot.recordTurnWait(of: "a")
        slot.giveWay(for: "a", isForTurn: true)
        #expect(try !slot.recordTurnTaken(of: "a", release: lock.release))
        try slot.recordTurnWait(of: "a")
        #expect(try slot.recordTurnTaken(of: "a", release: lock.release) && slot.beginPart(of: "a"))
        slot.endPart(of: "a")
        #expect(lock.count == 1)
    }

    @Test(arguments: [true, false])
    func `A backup that collects the locks of all stores does not take a lock that a request needs meanwhile`(
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
    func `Only the backup of a single store is stopped by requests for this store, and no backup by other stores`()
        throws
    {
        let slot = makeSlot(of: "a")
        slot.giveWay(for: "b")
        try slot.recordTurnWait(of: "a")
        #expect(try slot.recordTurnTaken(of: "a") {} && slot.beginPart(of: "a"))
        slot.releaseTurn(of: "a")
        slot.giveWay(for: "a", isForTurn: true)
        #expect(!slot.isStopped())
        slot.giveWay(for: "a")
        #expect(slot.isStopped())
        #expect(throws: CancellationError.self) { try slot.beginCopying() }
    }

    @Test
    func `Deleted and emptied stores are reported once to the running backup`() {
        let slot = BackupSlot()
        slot.recordEmptied("a")
        #expect(slot.begin())
        #expect(slot.takeEmptied() == [])
        slot.recordEmptied("b")
        #expect(slot.takeEmptied() == ["b"] && slot.takeEmptied() == [])
    }
}
