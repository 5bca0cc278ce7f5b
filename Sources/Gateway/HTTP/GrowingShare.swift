/// The share of an incomplete request, which grows with the bytes that arrive.
struct GrowingShare {
    /// Bytes up to which nothing is counted, because the number of connections bounds them.
    static let uncounted = 64 << 10
    private var shares: [UnreadAnswers.Share] = []
    private var counted = 0

    /// Counts the bytes that have arrived since the last call.
    /// - Parameters:
    ///   - total: all bytes that have arrived.
    ///   - keep: called before more is kept; it returns nil when there is no room.
    /// - Returns: whether there is room.
    mutating func grow(to total: Int, _ keep: (Int) -> UnreadAnswers.Share?) -> Bool {
        let more = total - counted
        guard more > Self.uncounted else { return true }
        guard let share = keep(more) else { return false }
        shares.append(share)
        counted += more
        return true
    }

    mutating func clear() { self = GrowingShare() }
}
