import Dispatch

/// Gate that stops a body, on a thread of the database, until the test opens it.
final class Gate: Sendable {
    private let semaphore = DispatchSemaphore(value: 0)
    private let arrivals: AsyncStream<Void>
    private let arrivalContinuation: AsyncStream<Void>.Continuation

    init() { (arrivals, arrivalContinuation) = AsyncStream.makeStream() }

    /// Signals that the body has reached the gate, and waits for `open`. A body that runs again passes at once.
    func waitUntilOpen() {
        arrivalContinuation.finish()
        semaphore.wait()
        semaphore.signal()
    }

    /// Waits, in the test, until a body has reached the gate.
    func waitUntilReached() async { for await _ in arrivals {} }

    func open() { semaphore.signal() }
}
