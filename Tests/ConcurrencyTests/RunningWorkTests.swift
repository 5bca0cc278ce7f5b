import TestSupport
import Testing

@testable import Concurrency

@Suite("Counts of running work")
struct RunningWorkTests {
    @Test
    func `Tasks that wait until no work runs continue when the last running work ends`() async throws {
        let work = RunningWork()
        work.beginWork()
        work.beginWork()
        let waits = (0..<2).map { _ in Task { await work.waitUntilIdle() } }
        try await waitUntil("both tasks wait") { work.waitingCount == 2 }
        work.endWork()
        #expect(work.waitingCount == 2 && work.isRunning)
        work.endWork()
        for wait in waits { await wait.value }
        #expect(!work.isRunning)
        await work.waitUntilIdle()
    }

    @Test
    func `A wait for the end of running work stops at its time limit, and other waits continue`() async throws {
        let work = RunningWork()
        work.beginWork()
        let other = Task { await work.waitUntilIdle() }
        try await waitUntil("the task waits") { work.waitingCount == 1 }
        await work.waitUntilIdle(until: .now)
        #expect(work.waitingCount == 1 && work.isRunning)
        work.endWork()
        await other.value
    }

    @Test
    func `A cancelled task that waits for running work still waits until the work ends`() async throws {
        let work = RunningWork()
        work.beginWork()
        let wait = Task { await work.waitUntilIdle() }
        wait.cancel()
        try await waitUntil("the task waits") { work.waitingCount == 1 }
        work.endWork()
        await wait.value
    }

    @Test
    func `Work that ends with an error is no longer counted as running`() async {
        struct Refused: Error {}
        let work = RunningWork()
        await #expect(throws: Refused.self) {
            try await work.runCounted {
                #expect(work.isRunning)
                throw Refused()
            }
        }
        #expect(!work.isRunning)
    }
}
