import Synchronization

@testable import Gateway

/// A clock that stands still until a test moves it.
final class HeldClock: Sendable {
    private struct State {
        var now: Int64
        var sleepers: [Int: (end: Int64, continuation: CheckedContinuation<Void, any Error>)] = [:]
        var cancelledSleepers: Set<Int> = []
        var lastNumber = 0
        var observers: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []

        /// Removes and returns the observers that wait for at most the present number of sleepers.
        mutating func takeObservers() -> [CheckedContinuation<Void, Never>] {
            let count = sleepers.count
            defer { observers.removeAll { $0.count <= count } }
            return observers.filter { $0.count <= count }.map(\.continuation)
        }
    }

    private let state: Mutex<State>

    /// - Parameter now: seconds since 1970.
    init(at now: Int64) { state = Mutex(State(now: now)) }

    var gatewayClock: GatewayClock {
        GatewayClock(
            seconds: { self.state.withLock { $0.now } },
            monotonicMicroseconds: { self.state.withLock { $0.now } * 1_000_000 },
            sleepUntil: { try await self.sleep(until: $0) }
        )
    }

    func advance(by seconds: Int64) {
        let due = state.withLock { state in
            state.now += seconds
            let due = state.sleepers.filter { $0.value.end <= state.now }
            for number in due.keys { state.sleepers[number] = nil }
            return due.values.map(\.continuation)
        }
        for sleeper in due { sleeper.resume() }
    }

    /// Waits until this number of tasks sleeps.
    func waitForSleepers(_ count: Int) async {
        await withCheckedContinuation { continuation in
            let observers = state.withLock { state in
                state.observers.append((count, continuation))
                return state.takeObservers()
            }
            for observer in observers { observer.resume() }
        }
    }

    private func sleep(until end: Int64) async throws {
        let number = state.withLock { state in
            state.lastNumber += 1
            return state.lastNumber
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
                enum Outcome { case waits, isDue, isCancelled }
                let (outcome, observers) = state.withLock {
                    state -> (Outcome, [CheckedContinuation<Void, Never>]) in
                    if state.cancelledSleepers.remove(number) != nil { return (.isCancelled, []) }
                    if end <= state.now { return (.isDue, []) }
                    state.sleepers[number] = (end, continuation)
                    return (.waits, state.takeObservers())
                }
                for observer in observers { observer.resume() }
                switch outcome {
                case .waits: break
                case .isDue: continuation.resume()
                case .isCancelled: continuation.resume(throwing: CancellationError())
                }
            }
        } onCancel: {
            let sleeper = state.withLock { state in
                if state.sleepers[number] == nil { state.cancelledSleepers.insert(number) }
                return state.sleepers.removeValue(forKey: number)
            }
            sleeper?.continuation.resume(throwing: CancellationError())
        }
    }
}
