import Clocks
import Concurrency
import Dispatch
import Glibc
package import Logging
import Synchronization

/// Writes a relay's log records in the background, many of them with one sync ("group commit").
///
/// A record gets a number when it is appended. ``lastCommittedRecordNumber`` is the highest number of a written record;
/// see ``Durability``. The answer to a command is sent when the command's record is written. If the loss of a record in
/// a crash does no harm, no answer waits for the record. Such a record shares the sync of the next record, or is
/// written after a short delay.
package final class LogWriter: Sendable {
    package enum Durability: Sendable {
        /// A record counts as written when it is on the disk (fdatasync), so it survives a crash of the machine.
        case onDisk
        /// A record counts as written when the operating system has it, so it survives a crash of the process.
        case inOperatingSystem
    }

    private struct State: Sendable {
        var pendingBytes: [UInt8] = []
        var lastAppendedNumber: UInt64 = 0
        /// The number of the last record for which an answer may wait.
        var lastAwaitedRecordNumber: UInt64 = 0
        /// Whether a write of all pending records is scheduled, including records for which no answer waits.
        var isFullWriteScheduled = false
        /// The size in bytes that the file will have when all pending records are written.
        var sizeWithPendingRecords: Int64
        var isWriting = false
        /// The error of a failed write; nil again when the next attempt begins. New records are refused while there is
        /// an error.
        var failure: RelayStoreError?
        /// The pauses between attempts to write the pending records after an error.
        var backoff = Backoff(initial: .milliseconds(100), limit: .seconds(1))
        var isClosed = false
    }

    /// Maximal number of bytes that wait for the disk. Above this number, new records are refused.
    private static let maxPendingBytes = 64 << 20

    /// The writer pauses after a write with at least this number of records. The pause is as long as the write, but at
    /// most `maxPauseMicroseconds` microseconds.
    private static let minRecordsForPause: UInt64 = 12
    private static let maxPauseMicroseconds: Int64 = 2000

    /// Maximal time for which a record stays in memory if no answer waits for it.
    private static let maxUnawaitedDelay = DispatchTimeInterval.milliseconds(20)

    private let state: Mutex<State>
    private let committedRecordNumber = Atomic<UInt64>(0)
    private let queue = DispatchQueue(label: "relay.log")
    private let file: QueueBound<LogFile>
    private let durability: Durability
    private let logger: Logger
    private let onCommit: @Sendable () -> Void

    /// Makes a writer that appends to `file`.
    /// - Parameter onCommit: a function that is called on the writer's thread each time ``lastCommittedRecordNumber``
    ///   has grown.
    package init(
        file: sending LogFile,
        durability: Durability,
        logger: Logger,
        onCommit: @escaping @Sendable () -> Void
    ) {
        state = Mutex(State(sizeWithPendingRecords: file.completeBytes))
        self.file = QueueBound(file, queue)
        self.durability = durability
        self.logger = logger
        self.onCommit = onCommit
    }

    package var lastCommittedRecordNumber: UInt64 { committedRecordNumber.load(ordering: .acquiring) }

    /// The number of the last record for which an answer may wait. Answers that depend on earlier changes wait for this
    /// record.
    package var lastAwaitedRecordNumber: UInt64 { state.withLock { $0.lastAwaitedRecordNumber } }

    /// Adds an encoded record to the records that wait to be written.
    /// - Parameter isAwaited: whether the command's answer may be sent only when the record counts as written.
    /// - Returns: the number of the record for which the answer waits: this record, or the last awaited record if
    ///   `isAwaited` is false. Nil when the disk is too slow or has failed, or the writer is closed.
    package func appendRecord(_ record: [UInt8], isAwaited: Bool = true) -> UInt64? {
        let (number, timing) = state.withLock { state -> (UInt64?, WriteTiming?) in
            guard state.failure == nil, !state.isClosed, state.pendingBytes.count < Self.maxPendingBytes else {
                return (nil, nil)
            }
            state.pendingBytes.append(contentsOf: record)
            state.lastAppendedNumber &+= 1
            state.sizeWithPendingRecords += Int64(record.count)
            if isAwaited {
                state.lastAwaitedRecordNumber = state.lastAppendedNumber
                defer { state.isWriting = true }
                return (state.lastAwaitedRecordNumber, state.isWriting ? nil : .immediate)
            }
            defer { state.isFullWriteScheduled = true }
            return (state.lastAwaitedRecordNumber, state.isFullWriteScheduled ? nil : .delayed)
        }
        switch timing {
        case .immediate?: queue.async { self.writePendingRecords() }
        case .delayed?:
            queue.asyncAfter(deadline: .now() + Self.maxUnawaitedDelay) { self.writePendingRecords(all: true) }
        case nil: break
        }
        return number
    }

    private enum WriteTiming { case immediate, delayed }

    /// Writes the pending records to the file. Returns false when a write has failed.
    /// - Parameter all: whether to write also records for which no answer waits.
    @discardableResult private func writePendingRecords(all: Bool = false) -> Bool {
        var pause: UInt32 = 0
        while true {
            // Under load the pause lets more records share the next sync. A sync costs as much processor time as
            // several messages.
            if pause > 0 { usleep(pause) }
            let (bytes, number) = state.withLock { state -> ([UInt8], UInt64) in
                if all { state.isFullWriteScheduled = false }
                guard !state.pendingBytes.isEmpty, all || state.lastAwaitedRecordNumber > lastCommittedRecordNumber
                else {
                    state.isWriting = false
                    return ([], state.lastAppendedNumber)
                }
                let bytes = state.pendingBytes
                state.pendingBytes = []
                // During this write, about as many bytes arrive as are written now. Memory for the arriving bytes is
                // reserved in one step.
                state.pendingBytes.reserveCapacity(min(bytes.count, Self.maxPendingBytes / 64))
                return (bytes, state.lastAppendedNumber)
            }
            if bytes.isEmpty { return true }
            let count = number &- lastCommittedRecordNumber
            let start = MonotonicClock.microseconds()
            guard writeBytes(bytes) else { return false }
            committedRecordNumber.store(number, ordering: .releasing)
            state.withLock { $0.backoff.resetAttempts() }
            onCommit()
            let elapsed = MonotonicClock.microseconds() - start
            pause =
                count < Self.minRecordsForPause
                ? 0 : UInt32(truncatingIfNeeded: min(elapsed, Self.maxPauseMicroseconds))
        }
    }

    /// Writes bytes to the file. Returns false when the bytes are not on the disk. After a failed sync the writer is
    /// closed. After any other failure, or if the sync fails because the disk is full, the bytes are written again
    /// later.
    private func writeBytes(_ bytes: [UInt8]) -> Bool {
        do throws(RelayStoreError) {
            let size = file.value.completeBytes
            try file.value.appendBytes(bytes)
            do throws(RelayStoreError) { if durability == .onDisk { try file.value.syncToDisk() } } catch {
                guard error.isStorageFull else {
                    // After a failed sync, it is unknown which bytes are on the disk. So no further change is
                    // acknowledged until the relay is restarted.
                    logger.critical(
                        "The relay's log could not be synced to the disk: restart the relay.",
                        metadata: ["error": "\(error)"]
                    )
                    state.withLock { $0.isClosed = true }
                    return false
                }
                // Some file systems report a full disk only at the sync. The content before this write is on the disk,
                // so only the new bytes are written again.
                file.value.removeAppendedBytes(to: size)
                throw error
            }
            return true
        } catch {
            // The records stay in memory, and are written when the disk has free space.
            logger.error(
                "The relay cannot write its log and accepts nothing until it can.",
                metadata: ["error": "\(error)"]
            )
            let pause = state.withLock { state in
                state.pendingBytes = bytes + state.pendingBytes
                state.failure = error
                return state.backoff.takeNextDelay()
            }
            queue.asyncAfter(deadline: .now() + pause / .seconds(1)) {
                self.state.withLock { $0.failure = nil }
                self.writePendingRecords(all: true)
            }
            return false
        }
    }

    /// The size in bytes that the file will have when all appended records are written. It is the offset of the next
    /// record.
    package var sizeWithPendingRecords: Int64 { state.withLock { $0.sizeWithPendingRecords } }

    /// Runs `body` between two writes, when all records that were appended before the call are in the file. `body` may
    /// replace the file.
    package func runBetweenWrites<T: Sendable>(
        _ body: @escaping @Sendable (inout LogFile) throws(RelayStoreError) -> T
    ) async throws(RelayStoreError) -> T {
        let result = await withCheckedContinuation {
            (continuation: CheckedContinuation<Result<T, RelayStoreError>, Never>) in
            queue.async {
                guard self.state.withLock({ $0.failure }) == nil, self.writePendingRecords(all: true) else {
                    let failure =
                        self.state.withLock { $0.failure } ?? .inputOutput(path: self.file.value.path, code: EIO)
                    return continuation.resume(returning: .failure(failure))
                }
                let before = self.file.value.completeBytes
                let result = Result { () throws(RelayStoreError) in try body(&self.file.value) }
                let grown = self.file.value.completeBytes - before
                self.state.withLock { $0.sizeWithPendingRecords += grown }
                continuation.resume(returning: result)
            }
        }
        return try result.get()
    }

    /// Closes the writer, and waits until all appended records are written.
    package func closeAndWait() async {
        state.withLock { $0.isClosed = true }
        await withCheckedContinuation { continuation in
            queue.async {
                self.writePendingRecords(all: true)
                continuation.resume()
            }
        }
    }
}

/// A value that is used only on one dispatch queue. Any other use stops the program.
private final class QueueBound<Value>: @unchecked Sendable {
    // The class is `@unchecked Sendable`: every access checks that it runs on the dispatch queue, which runs one block
    // at a time.
    private let queue: DispatchQueue
    private var uncheckedValue: Value

    init(_ value: sending Value, _ queue: DispatchQueue) {
        uncheckedValue = value
        self.queue = queue
    }

    var value: Value {
        get {
            dispatchPrecondition(condition: .onQueue(queue))
            return uncheckedValue
        }
        set {
            dispatchPrecondition(condition: .onQueue(queue))
            uncheckedValue = newValue
        }
    }
}
