import RelayBase
import SMP
import SimpleXCrypto

/// Stores and reads the data of short links (simplexmq `rfcs/2025-03-16-smp-queues.md`). If the document leaves a case
/// open, this relay answers like the original's server.
extension QueueStore {
    /// Returns the queue to which a short link leads, with the properties that matter for senders; nil for an unknown
    /// link.
    func findQueueOfLink(_ id: LinkID) -> Sender? {
        table.withLock { table in table[link: id].map { Sender($0) } }
    }

    /// Executes LSET, which sets the link data of a queue. Throws AUTH if the id or the fixed data differ from an
    /// existing link, and for a queue that is secured for one sender. Throws STORE when the relay is full. Returns the
    /// number of the log record for which the answer waits.
    func setLink(_ id: QueueID, _ link: QueueLink) throws(SMPErrorType) -> UInt64 {
        try changeExtraValues(id, .linkChanged(id, link), adding: link) { queue in
            let old = queue.extraValues.link
            return !queue.isSecuredForMessages
                && (old == nil || old?.id == link.id && old?.data.encFixedData == link.data.encFixedData)
        } _: {
            $0.link = link
        }
    }

    /// Removes the short link of a queue: for LDEL, or at the first message after a sender has secured the queue.
    /// Returns the number of the log record for which the answer waits.
    func removeLink(_ id: QueueID) throws(SMPErrorType) -> UInt64 {
        guard table.withLock({ $0[recipient: id]?.extraValues.link }) != nil else {
            return try changeQueue(id) { _ in log.lastAwaitedRecordNumber }
        }
        return try changeExtraValues(id, .linkChanged(id, nil), when: { _ in true }, { $0.link = nil })
    }

    /// Returns the link data with the sender id, as the answer to LGET and LKEY.
    func readLinkData(_ id: QueueID, link: LinkID) throws(SMPErrorType) -> BrokerMessage {
        try changeQueue(id) { queue throws(SMPErrorType) in
            guard let found = queue.extraValues.link, found.id == link else { throw .auth }
            return .lnk(senderID: queue.senderID.bytes, found.data)
        }
    }

    /// Executes RKEY, which sets the recipient's keys. Only queues in contact mode allow this command. Returns the
    /// number of the log record for which the answer waits.
    func setRecipientKeys(_ id: QueueID, _ keys: [AuthorizationKey]) throws(SMPErrorType) -> UInt64 {
        try changeQueue(id) { queue throws(SMPErrorType) in
            guard queue.queueMode == .contact else { throw .auth }
            let number = try writeRecord(.recipientKeysChanged(id, keys))
            queue.recipientKeys = keys
            return number
        }
    }

    /// Changes the extra values of a queue that is not blocked, and logs the change as `record`. Returns the number of
    /// this log record. Throws AUTH when `isAllowed` returns false or a new id is in use.
    func changeExtraValues(
        _ id: QueueID,
        _ record: LogRecord,
        adding link: QueueLink? = nil,
        when isAllowed: (Queue) -> Bool,
        _ body: (inout QueueExtras) -> Void
    ) throws(SMPErrorType) -> UInt64 {
        let bytes = record.encodeRecord()
        return try table.withLock { table throws(SMPErrorType) in
            guard let queue = table[recipient: id] else { throw .auth }
            if let blocking = queue.blocking { throw .blocked(blocking) }
            let old = queue.extraValues
            guard isAllowed(queue) else { throw .auth }
            guard canStoreLink(link, replacing: old.link, table) else { throw .store("full") }
            guard table.updateExtras(recipient: id, body) else { throw .auth }
            do throws(SMPErrorType) {
                return try writeRecord(bytes)
            } catch {
                _ = table.updateExtras(recipient: id) { $0 = old }
                throw error
            }
        }
    }
}
