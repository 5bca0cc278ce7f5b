import TestSupport
import Testing

@testable import Concurrency

@Suite("Counts of running work")
struct RunningWorkTests {
    @Test
    func `Tasks that wait for running work continue when the last work ends`() async throws {
        let work = RunningWork()
        work.begin()
        work.begin()
        let waits = (0..<2).map { _ in Task { await work.wait() } }
        try await eventually("both tasks wait") { work.waitingCount == 2 }
        work.end()
        #expect(work.waitingCount == 2 && work.isRunning)
        work.end()
        for wait in waits { await wait.value }
        #expect(!work.isRunning)
        await work.wait()
    }

    @Test
    func `A wait for running work ends at its time limit, and other waits continue`() async throws {
        let work = RunningWork()
        work.begin()
        let other = Task { await work.wait() }
        try await eventually("the task waits") { work.waitingCount == 1 }
        await work.wait(until: .now)
        #expect(work.waitingCount == 1 && work.isRunning)
        work.end()
        await other.value
    }

    @Test
    func `A cancelled task still waits until the running work ends`() async throws {
        let work = RunningWork()
        work.begin()
        let wait = Task { await work.wait() }
        wait.cancel()
        try await eventually("the task waits") { work.waitingCount == 1 }
        work.end()
        await wait.value
    }

    @Test
    func `Work that throws is no longer counted`() async {
        struct Refused: Error {}
        let work = RunningWork()
        await #expect(throws: Refused.self) {
            try await work.run {
                #expect(work.isRunning)
                throw Refused()
            }
        }
        #expect(!work.isRunning)
    }
}
