import RelayBase
import SMP
import SimpleXCrypto

/// All queues, found by each of their ids, and the services. This is a value type, so a copy is a snapshot.
struct QueueTable: Sendable {
    private(set) var slots: ContiguousArray<Queue?> = []
    private var freeSlots: [Int32] = []
    private var slotsByRecipient: [QueueID: Int32] = [:]
    private var slotsBySender: [QueueID: Int32] = [:]
    private var slotsByLink: [LinkID: Int32] = [:]
    private var slotsByNotifier: [NotifierID: Int32] = [:]
    private(set) var services: [ServiceID: Service] = [:]
    private var serviceIDs: [Bytes32: ServiceID] = [:]

    var queueCount: Int { slotsByRecipient.count }
    var linkCount: Int { slotsByLink.count }
    var notifierCount: Int { slotsByNotifier.count }
    private(set) var messageCount = 0
    /// Total size of the bodies of all messages, in bytes.
    private(set) var messageBytes = 0
    /// Total size of all link data, in bytes.
    private(set) var linkBytes = 0

    func findSlot(recipient id: QueueID) -> Int? { slotsByRecipient[id].map(Int.init) }

    subscript(recipient id: QueueID) -> Queue? { findSlot(recipient: id).flatMap { slots[$0] } }
    subscript(sender id: QueueID) -> Queue? { slotsBySender[id].flatMap { slots[Int($0)] } }
    subscript(link id: LinkID) -> Queue? { slotsByLink[id].flatMap { slots[Int($0)] } }
    subscript(notifier id: NotifierID) -> Queue? { slotsByNotifier[id].flatMap { slots[Int($0)] } }

    /// Adds a queue. Returns false, and adds nothing, when one of its ids is in use.
    mutating func insertQueue(_ queue: Queue) -> Bool {
        guard slotsByRecipient[queue.recipientID] == nil, slotsBySender[queue.senderID] == nil else { return false }
        let extra = queue.hasExtraValues ? queue.extraValues : nil
        if let link = extra?.link, slotsByLink[link.id] != nil { return false }
        if let notifier = extra?.notifier, slotsByNotifier[notifier.id] != nil { return false }
        let index: Int32
        if let reused = freeSlots.popLast() {
            slots[Int(reused)] = queue
            index = reused
        } else {
            guard let next = Int32(exactly: slots.count) else { return false }
            slots.append(queue)
            index = next
        }
        slotsByRecipient[queue.recipientID] = index
        slotsBySender[queue.senderID] = index
        messageCount += queue.messages.count
        messageBytes += queue.messageBytes
        if let extra { registerExtras(extra, of: queue.recipientID, at: index) }
        return true
    }

    mutating func removeQueue(recipient id: QueueID) -> Queue? {
        guard let index = slotsByRecipient.removeValue(forKey: id), let queue = slots[Int(index)] else { return nil }
        if queue.hasExtraValues { unregisterExtras(queue.extraValues, of: id) }
        slotsBySender[queue.senderID] = nil
        slots[Int(index)] = nil
        freeSlots.append(index)
        messageCount -= queue.messages.count
        messageBytes -= queue.messageBytes
        return queue
    }

    private mutating func registerExtras(_ extra: QueueExtras, of id: QueueID, at index: Int32) {
        if let link = extra.link {
            slotsByLink[link.id] = index
            linkBytes += link.byteCount
        }
        if let notifier = extra.notifier {
            slotsByNotifier[notifier.id] = index
            if let service = notifier.service { services[service]?.add(notifier: notifier.id) }
        }
        if let service = extra.service { services[service]?.add(queue: id) }
    }

    private mutating func unregisterExtras(_ extra: QueueExtras, of id: QueueID) {
        if let link = extra.link {
            slotsByLink[link.id] = nil
            linkBytes -= link.byteCount
        }
        if let notifier = extra.notifier {
            slotsByNotifier[notifier.id] = nil
            if let service = notifier.service { services[service]?.remove(notifier: notifier.id) }
        }
        if let service = extra.service { services[service]?.remove(queue: id) }
    }

    /// Changes the queue in a slot without copying the queue. Returns nil when the slot is empty. `body` must not
    /// change ids and services, which only ``updateExtras(recipient:_:)`` may change.
    mutating func updateQueue<T>(_ slot: Int, _ body: (inout Queue) -> T) -> T? {
        guard slots.indices.contains(slot) else { return nil }
        let (count, bytes) = (slots[slot]?.messages.count ?? 0, slots[slot]?.messageBytes ?? 0)
        // Optional chaining changes the element in place, without a copy.
        let result = slots[slot]?.change(body)
        messageCount += (slots[slot]?.messages.count ?? 0) - count
        messageBytes += (slots[slot]?.messageBytes ?? 0) - bytes
        return result
    }

    mutating func updateQueue<T>(recipient id: QueueID, _ body: (inout Queue) -> T) -> T? {
        findSlot(recipient: id).flatMap { updateQueue($0, body) }
    }

    /// Changes the link, the notifier or the service of a queue. Returns false, and changes nothing, if the queue does
    /// not exist or a new id belongs to another queue.
    mutating func updateExtras(recipient id: QueueID, _ body: (inout QueueExtras) -> Void) -> Bool {
        guard let index = slotsByRecipient[id], let old = slots[Int(index)]?.extraValues else { return false }
        var new = old
        body(&new)
        if let link = new.link, let holder = slotsByLink[link.id], holder != index { return false }
        if let notifier = new.notifier, let holder = slotsByNotifier[notifier.id], holder != index { return false }
        unregisterExtras(old, of: id)
        registerExtras(new, of: id, at: index)
        slots[Int(index)]?.extraValues = new
        return true
    }

    // MARK: Services

    /// Returns the service with this certificate.
    func findService(certificateHash hash: Bytes32) -> (id: ServiceID, role: ClientHello.Service.Role)? {
        serviceIDs[hash].flatMap { id in services[id].map { (id, $0.role) } }
    }

    mutating func insertService(_ service: Service, id: ServiceID) {
        services[id] = service
        serviceIDs[service.certificateHash] = id
    }

    mutating func updateService(_ id: ServiceID, _ body: (inout Service) -> Void) {
        if services[id] != nil { services[id]?.change(body) }
    }
}

extension Queue {
    fileprivate mutating func change<T>(_ body: (inout Queue) -> T) -> T { body(&self) }
}

extension Service {
    fileprivate mutating func change(_ body: (inout Service) -> Void) { body(&self) }
}
