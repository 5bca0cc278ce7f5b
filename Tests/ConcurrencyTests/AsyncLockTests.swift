import Synchronization
import TestSupport
import Testing

@testable import Concurrency

@Suite("Async locks")
struct AsyncLockTests {
    @Test
    func `An async lock admits one task at a time, in the order of requests`() async throws {
        let lock = AsyncLock()
        let order = Mutex<[Int]>([])
        let (opened, gate) = AsyncStream.makeStream(of: Void.self)
        let first = Task { await lock.runLocked { for await _ in opened {} } }
        try await waitUntil("the next step") { lock.freePlaces == 0 }
        var tasks: [Task<Void, Never>] = []
        for number in 0..<100 {
            let note: @Sendable () -> Void = { order.withLock { $0.append(number) } }
            tasks.append(Task { await lock.runLocked(note) })
            try await waitUntil("the next step") { lock.waitingCount == number + 1 }
        }
        #expect(order.withLock { $0.isEmpty })
        gate.finish()
        await first.value
        for task in tasks { await task.value }
        #expect(order.withLock { $0 } == Array(0..<100))
        #expect(lock.freePlaces == 1)
    }

    @Test
    func `An async lock for two tasks admits a third task when one of the two has finished`() async throws {
        let lock = AsyncLock(places: 2)
        let (opened, gate) = AsyncStream.makeStream(of: Void.self)
        let holding = (0..<2).map { _ in Task { await lock.runLocked { for await _ in opened {} } } }
        try await waitUntil("two tasks have the lock") { lock.freePlaces == 0 }
        let third = Task { await lock.runLocked {} }
        try await waitUntil("the third task waits") { lock.waitingCount == 1 }
        gate.finish()
        for task in holding + [third] { await task.value }
        #expect(lock.freePlaces == 2)
    }

    @Test
    func `An async lock reports the number of running tasks and of waiting tasks`() async throws {
        let lock = AsyncLock(places: 2)
        #expect(lock.figures == WaitFigures())
        let turns = [await lock.acquireTurn(), await lock.acquireTurn()]
        let waiting = (0..<3).map { _ in Task { await lock.runLocked {} } }
        try await waitUntil("three tasks wait") { lock.figures.waitingCount == 3 }
        let figures = lock.figures
        #expect(figures.runningCount == 2 && figures.longestWait > .zero)
        for turn in turns { turn.end() }
        for task in waiting { await task.value }
        #expect(lock.figures == WaitFigures())
    }

    @Test
    func `Access to an async lock ends only once, at its explicit end or at its release from memory`() async {
        let lock = AsyncLock()
        var turn: AsyncLock.Turn? = await lock.acquireTurn()
        #expect(lock.freePlaces == 0)
        turn?.end()
        turn?.end()
        #expect(lock.freePlaces == 1)
        turn = await lock.acquireTurn()
        #expect(lock.freePlaces == 0)
        turn = nil
        #expect(lock.freePlaces == 1)
    }

    @Test
    func `An async lock is released if the task that holds it throws an error`() async {
        struct Refused: Error {}
        let lock = AsyncLock()
        await #expect(throws: Refused.self) { try await lock.runLocked { throw Refused() } }
        #expect(await lock.runLocked { 1 } == 1)
    }
}

@Suite("Backoff")
struct BackoffTests {
    @Test
    func `The delays of a backoff grow by a factor up to the limit, and start again after a success`() {
        var backoff = Backoff(initial: .milliseconds(100), limit: .seconds(1))
        let delays = (0..<6).map { _ in backoff.takeNextDelay() }
        #expect(
            delays == [
                .milliseconds(100), .milliseconds(200), .milliseconds(400), .milliseconds(800), .seconds(1),
                .seconds(1),
            ]
        )
        backoff.resetAttempts()
        #expect(backoff.takeNextDelay() == .milliseconds(100))
    }

    @Test
    func `The delay of a backoff never exceeds its limit, after any number of attempts`() {
        let backoff = Backoff(initial: .milliseconds(1), factor: 1.5, limit: .seconds(60))
        #expect(backoff.computeDelay(attempt: .max) == .seconds(60))
        #expect(backoff.computeDelay(attempt: -1) == .milliseconds(1))
    }

    @Test
    func `Jitter changes each delay of a backoff only within its bounds`() {
        let backoff = Backoff(initial: .seconds(1), limit: .seconds(4), jitter: 0.75...1.25)
        let delays = (0..<50).map { _ in backoff.computeDelay(attempt: 9) }
        #expect(delays.allSatisfy { $0 >= .seconds(3) && $0 <= .seconds(5) })
        #expect(Set(delays).count > 1)
    }
}
