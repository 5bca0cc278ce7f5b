internal import ChatStore

/// Puts deliveries in the order of their ids. Commits are reported in any order, so a delivery waits for all earlier
/// deliveries.
///
/// An id that is never reported would block all later deliveries. In that case the database decides whether the
/// delivery exists.
struct DeliveryOrder {
    /// The id of the delivery that comes next.
    private(set) var next: Int64
    private var early: [Int64: Delivery] = [:]

    init(next: Int64) { self.next = next }

    /// The id for which later deliveries wait; nil when no delivery waits.
    var missing: Int64? { early.isEmpty ? nil : next }

    /// Adds committed deliveries.
    /// - Returns: the deliveries that come next, in order.
    mutating func report(_ deliveries: [Delivery]) -> [Delivery] {
        // Deliveries before `next` are skipped: they were already read from the database.
        for delivery in deliveries where delivery.deliveryId >= next { early[delivery.deliveryId] = delivery }
        return ready()
    }

    /// Continues with the deliveries that the database contains up to the id `last`. Ids without a delivery are
    /// skipped.
    /// - Returns: the same result as ``report(_:)``.
    mutating func fill(_ stored: [Delivery], through last: Int64) -> [Delivery] {
        guard last >= next else { return [] }
        for delivery in stored where delivery.deliveryId >= next && early[delivery.deliveryId] == nil {
            early[delivery.deliveryId] = delivery
        }
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
