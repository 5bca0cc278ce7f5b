package import Synchronization

/// A total since the start of a relay, which any thread may increase.
extension Atomic where Value == Int {
    package func increment(_ amount: Int = 1) { wrappingAdd(amount, ordering: .relaxed) }

    package var currentTotal: Int { load(ordering: .relaxed) }
}
