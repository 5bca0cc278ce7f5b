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
}
