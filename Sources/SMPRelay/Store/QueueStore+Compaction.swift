import RelayBase

extension QueueStore {
    /// The estimated size in bytes of a new log with only the present data.
    var estimatedLogBytes: Int64 { table.withLock { $0.estimatedLogBytes } }

    /// A snapshot of the present queues and services, with which compaction begins a new log.
    var compactionSnapshot: LogCompaction.Snapshot {
        // Records are appended under the lock of the table, so the snapshot contains exactly the records before
        // `start`.
        let (slots, services, start) = table.withLock { table in
            (table.slots, table.services, log.sizeWithPendingRecords)
        }
        return LogCompaction.Snapshot(start: start) { writer throws(RelayStoreError) in
            // Services are written before the queues that belong to them.
            for (id, service) in services {
                try writer.addRecords {
                    LogRecord.serviceAdded(id, service.role, certificateHash: service.certificateHash).append(to: &$0)
                }
            }
            for case let queue? in slots {
                try writer.addRecords { LogRecord.queueCreated(queue).append(to: &$0) }
                for message in queue.messages {
                    try writer.addRecords { LogRecord.messageAccepted(queue.recipientID, message).append(to: &$0) }
                }
            }
        }
    }
}
