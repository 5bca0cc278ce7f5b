/// States of profiles whose chat lists are longer than one answer. A state is kept while clients request its other
/// parts, so that all parts belong to one state although the profile changes.
struct DividedStates {
    /// Maximal number of states. At the limit, a new state replaces the oldest state.
    static let limit = 4
    /// Microseconds for which a state is kept after the last request for one of its parts.
    static let lifetime: Int64 = 60_000_000

    private var states: [(snapshot: ProfileSnapshot, used: Int64)] = []

    mutating func keep(_ snapshot: ProfileSnapshot) {
        states.removeAll { $0.snapshot.id == snapshot.id }
        if states.count == Self.limit { states.removeFirst() }
        states.append((snapshot, MonotonicClock.microseconds()))
    }

    mutating func state(at id: String) -> ProfileSnapshot? {
        guard let index = states.firstIndex(where: { $0.snapshot.id == id }) else { return nil }
        states[index].used = MonotonicClock.microseconds()
        return states[index].snapshot
    }

    mutating func expire() {
        let limit = MonotonicClock.microseconds() - Self.lifetime
        states.removeAll { $0.used < limit }
    }

    /// Drops all states, after something in them was deleted or edited.
    mutating func forget() { states = [] }
}
