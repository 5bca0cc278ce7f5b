internal import SimpleXCrypto

/// The HTTP part of the WebSocket handshake (RFC 6455, section 4.2).
enum WebSocketHandshake {
    /// Makes the answer that turns the connection into a WebSocket.
    static func acceptUpgrade(
        _ request: HTTPRequest,
        handover: @escaping @Sendable (UpgradedSocket) -> Void
    ) throws(ProblemDetails) -> HTTPResponse {
        guard request.method == "GET", request.header("upgrade", contains: "websocket"),
            request.header("connection", contains: "upgrade")
        else {
            var problem = ProblemDetails(.malformedRequest, "This path needs a WebSocket: send Upgrade: websocket.")
            problem.statusOverride = 426
            problem.headers = [("Upgrade", "websocket")]
            throw problem
        }
        guard request.header("sec-websocket-version") == "13" else {
            var problem = ProblemDetails(.malformedRequest, "Only version 13 of WebSocket is supported.")
            problem.statusOverride = 426
            problem.headers = [("Sec-WebSocket-Version", "13")]
            throw problem
        }
        guard let key = request.header("sec-websocket-key"), let nonce = try? Base64.decode(key), nonce.count == 16
        else {
            throw ProblemDetails(.malformedRequest, "Sec-WebSocket-Key is not 16 bytes in base64.")
        }
        let accept = Digest.sha1(Array((key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").utf8))
        return HTTPResponse(
            status: 101,
            headers: [("Upgrade", "websocket"), ("Sec-WebSocket-Accept", Base64.encode(accept))],
            content: .upgrade(handover)
        )
    }
}
