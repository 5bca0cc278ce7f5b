import Testing

@testable import Gateway

@Suite struct MemoryRestTests {
    private let start = ContinuousClock.now

    /// - Parameters:
    ///   - seconds: the time since the start of the test.
    ///   - size: the resident memory in MiB.
    private func makeState(
        _ seconds: Int,
        size: Int64 = 40,
        processor: Double = 0,
        releases: Int = 0
    ) -> TrimSchedule.State {
        .init(
            processorSeconds: processor,
            residentBytes: size << 20,
            databaseReleaseCount: releases,
            time: start + .seconds(seconds)
        )
    }

    @Test
    func `After databases were closed, free memory is returned to the system exactly once`() {
        var rest = TrimSchedule(makeState(0))
        let due = [makeState(5), makeState(10, releases: 3), makeState(15, releases: 3)].map { rest.shouldTrim($0) }
        #expect(due == [false, true, false])
    }

    @Test
    func `Free memory is returned to the system when the process has grown by 8 MiB`() {
        var rest = TrimSchedule(makeState(0))
        let due = [makeState(5, size: 48), makeState(10, size: 49)].map { rest.shouldTrim($0) }
        #expect(due == [false, true])
    }

    @Test
    func `A busy process keeps its free memory, and returns it to the system when the process is idle`() {
        var rest = TrimSchedule(makeState(0))
        let due = [makeState(5, processor: 1, releases: 2), makeState(10, processor: 1.1, releases: 2)].map {
            rest.shouldTrim($0)
        }
        #expect(due == [false, true])
    }

    @Test
    func `The pause after a return of memory to the system is 100 times as long as the return`() {
        var rest = TrimSchedule(makeState(0))
        let first = rest.shouldTrim(makeState(5, releases: 1))
        rest.recordTrim(at: start + .seconds(5), within: .milliseconds(200))
        let due = [makeState(24, releases: 2), makeState(25, releases: 2)].map { rest.shouldTrim($0) }
        #expect(first && due == [false, true])
    }
}
