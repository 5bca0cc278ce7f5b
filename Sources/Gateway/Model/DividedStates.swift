/// States of a profile whose chat lists are longer than an answer. They are kept for the requests of the other parts, so that all parts are of one
/// state, however much the profile changes meanwhile.
struct DividedStates {
    /// The maximum number that is kept; beyond it the oldest is dropped.
    static let limit = 4
    /// Microseconds from the last request of a part.
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

    /// Something was deleted that they show.
    mutating func forget() { states = [] }
}
