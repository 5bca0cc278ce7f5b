extension RouteContext {
    /// Runs an effect once for a key.
    func once(_ key: String, _ run: @escaping @Sendable () async -> HTTPResponse) throws(ProblemDetails) -> HTTPReply {
        .later(run)
    }
}
