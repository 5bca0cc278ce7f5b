import Gateway
import JSON
import TestSupport
import Testing

@Suite(.overSockets) struct TerminalPortTests {
    @Test("the terminal port lets clients without a key speak the terminal's protocol, and serves nothing else; the other port asks for a key")
    func terminalPort() async throws {
        try await Served.run({ $0.terminalPort = 0 }) { served in
            let port = try #require(served.terminalPort)
            let socket = try await WebSocketClient.open(.connect(port: port), "/")
            try await socket.send(#"{"corrId":"1","cmd":"/u"}"#)
            #expect(try await socket.json()["corrId"] == "1")
            served.core.journal.publish(["one"])
            #expect(try await socket.json() == ["resp": ["type": "one"]])
            #expect(try await HTTPClient.connect(port: port).call("GET", "/v1/users").status == 404)
            #expect(try await HTTPClient.connect(port: port).call("GET", "/metrics").status == 404)
            #expect(try await WebSocketClient.handshake(served.anonymous(), "/").status == 401)
        }
    }

    @Test("a web page cannot use the terminal port, under no name and from no origin")
    func pages() async throws {
        try await Served.run({
            $0.terminalPort = 0
            $0.allowedOrigins = ["https://app.example"]
            $0.allowedHosts = ["app.example"]
        }) { served in
            let port = try #require(served.terminalPort)
            for origin in ["https://app.example", "https://evil.example", "null"] {
                #expect(try await WebSocketClient.handshake(.connect(port: port), "/", headers: [("Origin", origin)]).status == 403)
            }
        }
    }

    @Test("there is no terminal port unless it is asked for")
    func off() async throws {
        try await Served.run { #expect($0.terminalPort == nil) }
    }

    @Test("a stop closes the sockets of the terminal port with 1001")
    func stop() async throws {
        let socket = try await Served.run({ $0.terminalPort = 0 }) { served in
            let socket = try await WebSocketClient.open(.connect(port: try #require(served.terminalPort)), "/")
            try await socket.send(#"{"corrId":"1","cmd":"/u"}"#)
            _ = try await socket.json()
            return socket
        }
        #expect(try await socket.closeCode() == 1001)
    }
}
