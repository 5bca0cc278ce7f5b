import Concurrency
import Dispatch
import Glibc
public import Logging
import Synchronization

/// Writes records in the background, many with one sync ("group commit").
///
/// A record gets a number when it is appended; ``committed`` is the highest number on the disk. The answer to a command
/// is sent when the number of its record is reached. A record whose loss in a crash does no harm is not awaited: it
/// shares the sync of the next record, or is written after a short delay.
public final class LogWriter: Sendable {
    public enum Durability: Sendable {
        /// On the disk (fdatasync): survives a crash of the machine.
        case disk
        /// With the operating system: survives a crash of the process.
        case process
    }

    private struct State: Sendable {
        var pending: [UInt8] = []
        var appended: UInt64 = 0
        /// The last number that an answer may wait for.
        var awaited: UInt64 = 0
        /// Whether all pending records will be written soon, awaited or not.
        var isScheduled = false
        /// Size of the file once all pending records are written.
        var size: Int64
        var isWriting = false
        /// The error of the disk: new records are refused until the pending records are written.
        var failure: RelayStoreError?
        /// The pauses between attempts to write the refused records.
        var backoff = Backoff(initial: .milliseconds(100), limit: .seconds(1))
        var isClosed = false
    }

    /// Bytes that may wait for the disk before commands are refused.
    private static let maxPending = 64 << 20

    /// After a write of at least this number of records there is a pause, as long as the write took, and `maxPause`
    /// microseconds at most.
    private static let loadedCount: UInt64 = 12
    private static let maxPause: UInt64 = 2000

    /// Maximal time in memory of a record that no answer waits for.
    private static let unawaitedDelay = DispatchTimeInterval.milliseconds(20)

    private let state: Mutex<State>
    private let committedNumber = Atomic<UInt64>(0)
    private let queue = DispatchQueue(label: "relay.log")
    private let file: QueueBound<LogFile>
    private let durability: Durability
    private let logger: Logger
    private let onCommit: @Sendable () -> Void

    /// - Parameter onCommit: called on the writer's thread each time ``committed`` has grown.
    public init(file: sending LogFile, durability: Durability, logger: Logger, onCommit: @escaping @Sendable () -> Void)
    {
        state = Mutex(State(size: file.size))
        self.file = QueueBound(file, queue)
        self.durability = durability
        self.logger = logger
        self.onCommit = onCommit
    }

    public var committed: UInt64 { committedNumber.load(ordering: .acquiring) }

    /// The number of the last awaited record. Answers that depend on earlier changes wait for it.
    public var lastAwaited: UInt64 { state.withLock { $0.awaited } }

    /// Takes over an encoded record.
    /// - Parameter isAwaited: whether the answer may be sent only when the record is on the disk.
    /// - Returns: the number that the answer waits for; nil when the disk does not keep up or refuses.
    public func append(_ record: [UInt8], isAwaited: Bool = true) -> UInt64? {
        let (number, start) = state.withLock { state -> (UInt64?, Start?) in
            guard state.failure == nil, !state.isClosed, state.pending.count < Self.maxPending else {
                return (nil, nil)
            }
            state.pending.append(contentsOf: record)
            state.appended &+= 1
            state.size += Int64(record.count)
            if isAwaited {
                state.awaited = state.appended
                defer { state.isWriting = true }
                return (state.awaited, state.isWriting ? nil : .now)
            }
            defer { state.isScheduled = true }
            return (state.awaited, state.isScheduled ? nil : .soon)
        }
        switch start {
        case .now?: queue.async { self.writePending() }
        case .soon?: queue.asyncAfter(deadline: .now() + Self.unawaitedDelay) { self.writePending(all: true) }
        case nil: break
        }
        return number
    }

    private enum Start { case now, soon }

