import Glibc
package import Testing

/// Error of a wait that reached its limit.
package struct TimeLimitReached: Error, CustomStringConvertible {
    package let description: String
}

/// Checks `condition` repeatedly, and returns when it is true. Use this function only for a state whose change no event
/// reports. If an event reports the change, a test must wait for the event.
///
/// - Parameters:
///   - what: the description of the condition in the error.
///   - limit: the longest wait, which only a failure reaches. It is extended in proportion if the machine is slow at
///     its end.
///   - pause: the time between two checks; nil for 5 ms at first, and up to 20 ms in a long wait, so that the checks
///     take little of the time for which others need the processor.
/// - Throws: `TimeLimitReached` at the limit, and the errors of `condition`.
package func waitUntil(
    _ what: @autoclosure () -> String,
    within limit: Duration = .seconds(60),
    every pause: Duration? = nil,
    file: String = #fileID,
    line: Int = #line,
    isolation: isolated (any Actor)? = #isolation,
    _ condition: () async throws -> Bool
) async throws {
    let begin = ContinuousClock.now
    var end = begin + limit
    var isExtended = false
    while try await !condition() {
        if ContinuousClock.now >= end, !isExtended {
            end = begin + limit * MachineSpeed.measureSlowness()
            isExtended = true
        }
        guard ContinuousClock.now < end else {
            throw TimeLimitReached(description: "\(file):\(line): not within \(limit): \(what())")
        }
        let usual = min(max((ContinuousClock.now - begin) / 10, .milliseconds(5)), .milliseconds(20))
        try await Task.sleep(for: pause ?? usual)
    }
}

/// Waits until `look` returns a value. Calls `look` immediately, and again at each change, for a minute by default.
///
/// - Parameters:
///   - watch: registers for changes. It gets a function that must be called at each change.
///   - look: returns nil until the value is found.
/// - Returns: the value; nil when the time is over.
package func waitForValue<T: Sendable>(
    within limit: Duration = .seconds(60),
    isolation: isolated (any Actor)? = #isolation,
    _ watch: (@escaping @Sendable () -> Void) -> Void,
    _ look: () async throws -> T?
) async throws -> T? {
    let (news, told) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    watch { told.yield() }
    let timer = Task {
        try await sleepThroughLimit(limit)
        told.finish()
    }
    defer { timer.cancel() }
    told.yield()
    for await _ in news { if let found = try await look() { return found } }
    return nil
}

extension Trait where Self == TimeLimitTrait {
    /// Time limit for each test of a suite that uses sockets, so that a test without end fails. On an idle machine no
    /// test needs a tenth of this time.
    package static var socketTimeLimit: Self { .timeLimit(.minutes(20)) }
}

extension Trait where Self == ConditionTrait {
    /// The trait of suites that kill processes or fill disks. `deploy/test --quick` leaves these suites out.
    package static var faultTests: Self { .disabled(if: getenv("SXGW_QUICK") != nil, "--quick leaves out faults") }
}
