/// The wishes of a client in the header `Prefer` (RFC 7240). Other preferences, and malformed ones, are ignored.
struct AnswerPreference: Sendable, Equatable {
    /// Whether the client wants an operation at once.
    var isAsync = false
    /// Seconds for which the client waits for the answer of the work itself.
    var patience: Int64

    /// Whether the client wants no body in the answer to a change.
    var isMinimal = false

    /// Maximal number of seconds of the preference `wait`.
    static let longestWait: Int64 = 86_400

    /// - Parameter usual: the seconds for which a client waits that says nothing.
    init(_ request: HTTPRequest, usual: Int64 = LongOperations.patience) {
        patience = usual
        var wait: Int64?
        // The first of contradicting preferences counts.
        var wanted: String?
        for field in request.headers where field.name == "prefer" {
            for part in field.value.split(separator: ",") {
                let text = part.split(separator: ";").first?.trimmingSpaces.lowercased() ?? ""
                if text == "respond-async" { isAsync = true }
                if text.hasPrefix("return=") { wanted = wanted ?? text.filter { $0 != "\"" } }
                guard text.hasPrefix("wait="), let seconds = Int64(wholeNumber: String(text.dropFirst(5))), seconds >= 0
                else { continue }
                wait = min(seconds, Self.longestWait)
            }
        }
        isMinimal = wanted == "return=minimal"
        if isAsync { patience = 0 }
        if let wait { patience = wait }
    }
}

extension HTTPReply {
    /// Leaves out the body of a successful answer to a change, if the client wants that. The answer is kept with its
    /// body for a repeated request.
    func minimal(for request: HTTPRequest) -> HTTPReply {
        guard AnswerPreference(request).isMinimal else { return self }
        return map { response in
            guard [200, 201].contains(response.status) else { return response }
            let kept = response.headers.filter { $0.name != "Content-Type" }
            return HTTPResponse(status: 204, headers: kept + [("Preference-Applied", "return=minimal")])
        }
    }
}
