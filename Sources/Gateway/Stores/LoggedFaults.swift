internal import Synchronization

/// The faults of stores that were logged. A fault is logged once, and again after it has changed.
final class LoggedFaults: Sendable {
    private let faults = Mutex<[String: String]>([:])

    /// Records the present fault of a store.
    /// - Parameter fault: nil for a store without a fault.
    /// - Returns: whether the fault must be logged.
    func recordFault(_ fault: String?, of store: String) -> Bool {
        faults.withLock { faults in
            defer { faults[store] = fault }
            return fault != nil && faults[store] != fault
        }
    }

    /// Forgets the faults of all stores that are not in `stores`.
    func keepOnlyStores(_ stores: Set<String>) {
        faults.withLock { faults in faults = faults.filter { stores.contains($0.key) } }
    }
}
