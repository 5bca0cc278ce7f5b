import TestSupport
import Testing

@testable import Concurrency

@Suite("Signals to workers")
struct WakeSignalTests {
    @Test
    func `A signal wakes a worker from a pause of any length`() async {
        let signal = WakeSignal()
        let (runs, run) = AsyncStream.makeStream(of: Void.self)
        let worker = Task {
            await signal.runAtSignals {
                run.yield()
                return .seconds(Int64.max)
            }
        }
        var count = 0
        for await _ in runs {
            count += 1
            if count == 3 { break }
            signal.wake()
        }
        worker.cancel()
        await worker.value
        #expect(count == 3)
    }

    @Test
    func `A worker without a pause at its start begins its first run only after a signal`() async throws {
        let signal = WakeSignal()
        let (runs, run) = AsyncStream.makeStream(of: Void.self)
        let worker = Task {
            await signal.runAtSignals(after: nil) {
                run.yield()
                return nil
            }
            run.finish()
        }
        try await waitUntil("the worker waits") { signal.isAwaited }
        signal.wake()
        try await waitUntil("the worker waits again") { signal.isAwaited }
        worker.cancel()
        #expect(await runs.reduce(0) { count, _ in count + 1 } == 1)
    }

    @Test
    func `A signal that is sent before a worker waits is kept for the wait`() async {
        let signal = WakeSignal()
        let (runs, run) = AsyncStream.makeStream(of: Void.self)
        signal.wake()
        let worker = Task {
            await signal.runAtSignals(after: .seconds(Int64.max)) {
                run.yield()
                return nil
            }
        }
        for await _ in runs { break }
        worker.cancel()
        await worker.value
    }

    @Test
    func `A worker with a pause at its start begins its first run after the pause, even without a signal`() async {
        let signal = WakeSignal()
        let (runs, run) = AsyncStream.makeStream(of: Void.self)
        let worker = Task {
            await signal.runAtSignals(after: .milliseconds(1)) {
                run.yield()
                return nil
            }
        }
        for await _ in runs { break }
        worker.cancel()
        await worker.value
    }
}
