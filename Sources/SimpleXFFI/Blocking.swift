import Dispatch
import Synchronization

/// Runs asynchronous work, and blocks the caller's thread until the work has ended. The caller must not be on a thread
/// of the task pool.
func runAndWait<T: Sendable>(_ work: @escaping @Sendable () async -> T) -> T {
    let outcome = AwaitedResult<T>()
    Task.detached { outcome.setResult(await work()) }
    return outcome.waitForResult()
}

private final class AwaitedResult<T: Sendable>: Sendable {
    private let value = Mutex<T?>(nil)
    private let resultSignal = DispatchSemaphore(value: 0)

    func setResult(_ result: T) {
        value.withLock { $0 = result }
        resultSignal.signal()
    }

    func waitForResult() -> T {
        while true {
            resultSignal.wait()
            if let result = value.withLock({ $0 }) { return result }
        }
    }
}
