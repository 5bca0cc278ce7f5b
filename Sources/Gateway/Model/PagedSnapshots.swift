import Clocks

/// States of profiles whose chat lists are too long for one answer. A client reads such a state in parts. The state is
/// kept while clients request its parts, so that all parts belong to the same state although the profile changes.
struct PagedSnapshots {
    /// Maximal number of states. At the limit, a new state replaces the oldest state.
    static let maxStates = 4
    /// Microseconds for which a state is kept after the last request for one of its parts.
    static let lifetimeMicroseconds: Int64 = 60_000_000

    private var states: [(snapshot: ProfileSnapshot, used: Int64)] = []

    mutating func keepState(_ snapshot: ProfileSnapshot) {
        states.removeAll { $0.snapshot.logCursor == snapshot.logCursor }
        if states.count == Self.maxStates { states.removeFirst() }
        states.append((snapshot, MonotonicClock.microseconds()))
    }

    mutating func findState(at id: String) -> ProfileSnapshot? {
        guard let index = states.firstIndex(where: { $0.snapshot.logCursor == id }) else { return nil }
        states[index].used = MonotonicClock.microseconds()
        return states[index].snapshot
    }

    mutating func removeExpiredStates() {
        let limit = MonotonicClock.microseconds() - Self.lifetimeMicroseconds
        states.removeAll { $0.used < limit }
    }

    /// Drops all states, after content of the states was deleted or edited.
    mutating func removeAll() { states = [] }
}
