import Gateway
import JSON
import TestSupport
import Testing

@Suite(.socketTimeLimit) struct HTTPTests {
    @Test
    func `A request for an unknown path gets 404, and one with a wrong method gets 405 with the allowed methods`()
        async throws
    {
        try await ServedGateway.run { served in
            let client = try await served.connectClient()
            #expect(try await client.call("GET", "/v1/nothing").status == 404)
            #expect(try await client.call("GET", "/v1/users/1/tags/").status == 404)
            let wrong = try await client.call("PATCH", "/v1/users/1/tags")
            #expect(wrong.status == 405)
            #expect(wrong.header("allow") == "GET, POST, HEAD")
        }
    }

    @Test
    func `Every operation has a unique name and a unique combination of method and path`() {
        let routes = RouteTable.all
        #expect(Set(routes.map(\.operationID)).count == routes.count)
        #expect(Set(routes.map { "\($0.method.rawValue) \($0.template)" }).count == routes.count)
    }

    @Test
    func `Several requests in sequence are answered on one connection`() async throws {
        try await ServedGateway.run { served in
            let client = try await served.connectAnonymously()
            for _ in 0..<3 { #expect(try await client.call("GET", "/livez").text == "ok\n") }
            let head = try await client.call("HEAD", "/livez")
            #expect(head.status == 200 && head.header("content-length") == "3")
            #expect(try await client.call("GET", "/readyz").status == 200)
        }
    }

    @Test
    func `Several requests in one write are answered in order`() async throws {
        try await ServedGateway.run { served in
            let client = try await served.connectAnonymously()
            let one = "GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n"
            try await client.connection.send(one + "GET /v1/none HTTP/1.1\r\nHost: localhost\r\n\r\n" + one)
            #expect(try await client.receiveAnswer().status == 200)
            #expect(try await client.receiveAnswer().status == 404)
            #expect(try await client.receiveAnswer().status == 200)
        }
    }

    @Test
    func `A request gets 413 before its body is sent if the announced length is too large`() async throws {
        try await ServedGateway.run { served in
            let client = try await served.connectClient()
            try await client.send("POST", "/v1/events/tickets", headers: [("Content-Length", "104857600")])
            #expect(try await client.receiveAnswer().status == 413)
        }
    }

    @Test
    func `A client that sends 100 MiB without Expect can read the 413 answer`() async throws {
        try await ServedGateway.run { served in
            let client = try await served.connectClient()
            try await client.send("POST", "/v1/events/tickets", headers: [("Content-Length", "104857600")])
            let megabyte = [UInt8](repeating: 32, count: 1 << 20)
            for _ in 0..<100 { try await client.connection.send(megabyte) }
            #expect(try await client.receiveAnswer().status == 413)
        }
    }

    @Test
    func `A request whose chunked body grows too large gets 413`() async throws {
        try await ServedGateway.run({ $0.http.maxBodyBytes = 1000 }) { served in
            let client = try await served.connectClient()
            try await client.send("POST", "/v1/events/tickets", headers: [("Transfer-Encoding", "chunked")])
            let chunk = "3e8\r\n" + String(repeating: "x", count: 1000) + "\r\n"
            try await client.connection.send(chunk + chunk + "0\r\n\r\n")
            #expect(try await client.receiveAnswer().status == 413)
        }
    }

    @Test
    func `A request with both Content-Length and chunks gets 400, and its connection is closed`() async throws {
        try await ServedGateway.run { served in
            let client = try await served.connectClient()
            try await client.send(
                "POST",
                "/v1/events/tickets",
                headers: [("Transfer-Encoding", "chunked"), ("Content-Length", "4")]
            )
            let answer = try await client.receiveAnswer()
            #expect(answer.status == 400)
            #expect(try await client.connection.receiveRest() == [])
        }
    }

    @Test
    func `A request body with a media type other than JSON gets 415, except curl's default media type`() async throws {
        try await ServedGateway.run { served in
            let client = try await served.connectClient()
            #expect(
                try await client.call(
                    "POST",
                    "/v1/events/tickets",
                    headers: [("Content-Type", "text/xml")],
                    body: "<a/>"
                ).status == 415
            )
            #expect(
                try await client.call("POST", "/v1/events/tickets", headers: [("Content-Encoding", "gzip")], body: "{}")
                    .status == 415
            )
            let curl = [("Content-Type", "application/x-www-form-urlencoded")]
            #expect(try await client.call("POST", "/v1/events/tickets", headers: curl, body: "{}").status == 201)
        }
    }

    @Test
    func `A client that never completes its request header is disconnected`() async throws {
        try await ServedGateway.run({ $0.http.idleTimeoutSeconds = 1 }) { served in
            let client = try await served.connectAnonymously()
            try await client.connection.send("GET /livez HTTP/1.1\r\nHost: loc")
            _ = try await client.connection.receiveRest()
        }
    }

    @Test
    func `A client that sends a request too slowly is disconnected, and a client that waits for an answer is not`()
        async throws
    {
        try await ServedGateway.run({ $0.http.requestTimeoutSeconds = 4 }) { served in
            let waiting = try await served.connectClient()
            try await waiting.send("GET", "/v1/events?timeout=6")
            let socket = try await WebSocketClient.open(served.connectClient(), "/")
            let client = try await served.connectAnonymously()
            try await client.connection.send("GET /livez HTTP/1.1\r\n")
            let dripping = Task {
                while !Task.isCancelled {
                    try await client.connection.send("X-A: b\r\n")
                    try await Task.sleep(for: .milliseconds(100))
                }
            }
            _ = try await client.connection.receiveRest()
            dripping.cancel()
            let answer = try await waiting.receiveAnswer()
            #expect(answer.status == 200)
            try await socket.send(9, [1])
            var frame = try await socket.receiveFrame()
            // After a long silence the server also sends pings, which the test skips.
            while frame.opcode == 9 { frame = try await socket.receiveFrame() }
            #expect(frame.opcode == 10)
        }
    }

    @Test
    func `A client that has closed the sending half of its connection still gets its answer`() async throws {
        try await ServedGateway.run { served in
            let client = try await served.connectClient()
            try await client.send("GET", "/v1/events?timeout=1", headers: [("Connection", "close")])
            try await client.connection.finishSending()
            let answer = try await client.receiveAnswer()
            #expect(answer.status == 200)
        }
    }

    @Test
    func `The server continues to serve after it received bytes that are not HTTP`() async throws {
        try await ServedGateway.run({ $0.http.requestTimeoutSeconds = 1 }) { served in
            for bytes in [
                [UInt8](repeating: 0, count: 300), Array("\r\n\r\nGET\r\n\r\n".utf8),
                Array("GET / HTTP/9.9\r\n\r\n".utf8),
            ] {
                let connection = try await RawConnection.open(port: served.port)
                try await connection.send(bytes)
                try? await connection.finishSending()
                _ = try? await connection.receiveRest()
            }
            try await served.waitUntilAnswering()
        }
    }

    @Test
    func `A second server on the same port fails with the error that the port is in use`() async throws {
        try await ServedGateway.run { served in
            do {
                try await ServedGateway.run({ $0.http.port = served.port }) { _ in Issue.record("the server started") }
            } catch let error as GatewayError {
                #expect(error.description.contains("in use"))
            }
        }
    }

    @Test
    func `The metrics count a request with its route, method and status`() async throws {
        try await ServedGateway.run { served in
            let client = try await served.connectClient()
            _ = try await client.call("GET", "/v1/none")
            let text = try await client.call("GET", "/metrics").text
            #expect(text.contains(#"sxgw_http_requests_total{route="none",method="GET",status="404"} 1"#))
            #expect(text.contains("process_resident_memory_bytes "))
        }
    }
}
