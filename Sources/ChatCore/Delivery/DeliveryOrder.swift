/// Deliveries go in the order of their ids, in whatever order their committers report them: one waits for those before it.
///
/// An id that no committer reports would hold up all after it. The database knows what became of it: it has the delivery, or never will.
struct DeliveryOrder {
    /// The id of the delivery that comes next.
    private(set) var next: Int64
    private var early: [Int64: Delivery] = [:]

    init(next: Int64) { self.next = next }

    /// The id that others wait for; nil when none do.
    var missing: Int64? { early.isEmpty ? nil : next }

    /// - Returns: the deliveries whose turn it is now, in order.
    mutating func report(_ deliveries: [Delivery]) -> [Delivery] {
        // What the database has told of already is reported too late.
        for delivery in deliveries where delivery.deliveryId >= next { early[delivery.deliveryId] = delivery }
        return ready()
    }

    /// Goes on with what the database has of the ids up to `last`: those that it does not have are skipped.
    /// - Returns: as ``report(_:)``.
    mutating func fill(_ stored: [Delivery], through last: Int64) -> [Delivery] {
        guard last >= next else { return [] }
        for delivery in stored where delivery.deliveryId >= next && early[delivery.deliveryId] == nil { early[delivery.deliveryId] = delivery }
        let filled = early.keys.filter { $0 <= last }.sorted().compactMap { early.removeValue(forKey: $0) }
        next = last + 1
        return filled + ready()
    }

    private mutating func ready() -> [Delivery] {
        var ready: [Delivery] = []
        while let delivery = early.removeValue(forKey: next) {
            next += 1
            ready.append(delivery)
        }
        return ready
    }
}
