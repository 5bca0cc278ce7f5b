/// What is counted of a request that comes in parts, until it is complete.
struct GrowingShare {
    /// Less is not counted: it is bounded by the number of connections.
    static let uncounted = 64 << 10
    private var shares: [UnreadAnswers.Share] = []
    private var counted = 0

    /// Counts what has come since the last time.
    /// - Parameters:
    ///   - total: bytes that have come.
    ///   - keep: asked before more is kept; nil says that there is no room.
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
