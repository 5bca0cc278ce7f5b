import Testing

@testable import Concurrency

@Suite struct WorkProgressTests {
    @Test("A work shows its done part, and a total that is never less")
    func amount() {
        let progress = WorkProgress(isCancellable: true)
        #expect(progress.amount == nil)
        progress.begin(.bytes, of: 10)
        progress.advance(by: 4)
        #expect(progress.amount == WorkProgress.Amount(done: 4, total: 10, unit: .bytes))
        progress.advance(to: 3)
        progress.advance(by: 8)
        #expect(progress.amount == WorkProgress.Amount(done: 12, total: 12, unit: .bytes))
        progress.begin(.bytes)
        progress.advance(by: .max)
        progress.advance(by: .max)
        #expect(progress.amount == WorkProgress.Amount(done: .max, total: nil, unit: .bytes))
    }

    @Test("A blocking function and its condition see the progress of the task")
    func current() async throws {
        let progress = WorkProgress(isCancellable: true)
        try await WorkProgress.$current.withValue(progress) {
            let mayContinue = WorkProgress.condition { true }
            try await blocking { WorkProgress.current?.begin(.bytes, of: 1) }
            #expect(progress.amount?.total == 1 && mayContinue())
            #expect(progress.cancel() && !mayContinue())
        }
        #expect(try await blocking { WorkProgress.current == nil })
    }

    @Test("A task that is started without a progress reports into no work, and the work keeps its progress")
    func unfollowed() async {
        let progress = WorkProgress(isCancellable: true)
        await WorkProgress.$current.withValue(progress) {
            let task = await WorkProgress.unfollowed { Task { WorkProgress.current == nil } }
            #expect(await task.value)
            #expect(WorkProgress.current === progress)
        }
    }

    @Test("A cancelled work does not begin its effect, and a work that has begun its effect is not cancelled")
    func commit() throws {
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
