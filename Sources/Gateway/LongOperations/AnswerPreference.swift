/// The preferences in the header `Prefer` (RFC 7240) that the gateway follows. It ignores other preferences and
/// malformed preferences. For example, an answer has a body also with `return=minimal`.
struct AnswerPreference: Sendable, Equatable {
    /// Whether the client prefers an operation as the answer (`respond-async`). If the client also sends `wait`, the
    /// request may still wait for the end of the work.
    var isAsync = false
    /// Seconds for which the client waits for the end of the work. After this time, the answer is an operation.
    var waitSeconds: Int64

    /// Maximal number of seconds of the preference `wait`.
    static let maxWaitSeconds: Int64 = 86_400

    /// - Parameter usual: the seconds for which a client waits if its request has neither `wait` nor `respond-async`.
    init(_ request: HTTPRequest, usual: Int64 = LongOperations.defaultWaitSeconds) {
        waitSeconds = usual
        var wait: Int64?
        for field in request.headers where field.name == "prefer" {
            for part in field.value.split(separator: ",") {
                let text = part.split(separator: ";").first?.trimmingSpaces.lowercased() ?? ""
                if text == "respond-async" { isAsync = true }
                guard text.hasPrefix("wait="), let seconds = Int64(wholeNumber: String(text.dropFirst(5))), seconds >= 0
                else { continue }
                wait = min(seconds, Self.maxWaitSeconds)
            }
        }
        if isAsync { waitSeconds = 0 }
        if let wait { waitSeconds = wait }
    }
}
