/// The memory of an incomplete request, which counts toward a limit. The share grows with the bytes that arrive.
struct GrowingShare {
    /// Number of bytes that are not counted, because the number of connections limits their memory.
    static let uncountedBytes = 64 << 10
    private var shares: [UnreadAnswers.Share] = []
    private var countedBytes = 0

    /// Counts the bytes that have arrived since the last count, as soon as they are more than ``uncountedBytes``.
    /// - Parameters:
    ///   - total: the number of all bytes that have arrived.
    ///   - keep: reserves memory for a number of bytes; returns nil when the limit of memory is reached.
    /// - Returns: false when the limit of memory is reached.
    mutating func growShare(to total: Int, _ keep: (Int) -> UnreadAnswers.Share?) -> Bool {
        let more = total - countedBytes
        guard more > Self.uncountedBytes else { return true }
        guard let share = keep(more) else { return false }
        shares.append(share)
        countedBytes += more
        return true
    }

    mutating func releaseShares() { self = GrowingShare() }
}
