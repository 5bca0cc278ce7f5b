/// The limits of the journal. If a limit is exceeded, the oldest entries are deleted.
package struct JournalRetention: Sendable, Hashable {
    /// The maximum number of entries.
    package var maxEntries: UInt64
    /// The maximum age in seconds.
    package var maxAgeSeconds: Int64
    /// The maximum size of the entries in bytes, as they were written. Later compression is not counted. Between two
    /// checks, the size may exceed this limit by a 64th of the limit.
    package var maxBytes: UInt64

    package init(count: UInt64 = 100_000, age: Int64 = 30 * 86400, bytes: UInt64 = 256 << 20) {
        self.maxEntries = count
        self.maxAgeSeconds = age
        self.maxBytes = bytes
    }
}

/// The journal from which a copy was made.
package struct JournalOrigin: Sendable, Hashable {
    package let epoch: String
    /// The number of the last common entry. Later entries have the same numbers in both journals, but are different.
    package let lastCommonSeq: UInt64

    package init(epoch: String, end: UInt64) { (self.epoch, self.lastCommonSeq) = (epoch, end) }
}
