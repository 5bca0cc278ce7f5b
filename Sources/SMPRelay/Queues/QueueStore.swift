import Logging
import RelayBase
import SMP
import SimpleXCrypto
import Synchronization

/// The message queues and their log. Every change is made and logged under one lock, for about a microsecond. No
/// cryptography runs under the lock.
///
/// Methods that make a change return the number of its log record. A client may get the answer when
/// ``LogWriter/lastCommittedRecordNumber`` has reached that number. Methods throw the error that the client gets.
final class QueueStore: Sendable {
    let log: LogWriter
    let maxMessagesPerQueue: Int
    private let messageLifetimeSeconds: Int64
    let maxMessageBytes: Int
    let maxQueues: Int
    let maxLinkBytes: Int
    /// Maximal number of services (clients with a certificate). Only notification servers and similar programs are
    /// services.
    static let maxServices = 10_000
    let table: Mutex<QueueTable>
    /// Number of messages that were dropped because nobody received them in time.
    let expiredMessageCount = Atomic(0)

    init(table: sending QueueTable, log: LogWriter, configuration: RelayConfiguration) {
        self.table = Mutex(table)
        self.log = log
        maxMessagesPerQueue = configuration.maxMessagesPerQueue
        messageLifetimeSeconds = configuration.messageLifetimeSeconds
        maxMessageBytes = configuration.maxMessageBytes
        maxQueues = configuration.maxQueues
        maxLinkBytes = configuration.maxLinkBytes
    }

    func writeRecord(_ record: LogRecord, isAwaited: Bool = true) throws(SMPErrorType) -> UInt64 {
        try writeRecord(record.encodeRecord(), isAwaited: isAwaited)
    }

    func writeRecord(_ record: [UInt8], isAwaited: Bool = true) throws(SMPErrorType) -> UInt64 {
        guard let number = log.appendRecord(record, isAwaited: isAwaited) else { throw .store("busy") }
        return number
    }

    // MARK: Looking up

    /// Returns the keys that authorize commands of a queue's recipient; empty if the queue does not exist.
    func findRecipientKeys(_ id: QueueID) -> [AuthorizationKey] {
        table.withLock { $0[recipient: id]?.recipientKeys ?? [] }
    }

    struct Sender: Sendable {
        let recipientID: QueueID
        let key: AuthorizationKey?
        let mode: QueueMode?
        let isContact: Bool
        /// Whether the sender has used the short link: the queue has the sender's key, and still has the link. The
        /// sender's next message removes the link.
        let hasUsedLink: Bool

        init(_ queue: Queue) {
            recipientID = queue.recipientID
            key = queue.senderKey
            mode = queue.queueMode
            isContact = queue.isContact
            hasUsedLink = queue.hasExtraValues && queue.isSecuredForMessages && queue.extraValues.link != nil
        }

        /// Returns whether the owner of `key` may secure the queue, or has already secured it.
        func maySecure(with key: AuthorizationKey) -> Bool {
            mode == .messaging && (self.key == nil || self.key == key)
        }
    }

    func findSender(_ id: QueueID) -> Sender? {
        table.withLock { table in
            table[sender: id].map { Sender($0) }
        }
    }

    // MARK: Life of a queue

    /// The parts of a new queue, except its recipient id.
    struct NewQueue: Sendable {
        let recipientKey: AuthorizationKey
        let dhSecret: Bytes32
        let mode: QueueMode?
        /// The sender id that the client has chosen; nil for a random id.
        var senderID: QueueID?
        var extraValues = QueueExtras()
        /// The session that creates the queue and subscribes to it; nil without a subscription.
        var subscriber: ConnectionHandle?
    }

    /// Creates a queue with random ids. The client may have chosen the sender id.
    /// - Throws: AUTH when the chosen sender id is in use, STORE when the relay is full.
    func createQueue(_ new: NewQueue) throws(SMPErrorType) -> (recipientID: QueueID, senderID: QueueID, number: UInt64)
    {
        // Random ids of 24 bytes practically never collide. If an id is in use nevertheless, creation is tried again,
        // up to three times in total. An id that the client has chosen is tried only once.
        for _ in 0..<(new.senderID == nil ? 3 : 1) {
            var queue = Queue(
                recipientID: .random(),
                senderID: new.senderID ?? .random(),
                recipientKey: new.recipientKey,
                dhSecret: new.dhSecret,
                mode: new.mode,
                subscriber: new.subscriber
            )
            if new.extraValues != QueueExtras() { queue.extraValues = new.extraValues }
            let record = LogRecord.queueCreated(queue).encodeRecord()
            let made = queue
            let number = try table.withLock { table throws(SMPErrorType) -> UInt64? in
                guard table.queueCount < maxQueues, canStoreLink(made.extraValues.link, replacing: nil, table)
                else {
                    throw .store("full")
                }
                guard table.insertQueue(made) else { return nil }
                do throws(SMPErrorType) {
                    return try writeRecord(record)
                } catch {
                    _ = table.removeQueue(recipient: made.recipientID)
                    throw error
                }
            }
            if let number { return (queue.recipientID, queue.senderID, number) }
        }
        throw new.senderID == nil ? .internal : .auth
    }

