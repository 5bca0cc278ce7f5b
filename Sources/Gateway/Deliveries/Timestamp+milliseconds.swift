internal import ChatCore

extension Timestamp {
    /// A time that no timestamp can have becomes the first or the last one.
    init(milliseconds: Int64) {
        let (nanoseconds, overflow) = milliseconds.multipliedReportingOverflow(by: 1_000_000)
        self.init(nanoseconds: overflow ? (milliseconds < 0 ? .min : .max) : nanoseconds)
    }
}
