import TestSupport
import Testing

@testable import Concurrency

@Suite("Counts of running work")
struct RunningWorkTests {
    @Test("Tasks that wait for running work continue when the last work ends")
    func lastWork() async throws {
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

    @Test("A wait for running work ends at its time limit, and other waits continue")
    func limit() async throws {
        let work = RunningWork()
        work.begin()
        let other = Task { await work.wait() }
        try await eventually("the task waits") { work.waitingCount == 1 }
        await work.wait(until: .now)
        #expect(work.waitingCount == 1 && work.isRunning)
        work.end()
        await other.value
    }

    @Test("A cancelled task still waits until the running work ends")
    func cancellation() async throws {
        let work = RunningWork()
        work.begin()
        let wait = Task { await work.wait() }
        wait.cancel()
        try await eventually("the task waits") { work.waitingCount == 1 }
        work.end()
        await wait.value
    }

    @Test("Work that throws is no longer counted")
    func throwing() async {
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