    /// Returns whether the relay has room for the data of `link`, which replaces `old`. There is always room for a link
    /// that is not larger than `old`.
    func canStoreLink(_ link: QueueLink?, replacing old: QueueLink?, _ table: borrowing QueueTable) -> Bool {
        let growth = (link?.byteCount ?? 0) - (old?.byteCount ?? 0)
        return growth <= 0 || table.linkBytes + growth <= maxLinkBytes
    }

    /// Executes KEY and SKEY, which set the sender's key of a queue. A repetition with the same key is accepted and
    /// changes nothing; another key throws AUTH. Returns the number of the log record for which the answer waits.
    func secureQueue(_ id: QueueID, key: AuthorizationKey) throws(SMPErrorType) -> UInt64 {
        try changeQueue(id) { queue throws(SMPErrorType) in
            if let present = queue.senderKey {
                guard present == key else { throw .auth }
                return log.lastAwaitedRecordNumber
            }
            let number = try writeRecord(.queueSecured(id, key))
            queue.senderKey = key
            return number
        }
    }

    /// Executes OFF, which suspends a queue: it accepts no further messages. Returns the number of the log record for
    /// which the answer waits.
    func suspendQueue(_ id: QueueID) throws(SMPErrorType) -> UInt64 {
        try setStatus(id, .suspended)
    }

    func setStatus(_ id: QueueID, _ status: Queue.Status) throws(SMPErrorType) -> UInt64 {
        try changeQueue(id, evenBlocked: true) { queue throws(SMPErrorType) in
            let number = try writeRecord(.statusChanged(id, status))
            queue.status = status
            return number
        }
    }

    /// Blocks or unblocks a queue. Returns the number of the log record of the change.
    /// - Parameter blocking: the reason, and the text for clients; nil unblocks the queue.
    func setBlocking(_ id: QueueID, _ blocking: SMPBlockingInfo?) throws(SMPErrorType) -> UInt64 {
        let notice = blocking?.notice
        return try changeQueue(id, evenBlocked: true) { queue throws(SMPErrorType) in
            if queue.extraValues.blockingNotice != notice {
                _ = try writeRecord(.noticeChanged(id, notice))
                queue.extraValues.blockingNotice = notice
            }
            let status = blocking.map { Queue.Status(blocked: $0.reason) } ?? .active
            let number = try writeRecord(.statusChanged(id, status))
            queue.status = status
            return number
        }
    }

    /// Executes DEL, which deletes a queue.
    /// - Returns: the session that was subscribed and the notifier of the queue, if any, and the number of the log
    ///   record.
    func deleteQueue(
        _ id: QueueID
    ) throws(SMPErrorType) -> (subscriber: ConnectionHandle?, notifier: NotifierID?, number: UInt64) {
        try table.withLock { table throws(SMPErrorType) in
            guard let queue = table[recipient: id] else { throw .auth }
            let number = try writeRecord(.queueDeleted(id))
            _ = table.removeQueue(recipient: id)
            return (queue.subscriber, queue.extraValues.notifier?.id, number)
        }
    }

    /// Changes a queue under the lock. Throws if the queue does not exist, or if it is blocked and `evenBlocked` is
    /// false.
    func changeQueue<T: Sendable>(
        _ id: QueueID,
        evenBlocked: Bool = false,
        _ body: (inout Queue) throws(SMPErrorType) -> T
    ) throws(SMPErrorType) -> T {
        let result = table.withLock { table -> Result<T, SMPErrorType> in
            let result = table.updateQueue(recipient: id) { queue -> Result<T, SMPErrorType> in
                if !evenBlocked, let blocking = queue.blocking { return .failure(.blocked(blocking)) }
                do throws(SMPErrorType) { return .success(try body(&queue)) } catch { return .failure(error) }
            }
            return result ?? .failure(.auth)
        }
        return try result.get()
    }

    /// Drops expired messages at the front of a queue, and logs their number.
    func dropExpiredMessages(_ queue: inout Queue, now: Int64) {
        let limit = now - messageLifetimeSeconds
        let count = queue.messages.prefix { $0.acceptedAtSeconds < limit }.count
        guard count > 0 else { return }
        // If the log refuses the record, nothing is removed, and a later attempt expires the messages.
        guard (try? writeRecord(.messagesExpired(queue.recipientID, count: UInt32(truncatingIfNeeded: count)))) != nil
        else { return }
        queue.removeMessages(count)
        expiredMessageCount.wrappingAdd(count, ordering: .relaxed)
    }

    /// Drops expired messages of the queues in `count` slots of the table, beginning at slot `start`.
    /// - Returns: the next slot; nil after the last slot.
    func expireMessages(from start: Int, count: Int, now: Int64) -> Int? {
        table.withLock { table in
            let end = min(start + count, table.slots.count)
            for slot in start..<max(start, end) where table.slots[slot]?.messages.isEmpty == false {
                table.updateQueue(slot) { dropExpiredMessages(&$0, now: now) }
            }
            return end < table.slots.count ? end : nil
        }
    }
}
