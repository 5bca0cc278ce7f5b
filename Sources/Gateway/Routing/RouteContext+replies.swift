extension RouteContext {
    /// Answers with the result of `body`. The connection is suspended while `body` runs, so `body` may take long.
    func replyLater(_ body: @escaping @Sendable () async throws(ProblemDetails) -> HTTPResponse) -> HTTPReply {
        .later {
            do throws(ProblemDetails) { return try await body() } catch { return error.response(for: request) }
        }
    }
}
