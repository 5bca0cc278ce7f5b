import Testing

@testable import Concurrency

@Suite struct WorkProgressTests {
    @Test
    func `The total amount in the progress of work is never less than the completed amount`() {
        let progress = WorkProgress(isCancellable: true)
        #expect(progress.amount == nil)
        progress.beginCounting(.bytes, of: 10)
        progress.advance(by: 4)
        #expect(progress.amount == WorkProgress.Amount(done: 4, total: 10, unit: .bytes))
        progress.advance(to: 3)
        progress.advance(by: 8)
        #expect(progress.amount == WorkProgress.Amount(done: 12, total: 12, unit: .bytes))
        progress.beginCounting(.bytes)
        progress.advance(by: .max)
        progress.advance(by: .max)
        #expect(progress.amount == WorkProgress.Amount(done: .max, total: nil, unit: .bytes))
    }

    @Test
    func `Blocking work reports its progress to its task, and is told to end after a cancellation`()
        async throws
    {
        let progress = WorkProgress(isCancellable: true)
        try await WorkProgress.$currentProgress.withValue(progress) {
            let mayContinue = WorkProgress.makeContinueCondition { true }
            try await runBlocking { WorkProgress.currentProgress?.beginCounting(.bytes, of: 1) }
            #expect(progress.amount?.totalAmount == 1 && mayContinue())
            #expect(progress.requestCancellation() && !mayContinue())
        }
        #expect(try await runBlocking { WorkProgress.currentProgress == nil })
    }

    @Test
    func `A task that is started outside of the current work does not report to the progress of this work`() async {
        let progress = WorkProgress(isCancellable: true)
        await WorkProgress.$currentProgress.withValue(progress) {
            let task = await WorkProgress.withoutProgress { Task { WorkProgress.currentProgress == nil } }
            #expect(await task.value)
            #expect(WorkProgress.currentProgress === progress)
        }
    }

    @Test
    func `Cancelled work cannot commit its changes, and work that has begun its commit cannot be cancelled`() throws {
        let cancelled = WorkProgress(isCancellable: true)
        #expect(cancelled.isCancellable && cancelled.requestCancellation() && !cancelled.isCancellable)
        #expect(throws: CancellationError.self) {
            try WorkProgress.$currentProgress.withValue(cancelled) { try WorkProgress.preventCancellation() }
        }
        let committed = WorkProgress(isCancellable: true)
        try WorkProgress.$currentProgress.withValue(committed) { try WorkProgress.preventCancellation() }
        #expect(!committed.requestCancellation() && !committed.isCancelled)
        #expect(!WorkProgress(isCancellable: false).requestCancellation())
        try WorkProgress.preventCancellation()
    }
}
