/// The answers and header fields that browsers require before a page of another origin may call the gateway (CORS).
extension GatewayService {
    /// Makes the answer to a preflight request.
    func preflightResponse(_ origin: String) -> HTTPResponse {
        HTTPResponse(
            status: 204,
            headers: [
                ("Access-Control-Allow-Origin", origin), ("Vary", "Origin"),
                ("Access-Control-Allow-Methods", "GET, POST, PUT, PATCH, DELETE"),
                (
                    "Access-Control-Allow-Headers",
                    "Authorization, Content-Type, Current-Password, Idempotency-Key, If-Match, If-None-Match, If-Range, Last-Event-ID, Prefer, Range, Repr-Digest, Upload-Complete, Upload-Length, Upload-Offset, X-Request-Id"
                ),
                ("Access-Control-Max-Age", "600"),
            ]
        )
    }

    func addingCrossOriginHeaders(to reply: HTTPReply, _ request: HTTPRequest) -> HTTPReply {
        guard hostPolicy.allowedOrigin(request) != nil else { return reply }
        return reply.map { addingCrossOriginHeaders(to: $0, request) }
    }

    /// Response headers that scripts may read, besides the headers that they can always read (`Cache-Control`,
    /// `Content-Type`, `Content-Length`).
    private var exposedHeaders: String {
        "Accept-Ranges, Allow, Content-Disposition, Content-Range, Deprecation, ETag, Idempotent-Replayed, Link, Location, "
            + "Preference-Applied, RateLimit, RateLimit-Policy, Retry-After, Sunset, Upload-Complete, Upload-Length, "
            + "Upload-Offset, WWW-Authenticate, X-Request-Id"
    }

    func addingCrossOriginHeaders(to response: HTTPResponse, _ request: HTTPRequest) -> HTTPResponse {
        guard let origin = hostPolicy.allowedOrigin(request) else { return response }
        var response = response
        response.headers.append(("Access-Control-Allow-Origin", origin))
        response.headers.append(("Access-Control-Expose-Headers", exposedHeaders))
        response.headers.append(("Vary", "Origin"))
        return response
    }
}
