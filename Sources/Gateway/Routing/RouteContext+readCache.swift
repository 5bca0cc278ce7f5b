extension RouteContext {
    func replyCached(_ run: @escaping @Sendable () async -> HTTPResponse) -> HTTPReply {
        let target = request.query.reduce(into: request.path) { $0 += "\u{1}\($1.name)\u{2}\($1.value)" }
        let revision = services.core.revision
        if services.core.status != .closed, let answer = services.readCache.findAnswer(target, at: revision) {
            return .now(HTTPResponse(content: .prepared(answer)))
        }
        let services = services
        return .later {
            let response = await run()
            guard response.status == 200, case .bytes(let body) = response.content else { return response }
            let prepared = PreparedResponse(
                status: 200,
                headers: response.headers,
                body: body,
                share: response.memoryShare
            )
            services.readCache.addAnswer(prepared, size: body.count, for: target, at: revision)
            return HTTPResponse(content: .prepared(prepared))
        }
    }
}
