import Synchronization

/// A clock whose time the test moves.
package final class ManualClock: Clock {
    package typealias Duration = Swift.Duration

    package struct Instant: InstantProtocol {
        var offset = Duration.zero

        package func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
        package func duration(to other: Instant) -> Duration { other.offset - offset }
        package static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
    }

    private struct State {
        var now = Instant()
        var sleepers: [(deadline: Instant, end: AsyncStream<Void>.Continuation)] = []
    }
    private let state = Mutex(State())

    package init() {}

    package let minimumResolution = Duration.zero
    package var now: Instant { state.withLock { $0.now } }
    /// Number of calls of ``sleep(until:tolerance:)`` that wait for a later time, including cancelled calls.
    package var sleeperCount: Int { state.withLock { $0.sleepers.count } }

    package func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        let (sleep, end) = AsyncStream.makeStream(of: Void.self)
        state.withLock { state in
            if state.now < deadline { state.sleepers.append((deadline, end)) } else { end.finish() }
        }
        for await _ in sleep {}
        try Task.checkCancellation()
    }

    package func advance(by duration: Duration) {
        let due = state.withLock { state in
            state.now = state.now.advanced(by: duration)
            let due = state.sleepers.filter { $0.deadline <= state.now }
            state.sleepers.removeAll { $0.deadline <= state.now }
            return due
        }
        for sleeper in due { sleeper.end.finish() }
    }
}
