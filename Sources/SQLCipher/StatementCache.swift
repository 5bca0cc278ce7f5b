/// The prepared statements that a connection used last. When the cache is full, the least recently used statement is
/// removed.
struct StatementCache {
    private var entries: [String: Entry] = [:]
    private var useCounter: UInt64 = 0
    private let capacity: Int
    private let caches = ConnectionCaches()

    private struct Entry {
        let statement: Statement
        var lastUse: UInt64
    }

    init(capacity: Int) { self.capacity = capacity }

    var count: Int { entries.count }

    func contains(_ sql: String) -> Bool { entries[sql] != nil }

    mutating func findOrPrepareStatement(_ sql: String, database: OpaquePointer) throws(DatabaseError) -> Statement {
        useCounter &+= 1
        if let statement = entries[sql]?.statement {
            entries[sql]?.lastUse = useCounter
            return statement
        }
        let made = try Statement(sql, database: database, caches)
        if entries.count >= capacity, let oldest = entries.min(by: { $0.value.lastUse < $1.value.lastUse })?.key {
            entries[oldest] = nil
        }
        entries[sql] = Entry(statement: made, lastUse: useCounter)
        return made
    }

    mutating func removeAll() { entries.removeAll() }
}
