import Testing

@testable import Gateway

@Suite struct MemoryRestTests {
    private let start = ContinuousClock.now

    /// - Parameters:
    ///   - seconds: the time since the start of the test.
    ///   - size: the resident memory in MiB.
    private func state(
        _ seconds: Int,
        size: Int64 = 40,
        processor: Double = 0,
        releases: Int = 0
    ) -> TrimSchedule.State {
        .init(
            processorSeconds: processor,
            residentBytes: size << 20,
            releaseCount: releases,
            time: start + .seconds(seconds)
        )
    }

    @Test
    func `Memory is returned once after databases have settled`() {
        var rest = TrimSchedule(state(0))
        let due = [state(5), state(10, releases: 3), state(15, releases: 3)].map { rest.isDue($0) }
        #expect(due == [false, true, false])
    }

    @Test
    func `Memory is returned after the process has grown by 8 MiB`() {
        var rest = TrimSchedule(state(0))
        let due = [state(5, size: 48), state(10, size: 49)].map { rest.isDue($0) }
        #expect(due == [false, true])
    }

    @Test
    func `A busy process returns its memory when it is idle again`() {
        var rest = TrimSchedule(state(0))
        let due = [state(5, processor: 1, releases: 2), state(10, processor: 1.1, releases: 2)].map {
            rest.isDue($0)
        }
        #expect(due == [false, true])
    }

    @Test
    func `The pause after a return of memory is 100 times as long as the return`() {
        var rest = TrimSchedule(state(0))
        let first = rest.isDue(state(5, releases: 1))
        rest.recordTrim(at: start + .seconds(5), within: .milliseconds(200))
        let due = [state(24, releases: 2), state(25, releases: 2)].map { rest.isDue($0) }
        #expect(first && due == [false, true])
    }
}
