package import Synchronization

/// Lets an atomic integer count events since the start of a relay. Any thread may increase it.
extension Atomic where Value == Int {
    package func increment(_ amount: Int = 1) { wrappingAdd(amount, ordering: .relaxed) }

    package var currentTotal: Int { load(ordering: .relaxed) }
}
