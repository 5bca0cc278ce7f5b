internal import Synchronization

/// The limited number of places for bodies that are read while they arrive. A client can have at most half of the
/// places, and the last quarter is reserved for clients without a place. So a client that sends slowly cannot stop
/// other clients from sending.
final class UploadPlaces: Sendable {
    private let limit: Int
    private let taken = Mutex<[String: Int]>([:])

    init(_ limit: Int) { self.limit = limit }

    /// Takes a place for a client. The caller must return each place.
    /// - Returns: false when no place is free for the client.
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
