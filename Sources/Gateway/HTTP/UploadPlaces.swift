internal import Synchronization

/// The places for bodies that are read while they arrive. One client has at most half of them, and the last quarter is
/// for clients that have none. So a client that sends slowly does not keep others from sending.
final class UploadPlaces: Sendable {
    private let limit: Int
    private let taken = Mutex<[String: Int]>([:])

    init(_ limit: Int) { self.limit = limit }

    /// - Returns: whether there was a place. The caller gives each place back.
    func take(_ client: String) -> Bool {
        taken.withLock { taken in
            let (all, own) = (taken.values.reduce(0, +), taken[client] ?? 0)
            guard all < limit, own == 0 || own < limit / 2 && all < limit - limit / 4 else { return false }
            taken[client] = own + 1
            return true
        }
    }

    func giveBack(_ client: String) {
        taken.withLock { taken in
            let left = (taken[client] ?? 1) - 1
            taken[client] = left > 0 ? left : nil
        }
    }
}
