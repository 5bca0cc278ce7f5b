import Synchronization
import Testing

@testable import Gateway

@Suite("State of the running backup") struct BackupSlotTests {
    /// Counts the releases of the lock of a store.
    private final class Lock: Sendable {
        let releases = Mutex(0)
        @Sendable func release() { releases.withLock { $0 += 1 } }
        var count: Int { releases.withLock { $0 } }
    }

    private func slot(of store: String? = nil) -> BackupSlot {
        let slot = BackupSlot()
        #expect(slot.begin(of: store) && !slot.begin())
        return slot
    }

    @Test
    func `A backup releases the lock of a store that is not copied yet when a request needs it`() throws {
        let (slot, lock, further) = (slot(), Lock(), Lock())
        #expect(try slot.recordHold("a", release: lock.release))
        #expect(slot.extendHold("a", further.release) && slot.isLockHeld("a"))
        slot.giveWay(for: "b")
        #expect(lock.count == 0)
        slot.giveWay(for: "a")
        #expect(lock.count == 1 && further.count == 1 && !slot.isStopped())
        #expect(try !slot.beginPart(of: "a") && !slot.extendHold("a", further.release))
    }

    @Test
    func `A password interrupts the copying of a store only while the backup has its lock, and a lock always`()
        async throws
    {
        let (slot, lock) = (slot(), Lock())
        #expect(try slot.recordHold("a", release: lock.release))
        #expect(try slot.beginPart(of: "a"))
        let mayContinue = slot.mayContinue(of: "a")
        slot.leaveTurn(of: "a")
        slot.giveWay(for: "a", isForTurn: true)
        #expect(lock.count == 1 && mayContinue())
        slot.giveWay(for: "a")
        #expect(!mayContinue() && slot.isInterrupted("a") && slot.mayContinue())
        let waiting = Task.immediate { await slot.stop(of: "a") }
        slot.endPart(of: "a")
        await waiting.value
        #expect(lock.count == 1 && !slot.isInterrupted("a"))
        #expect(try slot.recordHold("b", release: lock.release))
        #expect(try slot.beginPart(of: "b"))
        slot.giveWay(for: "b", isForTurn: true)
        #expect(slot.isInterrupted("b") && lock.count == 1)
        slot.endPart(of: "b")
        #expect(lock.count == 2)
    }

    @Test
    func `A backup does not copy a store if a request needs its lock while the backup waits for the lock`() throws {
        let (slot, lock) = (slot(), Lock())
        try slot.awaitTurn(of: "a")
        slot.giveWay(for: "a", isForTurn: true)
        #expect(try !slot.takeTurn(of: "a", release: lock.release))
        try slot.awaitTurn(of: "a")
        #expect(try slot.takeTurn(of: "a", release: lock.release) && slot.beginPart(of: "a"))
        slot.endPart(of: "a")
        #expect(lock.count == 1)
    }

    @Test(arguments: [true, false])
    func `A backup that collects the locks of all stores does not take a lock that a request needs meanwhile`(
        isForTurn: Bool
    ) throws {
        let (slot, lock) = (slot(), Lock())
        try slot.awaitHold(of: "a")
        slot.giveWay(for: "b", isForTurn: isForTurn)
        #expect(try slot.recordHold("a", release: lock.release))
        try slot.awaitHold(of: "b")
        slot.giveWay(for: "b", isForTurn: isForTurn)
        #expect(try !slot.recordHold("b", release: lock.release) && !slot.isLockHeld("b"))
        #expect(slot.isLockHeld("a") && lock.count == 0)
        try slot.awaitHold(of: "c")
        #expect(try slot.recordHold("c", release: lock.release))
    }

    @Test
    func `Only the backup of a single store is stopped by requests for this store, and no backup by other stores`()
        throws
    {
        let slot = slot(of: "a")
        slot.giveWay(for: "b")
        try slot.awaitTurn(of: "a")
        #expect(try slot.takeTurn(of: "a") {} && slot.beginPart(of: "a"))
        slot.leaveTurn(of: "a")
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
