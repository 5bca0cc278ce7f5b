import Glibc
public import Testing

/// Error of a wait that reached its limit.
public struct NotInTime: Error, CustomStringConvertible {
    public let description: String
}

/// Returns once `condition` holds, which is asked again and again. Use it for a state whose change nothing reports.
/// If an event reports the change, a test waits for the event.
///
/// - Parameters:
///   - what: what is awaited, as it is said in the error.
///   - limit: the longest wait, which only a failure takes. A machine that is slow at its end gets more, in proportion.
///   - pause: the time between two questions.
/// - Throws: `NotInTime` at the limit, and what `condition` throws.
public func eventually(
    _ what: @autoclosure () -> String,
    within limit: Duration = .seconds(60),
    every pause: Duration = .milliseconds(5),
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
            end = begin + limit * MachineSpeed.slowness()
            isExtended = true
        }
        guard ContinuousClock.now < end else {
            throw NotInTime(description: "\(file):\(line): not within \(limit): \(what())")
        }
        try await Task.sleep(for: pause)
    }
}

/// Looks for something at once, and again whenever there is news, for a minute unless told otherwise.
///
/// - Parameters:
///   - watch: is given what is to be called when something has happened.
///   - look: nil as long as nothing is found.
/// - Returns: what is found; nil when the time is up.
public func awaitNews<T: Sendable>(
    within limit: Duration = .seconds(60),
    isolation: isolated (any Actor)? = #isolation,
    _ watch: (@escaping @Sendable () -> Void) -> Void,
    _ look: () async throws -> T?
) async throws -> T? {
    let (news, told) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    watch { told.yield() }
    let timer = Task {
        try await exhaust(limit)
        told.finish()
    }
    defer { timer.cancel() }
    told.yield()
    for await _ in news { if let found = try await look() { return found } }
    return nil
}

extension Trait where Self == TimeLimitTrait {
    /// For each test of a suite that talks over sockets: one that hangs fails. On a machine of its own no test takes a
    /// tenth of it.
    public static var overSockets: Self { .timeLimit(.minutes(20)) }
}

extension Trait where Self == ConditionTrait {
    /// For suites that kill processes or fill disks: `deploy/test --quick` leaves these suites out.
    public static var faults: Self { .disabled(if: getenv("SXGW_QUICK") != nil, "--quick leaves out faults") }
}
