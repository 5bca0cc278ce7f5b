extension HTTPReply {
    /// Compresses the reply to a GET or HEAD request if the client accepts gzip. Answers with secrets are not
    /// compressed.
    func compressedIfAccepted(for request: HTTPRequest, _ answers: RoutePolicy.Answers) -> HTTPReply {
        guard ["GET", "HEAD"].contains(request.method), answers == .plain else { return self }
        return (request.acceptsGzip ? compressed() : self).map { response in
            var response = response
            response.headers.append(("Vary", "Accept-Encoding"))
            return response
        }
    }
}
