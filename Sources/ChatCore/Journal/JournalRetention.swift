/// How much of the journal is kept. Beyond any of the limits the oldest entries are deleted.
public struct JournalRetention: Sendable, Hashable {
    /// The most entries.
    public var count: UInt64
    /// The greatest age in seconds.
    public var age: Int64
    /// Maximal size in bytes of the entries as they were written; later they take less. Between two checks it may be exceeded by a 64th.
    public var bytes: UInt64

    public init(count: UInt64 = 100_000, age: Int64 = 30 * 86400, bytes: UInt64 = 256 << 20) {
        self.count = count
        self.age = age
        self.bytes = bytes
    }
}

/// The journal that one has come from: that of the store of which this is a copy.
public struct JournalOrigin: Sendable, Hashable {
    public let epoch: String
    /// The number of the last entry that both have. Further ones have the same numbers in both, and are others.
    public let end: UInt64

    public init(epoch: String, end: UInt64) { (self.epoch, self.end) = (epoch, end) }
}