    /// Writes the pending records; returns false when a write failed.
    /// - Parameter all: whether to write records that no answer waits for, too.
    @discardableResult private func writePending(all: Bool = false) -> Bool {
        var pause: UInt32 = 0
        while true {
            // Under load more records share the next sync, which costs the processor as much as several messages do.
            if pause > 0 { usleep(pause) }
            let (bytes, number) = state.withLock { state -> ([UInt8], UInt64) in
                if all { state.isScheduled = false }
                guard !state.pending.isEmpty, all || state.awaited > committed else {
                    state.isWriting = false
                    return ([], state.appended)
                }
                let bytes = state.pending
                state.pending = []
                // A similar amount arrives during this write, so the buffer need not grow step by step.
                state.pending.reserveCapacity(min(bytes.count, Self.maxPending / 64))
                return (bytes, state.appended)
            }
            if bytes.isEmpty { return true }
            let count = number &- committed
            let start = DispatchTime.now().uptimeNanoseconds
            guard write(bytes) else { return false }
            committedNumber.store(number, ordering: .releasing)
            state.withLock { $0.backoff.reset() }
            onCommit()
            let elapsed = (DispatchTime.now().uptimeNanoseconds &- start) / 1000
            pause = count < Self.loadedCount ? 0 : UInt32(truncatingIfNeeded: min(elapsed, Self.maxPause))
        }
    }

    /// Writes bytes; returns false when they are not on the disk. After a failed sync the writer is closed; after any
    /// other failure the bytes are written again later.
    private func write(_ bytes: [UInt8]) -> Bool {
        do throws(RelayStoreError) {
            let size = file.value.size
            try file.value.append(bytes)
            do throws(RelayStoreError) { if durability == .disk { try file.value.sync() } } catch {
                guard error.isFull else {
                    // After a failed sync it is unknown what is on the disk: nothing more is acknowledged until the
                    // relay is restarted.
                    logger.critical(
                        "The relay's log could not be synced to the disk: restart the relay.",
                        metadata: ["error": "\(error)"]
                    )
                    state.withLock { $0.isClosed = true }
                    return false
                }
                // Some file systems report a full disk only at the sync. Earlier content is on the disk: the rest is
                // written again.
                file.value.takeBack(to: size)
                throw error
            }
            return true
        } catch {
            // The appended records are still in memory; they are written when there is room.
            logger.error(
                "The relay cannot write its log and accepts nothing until it can.",
                metadata: ["error": "\(error)"]
            )
            let pause = state.withLock { state in
                state.pending = bytes + state.pending
                state.failure = error
                return state.backoff.next()
            }
            queue.asyncAfter(deadline: .now() + pause / .seconds(1)) {
                self.state.withLock { $0.failure = nil }
                self.writePending(all: true)
            }
            return false
        }
    }

    /// Size of the file in bytes once all appended records are written: the offset of the next record.
    public var size: Int64 { state.withLock { $0.size } }

    /// Runs `body` between two writes, when all records appended before are in the file. It may replace the file that
    /// is written to.
    public func exchangeFile<T: Sendable>(
        _ body: @escaping @Sendable (inout LogFile) throws(RelayStoreError) -> T
    ) async throws(RelayStoreError) -> T {
        let result = await withCheckedContinuation {
            (continuation: CheckedContinuation<Result<T, RelayStoreError>, Never>) in
            queue.async {
                guard self.state.withLock({ $0.failure }) == nil, self.writePending(all: true) else {
                    let failure =
                        self.state.withLock { $0.failure } ?? .inputOutput(path: self.file.value.path, code: EIO)
                    return continuation.resume(returning: .failure(failure))
                }
                let before = self.file.value.size
                let result = Result { () throws(RelayStoreError) in try body(&self.file.value) }
                let grown = self.file.value.size - before
                self.state.withLock { $0.size += grown }
                continuation.resume(returning: result)
            }
        }
        return try result.get()
    }

    /// Closes the writer, and waits until all appended records are written.
    public func close() async {
        state.withLock { $0.isClosed = true }
        await withCheckedContinuation { continuation in
            queue.async {
                self.writePending(all: true)
                continuation.resume()
            }
        }
    }
}

/// A value that only one queue touches.
private final class QueueBound<Value>: @unchecked Sendable {
    // Safe to share: every access is checked to be on the queue, which runs one block at a time.
    private let queue: DispatchQueue
    private var stored: Value

    init(_ value: sending Value, _ queue: DispatchQueue) {
        stored = value
        self.queue = queue
    }

    var value: Value {
        get {
            dispatchPrecondition(condition: .onQueue(queue))
            return stored
        }
        set {
            dispatchPrecondition(condition: .onQueue(queue))
            stored = newValue
        }
    }
}
