/// All queues, found by recipient id and by sender id. A value: a copy of it is a snapshot.
struct QueueTable: Sendable {
    private(set) var slots: ContiguousArray<Queue?> = []
    private var free: [Int32] = []
    private var byRecipient: [QueueID: Int32] = [:]
    private var bySender: [QueueID: Int32] = [:]

    var count: Int { byRecipient.count }
    private(set) var messageCount = 0
    /// Of the bodies of all messages.
    private(set) var messageBytes = 0

    func slot(recipient id: QueueID) -> Int? { byRecipient[id].map(Int.init) }
    func slot(sender id: QueueID) -> Int? { bySender[id].map(Int.init) }

    subscript(recipient id: QueueID) -> Queue? { slot(recipient: id).flatMap { slots[$0] } }
    subscript(sender id: QueueID) -> Queue? { slot(sender: id).flatMap { slots[$0] } }

    /// False when one of its ids is taken.
    mutating func insert(_ queue: Queue) -> Bool {
        guard byRecipient[queue.recipientID] == nil, bySender[queue.senderID] == nil else { return false }
        let index: Int32
        if let reused = free.popLast() {
            slots[Int(reused)] = queue
            index = reused
        } else {
            guard let next = Int32(exactly: slots.count) else { return false }
            slots.append(queue)
            index = next
        }
        byRecipient[queue.recipientID] = index
        bySender[queue.senderID] = index
        messageCount += queue.messages.count
        messageBytes += queue.messageBytes
        return true
    }

    mutating func remove(recipient id: QueueID) -> Queue? {
        guard let index = byRecipient.removeValue(forKey: id), let queue = slots[Int(index)] else { return nil }
        bySender[queue.senderID] = nil
        slots[Int(index)] = nil
        free.append(index)
        messageCount -= queue.messages.count
        messageBytes -= queue.messageBytes
        return queue
    }

    /// Changes a queue in place; nil when the slot is empty.
    mutating func update<T>(_ slot: Int, _ body: (inout Queue) -> T) -> T? {
        guard slots.indices.contains(slot) else { return nil }
        let (count, bytes) = (slots[slot]?.messages.count ?? 0, slots[slot]?.messageBytes ?? 0)
        // Optional chaining changes the element where it is, without a copy of it.
        let result = slots[slot]?.mutate(body)
        messageCount += (slots[slot]?.messages.count ?? 0) - count
        messageBytes += (slots[slot]?.messageBytes ?? 0) - bytes
        return result
    }

    mutating func update<T>(recipient id: QueueID, _ body: (inout Queue) -> T) -> T? {
        slot(recipient: id).flatMap { update($0, body) }
    }
}

extension Queue {
    fileprivate mutating func mutate<T>(_ body: (inout Queue) -> T) -> T { body(&self) }
}
