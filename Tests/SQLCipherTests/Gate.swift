import Dispatch

/// Gate that stops a body, on a thread of the database, until the test opens it.
final class Gate: Sendable {
    private let semaphore = DispatchSemaphore(value: 0)
    private let reached: AsyncStream<Void>
    private let reach: AsyncStream<Void>.Continuation

    init() { (reached, reach) = AsyncStream.makeStream() }

    /// Signals that the body has reached the gate, and waits for `open`. A body that runs again passes at once.
    func pass() {
        reach.finish()
        semaphore.wait()
        semaphore.signal()
    }

    /// Waits, in the test, until a body has reached the gate.
    func isReached() async { for await _ in reached {} }

    func open() { semaphore.signal() }
}
