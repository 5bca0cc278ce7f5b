import Gateway
import JSON
import TestSupport
import Testing

@Suite(.socketTimeLimit) struct TerminalPortTests {
    @Test
    func `The terminal port needs no key, and serves only the terminal protocol`() async throws {
        try await ServedGateway.run({ $0.terminalPort = 0 }) { served in
            let port = try #require(served.terminalPort)
            let socket = try await WebSocketClient.open(.connect(port: port), "/")
            try await socket.send(#"{"corrId":"1","cmd":"/u"}"#)
            #expect(try await socket.receiveJSON()["corrId"] == "1")
            served.core.journal.publish(["one"])
            #expect(try await socket.receiveJSON() == ["resp": ["type": "one"]])
            #expect(try await HTTPClient.connect(port: port).call("GET", "/v1/users").status == 404)
            #expect(try await HTTPClient.connect(port: port).call("GET", "/metrics").status == 404)
            #expect(try await WebSocketClient.sendHandshake(served.connectAnonymously(), "/").status == 401)
        }
    }

    @Test
    func `A connection of a web page to the terminal port is refused with 403`() async throws {
        try await ServedGateway.run({
            $0.terminalPort = 0
            $0.allowedOrigins = ["https://app.example"]
            $0.allowedHosts = ["app.example"]
        }) { served in
            let port = try #require(served.terminalPort)
            for origin in ["https://app.example", "https://evil.example", "null"] {
                #expect(
                    try await WebSocketClient.sendHandshake(.connect(port: port), "/", headers: [("Origin", origin)])
                        .status
                        == 403
                )
            }
        }
    }

    @Test
    func `The terminal port is closed unless an option opens it`() async throws {
        try await ServedGateway.run { #expect($0.terminalPort == nil) }
    }

    @Test
    func `A stop of the gateway closes the WebSockets of the terminal port with the code 1001`() async throws {
        let socket = try await ServedGateway.run({ $0.terminalPort = 0 }) { served in
            let socket = try await WebSocketClient.open(.connect(port: try #require(served.terminalPort)), "/")
            try await socket.send(#"{"corrId":"1","cmd":"/u"}"#)
            _ = try await socket.receiveJSON()
            return socket
        }
        #expect(try await socket.receiveCloseCode() == 1001)
    }
}
