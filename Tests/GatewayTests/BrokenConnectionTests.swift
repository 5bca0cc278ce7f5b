import JSON
import TestSupport
import Testing

@testable import Gateway

@Suite("Broken connections of clients", .socketTimeLimit) struct BrokenConnectionTests {
    /// Breaks many connections of a gateway, and then checks that no waiting request, answer or object remains.
    private func breakConnections(
        _ connect: @escaping @Sendable (_ served: ServedGateway, _ number: Int) async throws -> Void
    ) async throws {
        weak var held: MemoryJournal?
        // A stream notices only at its next heartbeat that its reader is gone, so heartbeats are frequent here.
        try await ServedGateway.run({ $0.heartbeatSeconds = 1 }) { served in
            // The objects that handle requests, streams and sockets refer to the journal. So a released journal shows
            // that no such object remains.
            held = served.core.journal
            try await runRepeatedly { try await connect(served, $0) }
            let client = try await served.connectClient()
            try await waitUntil("no request waits") {
                let metrics = try await client.call("GET", "/metrics").text
                let names = ["event_waiters", "event_streams", "unread_answer_bytes"]
                return names.allSatisfy { metrics.contains("sxgw_\($0) 0\n") }
            }
        }
        try await waitUntil("no object is left") { held == nil }
    }

    @Test
    func `HTTP connections that break in any state are released from memory`() async throws {
        try await breakConnections { served, number in
            let connection = try await RawConnection.open(port: served.port)
            let head = "HTTP/1.1\r\nHost: 127.0.0.1:\(served.port)\r\nAuthorization: Bearer \(served.key)\r\n"
            let begun =
                switch number % 5 {
                case 0: "GET /v1/wh"
                case 1:
                    "POST /v1/users \(head)Content-Type: application/json\r\nContent-Length: 1000\r\n\r\n{\"profile\":"
                case 2: "PUT /v1/users/1/uploads \(head)Content-Length: 1000000\r\n\r\nabc"
                case 3: "GET /v1/whoami \(head)\r\nGET /v1/whoami \(head)\r\n"
                default: "GET /v1/events?cursor=now \(head)Accept: text/event-stream\r\n\r\n"
                }
            try await connection.send(begun)
            await connection.close()
        }
    }

    @Test
    func `WebSockets that break in any state are released from memory`() async throws {
        try await breakConnections { served, number in
            let target = number.isMultiple(of: 2) ? "/" : "/v1/events/ws?cursor=now"
            let socket = try await WebSocketClient.open(served.connectClient(), target)
            let begun: [UInt8] =
                switch number % 4 {
                case 0: []
                case 1: Array(WebSocketClient.makeFrame(1, [UInt8](repeating: 65, count: 5000)).prefix(2000))
                case 2: WebSocketClient.makeFrame(1, Array(#"{"corrId":"1","cmd":"/u"}"#.utf8))
                default: [0xFF, 0xFF, 0xFF, 0xFF]
                }
            try await socket.http.connection.send(begun)
            await socket.http.connection.close()
        }
    }
}
