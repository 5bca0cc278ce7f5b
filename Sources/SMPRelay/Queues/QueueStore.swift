import Glibc
import Logging
import SMP
import SimpleXCrypto
import Synchronization

/// The queues and their log. Every change is made and logged under one lock, which is held for about a microsecond; all cryptography is
/// outside of it.
///
/// Methods that change something return the number of the log record: what they have done may be told to a client once ``LogWriter/committed``
/// has reached it. They throw what the client is answered.
final class QueueStore: Sendable {
    let log: LogWriter
    let quota: Int
    private let messageTTL: Int64
    let maxMessageBytes: Int
    let table: Mutex<QueueTable>

    init(table: sending QueueTable, log: LogWriter, configuration: RelayConfiguration) {
        self.table = Mutex(table)
        self.log = log
        quota = configuration.queueQuota
        messageTTL = configuration.messageTTL
        maxMessageBytes = configuration.maxMessageBytes
    }

    /// Seconds since 1970.
    static var now: Int64 { Int64(time(nil)) }

    func write(_ record: LogRecord) throws(SMPErrorType) -> UInt64 { try write(record.encoded()) }

    func write(_ record: [UInt8]) throws(SMPErrorType) -> UInt64 {
        guard let number = log.append(record) else { throw .store("busy") }
        return number
    }

    // MARK: Looking up

    func recipientKey(_ id: QueueID) -> AuthorizationKey? {
        table.withLock { $0[recipient: id]?.recipientKey }
    }

    struct Sender: Sendable {
        let recipientID: QueueID
        let key: AuthorizationKey?
        let mode: QueueMode?
    }

    func sender(_ id: QueueID) -> Sender? {
        table.withLock { table in
            table[sender: id].map { Sender(recipientID: $0.recipientID, key: $0.senderKey, mode: $0.mode) }
        }
    }

    // MARK: Life of a queue

    /// - Parameter subscriber: the session that made the queue, when it subscribes too.
    func create(
        recipientKey: AuthorizationKey, dhSecret: Bytes32, mode: QueueMode?, subscriber: ConnectionHandle?
    ) throws(SMPErrorType) -> (recipientID: QueueID, senderID: QueueID, number: UInt64) {
        // Random ids of 24 bytes meet once in the age of the universe; three attempts cost nothing.
        for _ in 0..<3 {
            let queue = Queue(
                recipientID: .random(), senderID: .random(), recipientKey: recipientKey, dhSecret: dhSecret, mode: mode,
                subscriber: subscriber)
            let record = LogRecord.created(queue).encoded()
            let number = try table.withLock { table throws(SMPErrorType) -> UInt64? in
                guard table.insert(queue) else { return nil }
                do throws(SMPErrorType) {
                    return try write(record)
                } catch {
                    _ = table.remove(recipient: queue.recipientID)
                    throw error
                }
            }
            if let number { return (queue.recipientID, queue.senderID, number) }
        }
        throw .internal
    }

    /// KEY and SKEY. Securing again with the same key is no error and no change.
    func secure(_ id: QueueID, key: AuthorizationKey) throws(SMPErrorType) -> UInt64 {
        try change(id) { queue throws(SMPErrorType) in
            if let present = queue.senderKey {
                guard present == key else { throw .auth }
                return log.appended
            }
            let number = try write(.secured(id, key))
            queue.senderKey = key
            return number
        }
    }

    /// OFF.
    func suspend(_ id: QueueID) throws(SMPErrorType) -> UInt64 {
        try setStatus(id, .off)
    }

    func setStatus(_ id: QueueID, _ status: Queue.Status) throws(SMPErrorType) -> UInt64 {
        try change(id, evenBlocked: true) { queue throws(SMPErrorType) in
            let number = try write(.status(id, status))
            queue.status = status
            return number
        }
    }

    /// DEL.
    /// - Returns: the session that was subscribed, if any.
    func delete(_ id: QueueID) throws(SMPErrorType) -> (subscriber: ConnectionHandle?, number: UInt64) {
        try table.withLock { table throws(SMPErrorType) in
            guard let queue = table[recipient: id] else { throw .auth }
            let number = try write(.deleted(id))
            _ = table.remove(recipient: id)
            return (queue.subscriber, number)
        }
    }

    /// Changes a queue that exists and, unless `evenBlocked`, is not blocked.
    func change<T: Sendable>(
        _ id: QueueID, evenBlocked: Bool = false, _ body: (inout Queue) throws(SMPErrorType) -> T
    ) throws(SMPErrorType) -> T {
        let result = table.withLock { table -> Result<T, SMPErrorType> in
            let result = table.update(recipient: id) { queue -> Result<T, SMPErrorType> in
                if !evenBlocked, let blocking = queue.status.blocking { return .failure(.blocked(blocking)) }
                do throws(SMPErrorType) { return .success(try body(&queue)) } catch { return .failure(error) }
            }
            return result ?? .failure(.auth)
        }
        return try result.get()
    }

    /// Drops messages at the front that are older than the limit, and logs that.
    func expire(_ queue: inout Queue, now: Int64) {
        let limit = now - messageTTL
        let count = queue.messages.prefix { $0.timestamp < limit }.count
        guard count > 0 else { return }
        // If the log refuses, they expire another time.
        guard (try? write(.expired(queue.recipientID, count: UInt32(truncatingIfNeeded: count)))) != nil else { return }
        queue.removeMessages(count)
    }

    /// Drops expired messages of the queues in slots from `start` on, of `count` slots; nil when there are none after these.
    func expireMessages(from start: Int, count: Int, now: Int64) -> Int? {
        table.withLock { table in
            let end = min(start + count, table.slots.count)
            for slot in start..<max(start, end) where table.slots[slot]?.messages.isEmpty == false {
                table.update(slot) { expire(&$0, now: now) }
            }
            return end < table.slots.count ? end : nil
        }
    }
}
