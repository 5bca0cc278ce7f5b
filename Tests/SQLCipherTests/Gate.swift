import Dispatch

/// Lets a body, which runs on a thread of the database's own, wait until the test says so.
final class Gate: Sendable {
    private let semaphore = DispatchSemaphore(value: 0)
    private let reached: AsyncStream<Void>
    private let reach: AsyncStream<Void>.Continuation

    init() { (reached, reach) = AsyncStream.makeStream() }

    /// In the body: tells that it is here and waits for `open`. A body that is run again passes.
    func pass() {
        reach.finish()
        semaphore.wait()
        semaphore.signal()
    }

    /// In the test: returns when a body is at the gate.
    func isReached() async { for await _ in reached {} }

    func open() { semaphore.signal() }
}
