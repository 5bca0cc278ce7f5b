import Clocks
import Glibc
import Testing

@Suite("Clocks of the machine")
struct ClocksTests {
    @Test
    func `The wall clock reads the same time in seconds, milliseconds and nanoseconds`() {
        let before = Int64(time(nil))
        let readings = [
            WallClock.seconds(), WallClock.milliseconds() / 1000, WallClock.nanoseconds() / 1_000_000_000,
            Int64(time(nil)) + 1,
        ]
        #expect(before <= readings[0] && readings == readings.sorted())
    }

    @Test
    func `The monotonic clock never decreases`() {
        let readings = (0..<1000).map { _ in MonotonicClock.microseconds() }
        #expect(readings == readings.sorted())
    }
}
