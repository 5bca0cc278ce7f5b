import JSON
import TestSupport
import Testing

@testable import Gateway

/// Rate limits for commands over WebSockets.
@Suite(.socketTimeLimit) struct SocketRatesTests {
    @Test
    func `WebSocket commands and HTTP requests of one key count toward the same rate limit`() async throws {
        for path in ["/v1/events/ws?cursor=now", "/"] {
            try await RealGateway.run(serving: { $0.keyRequestsPerSecond = 1 }) { gateway in
                let socket = try await WebSocketClient.open(gateway.connectClient(), path)
                for number in 0..<40 { try await socket.send(#"{"corrId":"\#(number)","cmd":"/version"}"#) }
                var answers: [String: JSONValue] = [:]
                while answers.count < 40 {
                    let message = try await socket.receiveJSON()
                    if let id = message["corrId"]?.stringValue { answers[id] = message["resp"] }
                }
                let refused = answers.values.filter { $0["type"] == "chatCmdError" }
                #expect(refused.count < 40 && refused.count >= 1, "\(path): \(refused.count)")
                #expect(refused.allSatisfy { $0.text.contains("too many requests: send this again in") })
                // The commands also count toward the rate of the key over HTTP, so a request is soon refused.
                let client = try await gateway.connectClient()
                var statuses: [Int] = []
                while statuses.count < 5, statuses.last != 429 {
                    statuses.append(try await client.call("GET", "/v1/users").status)
                }
                #expect(statuses.last == 429, "\(path): \(statuses)")
            }
        }
    }
}
