/// Rebuilds the table from the records of a log in their order, at the start of the relay or to inspect its folder.
extension QueueTable {
    /// Applies a log record to the table. A change of a missing queue has no effect, since the deletion of the queue
    /// was logged before.
    mutating func applyRecord(_ record: LogRecord) {
        switch record {
        case .queueCreated(let queue): _ = insertQueue(queue)
        case .queueSecured(let id, let key): updateQueue(recipient: id) { $0.senderKey = key }
        case .statusChanged(let id, let status): updateQueue(recipient: id) { $0.status = status }
        case .queueDeleted(let id): _ = removeQueue(recipient: id)
        case .messageAccepted(let id, let message): updateQueue(recipient: id) { $0.appendMessage(message) }
        case .messageAcknowledged(let id, let message):
            updateQueue(recipient: id) { queue in
                if queue.messages.first?.id == message { queue.removeMessages() }
            }
        case .messagesExpired(let id, let count):
            updateQueue(recipient: id) { $0.removeMessages(Int(count)) }
        case .recipientKeysChanged(let id, let keys): updateQueue(recipient: id) { $0.recipientKeys = keys }
        case .linkChanged(let id, let link): _ = updateExtras(recipient: id) { $0.link = link }
        case .notifierChanged(let id, let notifier): _ = updateExtras(recipient: id) { $0.notifier = notifier }
        case .queueServiceChanged(let id, let service): _ = updateExtras(recipient: id) { $0.service = service }
        case .noticeChanged(let id, let notice): updateQueue(recipient: id) { $0.extraValues.blockingNotice = notice }
        case .serviceAdded(let id, let role, let hash):
            insertService(Service(role: role, certificateHash: hash), id: id)
        }
    }

    /// The estimated size in bytes of a log that contains only the data in the table.
    var estimatedLogBytes: Int64 {
        Int64(queueCount) * 240 + Int64(messageCount) * 66 + Int64(messageBytes + linkBytes)
    }
}
