internal import SimpleXCrypto

/// The HTTP half of RFC 6455, section 4.2.
enum WebSocketHandshake {
    /// The answer that turns the connection into a WebSocket.
    static func accept(
        _ request: HTTPRequest, handover: @escaping @Sendable (UpgradedSocket) -> Void
    ) throws(ProblemDetails) -> HTTPResponse {
        guard request.method == "GET", request.header("upgrade", contains: "websocket"), request.header("connection", contains: "upgrade")
        else {
            var problem = ProblemDetails(.malformedRequest, "This is a WebSocket.")
            problem.statusOverride = 426
            problem.headers = [("Upgrade", "websocket")]
            throw problem
        }
        guard request.header("sec-websocket-version") == "13" else {
            var problem = ProblemDetails(.malformedRequest, "Version 13 of WebSocket is spoken here.")
            problem.statusOverride = 426
            problem.headers = [("Sec-WebSocket-Version", "13")]
            throw problem
        }
        guard let key = request.header("sec-websocket-key"), let nonce = try? Base64.decode(key), nonce.count == 16 else {
            throw ProblemDetails(.malformedRequest, "Sec-WebSocket-Key is not 16 bytes in base64.")
        }
        let accept = SHA1.hash(Array((key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").utf8))
        return HTTPResponse(
            status: 101,
            headers: [("Upgrade", "websocket"), ("Sec-WebSocket-Accept", Base64.encode(accept))], content: .upgrade(handover))
    }
}

/// SHA-1 (RFC 3174), for the WebSocket handshake only, where it guards nothing.
enum SHA1 {
    static func hash(_ message: [UInt8]) -> [UInt8] {
        var padded = message
        padded.append(0x80)
        while padded.count % 64 != 56 { padded.append(0) }
        let bits = UInt64(message.count) &* 8
        for shift in stride(from: 56, through: 0, by: -8) { padded.append(UInt8(truncatingIfNeeded: bits >> UInt64(shift))) }
        var h: [UInt32] = [0x6745_2301, 0xEFCD_AB89, 0x98BA_DCFE, 0x1032_5476, 0xC3D2_E1F0]
        for block in stride(from: 0, to: padded.count, by: 64) {
            compress(&h, padded[block..<block + 64])
        }
        return h.flatMap { word in (0..<4).map { UInt8(truncatingIfNeeded: word >> UInt32(24 - 8 * $0)) } }
    }

    private static func compress(_ h: inout [UInt32], _ block: ArraySlice<UInt8>) {
        var w = [UInt32](repeating: 0, count: 80)
        for (index, byte) in block.enumerated() { w[index / 4] = w[index / 4] << 8 | UInt32(byte) }
        for i in 16..<80 { w[i] = rotate(w[i - 3] ^ w[i - 8] ^ w[i - 14] ^ w[i - 16], 1) }
        var (a, b, c, d, e) = (h[0], h[1], h[2], h[3], h[4])
        for i in 0..<80 {
            let (f, k): (UInt32, UInt32) =
                switch i / 20 {
                case 0: ((b & c) | (~b & d), 0x5A82_7999)
                case 1: (b ^ c ^ d, 0x6ED9_EBA1)
                case 2: ((b & c) | (b & d) | (c & d), 0x8F1B_BCDC)
                default: (b ^ c ^ d, 0xCA62_C1D6)
                }
            let next = rotate(a, 5) &+ f &+ e &+ k &+ w[i]
            (e, d, c, b, a) = (d, c, rotate(b, 30), a, next)
        }
        h[0] &+= a
        h[1] &+= b
        h[2] &+= c
        h[3] &+= d
        h[4] &+= e
    }

    private static func rotate(_ value: UInt32, _ by: UInt32) -> UInt32 { value << by | value >> (32 - by) }
}
