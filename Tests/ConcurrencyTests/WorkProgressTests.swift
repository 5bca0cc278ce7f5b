import Testing

@testable import Concurrency

@Suite struct WorkProgressTests {
    @Test
    func `The total of a progress is never less than its completed part`() {
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
    func `Blocking work reports to the progress of its task, and its condition ends when this progress is cancelled`()
        async throws
    {
        let progress = WorkProgress(isCancellable: true)
        try await WorkProgress.$current.withValue(progress) {
            let mayContinue = WorkProgress.condition { true }
            try await runBlocking { WorkProgress.current?.beginCounting(.bytes, of: 1) }
            #expect(progress.amount?.total == 1 && mayContinue())
            #expect(progress.cancel() && !mayContinue())
        }
        #expect(try await runBlocking { WorkProgress.current == nil })
    }

    @Test
    func `A task that is started without a progress does not report to the current progress`() async {
        let progress = WorkProgress(isCancellable: true)
        await WorkProgress.$current.withValue(progress) {
            let task = await WorkProgress.withoutProgress { Task { WorkProgress.current == nil } }
            #expect(await task.value)
            #expect(WorkProgress.current === progress)
        }
    }

    @Test
    func `Cancelled work cannot be committed, and committed work cannot be cancelled`() throws {
        let cancelled = WorkProgress(isCancellable: true)
        #expect(cancelled.isCancellable && cancelled.cancel() && !cancelled.isCancellable)
        #expect(throws: CancellationError.self) {
            try WorkProgress.$current.withValue(cancelled) { try WorkProgress.commit() }
        }
        let committed = WorkProgress(isCancellable: true)
        try WorkProgress.$current.withValue(committed) { try WorkProgress.commit() }
        #expect(!committed.cancel() && !committed.isCancelled)
        #expect(!WorkProgress(isCancellable: false).cancel())
        try WorkProgress.commit()
    }
}
