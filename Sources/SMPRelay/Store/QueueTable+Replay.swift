/// Replay of a log, which builds the table from the log's records in order.
extension QueueTable {
    /// Applies a record. A change of a missing queue has no effect, since the deletion of the queue was logged before.
    mutating func apply(_ record: LogRecord) {
        switch record {
        case .created(let queue): _ = insert(queue)
        case .secured(let id, let key): update(recipient: id) { $0.senderKey = key }
        case .status(let id, let status): update(recipient: id) { $0.status = status }
        case .deleted(let id): _ = remove(recipient: id)
        case .message(let id, let message): update(recipient: id) { $0.append(message) }
        case .acknowledged(let id, let message):
            update(recipient: id) { queue in
                if queue.messages.first?.id == message { queue.removeMessages() }
            }
        case .expired(let id, let count):
            update(recipient: id) { $0.removeMessages(Int(count)) }
        case .keys(let id, let keys): update(recipient: id) { $0.recipientKeys = keys }
        case .link(let id, let link): _ = updateExtra(recipient: id) { $0.link = link }
        case .notifier(let id, let notifier): _ = updateExtra(recipient: id) { $0.notifier = notifier }
        case .queueService(let id, let service): _ = updateExtra(recipient: id) { $0.service = service }
        case .notice(let id, let notice): update(recipient: id) { $0.extraValues.notice = notice }
        case .service(let id, let role, let hash): insert(Service(role: role, certificateHash: hash), id: id)
        }
    }

    /// Estimated size in bytes of a log that contains only the data in the table.
    var liveBytes: Int64 { Int64(count) * 240 + Int64(messageCount) * 66 + Int64(messageBytes + linkBytes) }
}
