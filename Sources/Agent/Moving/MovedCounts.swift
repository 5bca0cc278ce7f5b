/// Counts of the moved and the omitted data of an import from an official app, or of an export to one.
package struct MovedCounts: Sendable {
    /// Numbers of moved entries. The key describes the entries.
    package private(set) var movedCounts: [String: Int] = [:]
    /// Numbers of entries that were not moved. The key describes the entries, with the reason.
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
