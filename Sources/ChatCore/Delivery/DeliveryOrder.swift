internal import ChatStore

/// Puts deliveries in the order of their ids. Commits are reported in any order, so a delivery waits for all earlier
/// deliveries.
///
/// An id that is never reported would block all later deliveries. In that case the database decides whether the
/// delivery exists.
struct DeliveryOrder {
    /// The id of the delivery that is next in the order.
    private(set) var nextDeliveryId: Int64
    private var earlyDeliveries: [Int64: Delivery] = [:]

    init(next: Int64) { self.nextDeliveryId = next }

    /// The id of the unreported delivery for which later deliveries wait; nil when no delivery waits.
    var missingDeliveryId: Int64? { earlyDeliveries.isEmpty ? nil : nextDeliveryId }

    /// Adds committed deliveries.
    /// - Returns: the deliveries that come next, in order.
    mutating func addCommitted(_ deliveries: [Delivery]) -> [Delivery] {
        // Deliveries before `nextDeliveryId` are skipped: they were already read from the database.
        for delivery in deliveries where delivery.deliveryId >= nextDeliveryId {
            earlyDeliveries[delivery.deliveryId] = delivery
        }
        return takeReadyDeliveries()
    }

    /// Adds the deliveries that the database contains up to the id `last`. Later deliveries no longer wait for ids
    /// without a delivery.
    /// - Returns: the deliveries that come next, in order.
    mutating func fillFromDatabase(_ stored: [Delivery], through last: Int64) -> [Delivery] {
        guard last >= nextDeliveryId else { return [] }
        for delivery in stored
        where delivery.deliveryId >= nextDeliveryId && earlyDeliveries[delivery.deliveryId] == nil {
            earlyDeliveries[delivery.deliveryId] = delivery
        }
        let filled = earlyDeliveries.keys.filter { $0 <= last }.sorted().compactMap {
            earlyDeliveries.removeValue(forKey: $0)
        }
        nextDeliveryId = last + 1
        return filled + takeReadyDeliveries()
    }

    private mutating func takeReadyDeliveries() -> [Delivery] {
        var ready: [Delivery] = []
        while let delivery = earlyDeliveries.removeValue(forKey: nextDeliveryId) {
            nextDeliveryId += 1
            ready.append(delivery)
        }
        return ready
    }
}
