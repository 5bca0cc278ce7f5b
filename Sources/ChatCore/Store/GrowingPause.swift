/// How long what a store or a disk has refused is left alone: a tenth of a second, then twice as long each time, up to a bound.
package struct GrowingPause: Sendable {
    private static let first = Duration.milliseconds(100)

    private let longest: Duration
    private var pause = GrowingPause.first

    package init(upTo longest: Duration) { self.longest = longest }

    package mutating func next() -> Duration {
        defer { pause = min(pause * 2, longest) }
        return pause
    }

    /// What was refused was taken.
    mutating func reset() { pause = Self.first }
}
