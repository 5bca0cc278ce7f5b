internal import ChatAPI

extension Timestamp {
    /// Makes a timestamp. A time outside of the range of timestamps becomes the first or the last timestamp.
    init(milliseconds: Int64) {
        let (nanoseconds, overflow) = milliseconds.multipliedReportingOverflow(by: 1_000_000)
        self.init(nanoseconds: overflow ? (milliseconds < 0 ? .min : .max) : nanoseconds)
    }
}
