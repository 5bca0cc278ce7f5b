/// What remains of a log's changes when they are made again, in order, from an empty table.
extension QueueTable {
    /// A change of a queue that is not there has no effect: its deletion was logged before.
    mutating func apply(_ record: LogRecord) {
        switch record {
        case .created(let queue): _ = insert(queue)
        case .secured(let id, let key): update(recipient: id) { $0.senderKey = key }
        case .status(let id, let status): update(recipient: id) { $0.status = status }
        case .deleted(let id): _ = remove(recipient: id)
        case .message(let id, let message): update(recipient: id) { $0.messages.append(message) }
        case .acknowledged(let id, let message):
            update(recipient: id) { queue in
                if queue.messages.first?.id == message { queue.messages.removeFirst() }
            }
        case .expired(let id, let count):
            update(recipient: id) { queue in queue.messages.removeFirst(min(Int(count), queue.messages.count)) }
        }
    }

    /// The records that make a table like this one.
    func forEachRecord(_ body: (LogRecord) throws -> Void) rethrows {
        for case let queue? in slots {
            try body(.created(queue))
            for message in queue.messages { try body(.message(queue.recipientID, message)) }
        }
    }
}
