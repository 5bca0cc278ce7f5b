import JSON

/// A client of a WebSocket, which can also violate the protocol.
struct WebSocketClient: Sendable {
    let http: HTTPClient

    static func open(
        _ client: HTTPClient,
        _ target: String,
        headers: [(String, String)] = []
    ) async throws -> WebSocketClient {
        let answer = try await sendHandshake(client, target, headers: headers)
        guard answer.status == 101 else { throw RawConnection.Failure.closed }
        return WebSocketClient(http: client)
    }

    static func sendHandshake(
        _ client: HTTPClient,
        _ target: String,
        headers: [(String, String)] = []
    ) async throws -> HTTPClient.Answer {
        try await client.call(
            "GET",
            target,
            headers: [
                ("Upgrade", "websocket"), ("Connection", "Upgrade"), ("Sec-WebSocket-Version", "13"),
                ("Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ=="),
            ] + headers
        )
    }

    static func makeFrame(_ opcode: UInt8, _ payload: [UInt8], fin: Bool = true, masked: Bool = true) -> [UInt8] {
        var frame: [UInt8] = [(fin ? 0x80 : 0) | opcode]
        let mask: UInt8 = masked ? 0x80 : 0
        switch payload.count {
        case ..<126: frame.append(mask | UInt8(payload.count))
        case ..<65536: frame += [mask | 126, UInt8(payload.count >> 8), UInt8(payload.count & 0xFF)]
        default: frame += [mask | 127] + (0..<8).map { UInt8(truncatingIfNeeded: payload.count >> (56 - 8 * $0)) }
        }
        if masked { frame += [0, 0, 0, 0] }
        return frame + payload
    }

    func send(_ opcode: UInt8, _ payload: [UInt8], fin: Bool = true, masked: Bool = true) async throws {
        try await http.connection.send(WebSocketClient.makeFrame(opcode, payload, fin: fin, masked: masked))
    }

    func send(_ text: String) async throws { try await send(1, Array(text.utf8)) }

    func receiveFrame() async throws -> (opcode: UInt8, payload: [UInt8]) {
        let head = try await http.connection.receiveBytes(2)
        let short = Int(head[1] & 0x7F)
        // RFC 6455, section 5.2: the values 126 and 127 state the number of length bytes that follow.
        let length =
            short < 126
            ? short : try await http.connection.receiveBytes(short == 126 ? 2 : 8).reduce(0) { $0 << 8 | Int($1) }
        return (head[0] & 0x0F, try await http.connection.receiveBytes(length))
    }

    func receiveJSON() async throws -> JSONValue { try JSONValue(parsing: try await receiveText()) }

    /// Reads events up to the answer with this correlation id, and returns the answer.
    func receiveAnswer(to id: String) async throws -> JSONValue? {
        while true {
            let message = try await receiveJSON()
            if message["corrId"]?.stringValue == id { return message["resp"] }
        }
    }

    /// Reads the next text as UTF-8 bytes.
    /// - Parameter pings: whether pings are answered, as each client library does.
    func receiveText(pings: Bool = true) async throws -> [UInt8] {
        while true {
            let (opcode, payload) = try await receiveFrame()
            if opcode == 1 { return payload }
            if opcode == 9, pings { try await send(10, payload) }
        }
    }

    /// Reads the code of the next close frame.
    func receiveCloseCode() async throws -> Int { try await Int(receiveClose()[0]) ?? 0 }

    /// Reads the code and the reason of the next close frame.
    func receiveClose() async throws -> [String] {
        while true {
            let (opcode, payload) = try await receiveFrame()
            if opcode == 8 {
                return [
                    "\(payload.prefix(2).reduce(0) { $0 << 8 | Int($1) })",
                    String(decoding: payload.dropFirst(2), as: UTF8.self),
                ]
            }
        }
    }
}
