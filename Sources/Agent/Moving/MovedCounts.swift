/// Counts of the imported and the omitted data of an app archive.
package struct MovedCounts: Sendable {
    /// Numbers of imported entries, by name.
    package private(set) var movedCounts: [String: Int] = [:]
    /// Numbers of entries that were not imported. The key describes the entries, with the reason.
    package private(set) var omittedCounts: [String: Int] = [:]

    package init() {}

    package mutating func countMoved(_ what: String, _ count: Int = 1) {
        if count > 0 { movedCounts[what, default: 0] += count }
    }
    package mutating func countOmitted(_ what: String, _ count: Int = 1) {
        if count > 0 { omittedCounts[what, default: 0] += count }
    }

    package mutating func addCounts(_ other: MovedCounts) {
        movedCounts.merge(other.movedCounts, uniquingKeysWith: +)
        omittedCounts.merge(other.omittedCounts, uniquingKeysWith: +)
    }
}
