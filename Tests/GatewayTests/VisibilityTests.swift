import ChatCore
import Foundation
import JSON
import TestSupport
import Testing

@testable import Gateway

@Suite("Probes, request ids, logs and metrics", .socketTimeLimit)
struct VisibilityTests {
    private static var generatedID: Regex<Substring> { /^[A-Za-z0-9_-]{16}$/ }

    @Test
    func `Probes are answered for any host name, and '/readyz' gets 503 while the chat is stopped`() async throws {
        try await RealGateway.run { gateway in
            let client = try await gateway.connectClient()
            let probe = try await HTTPClient.connect(port: gateway.port)
            for path in ["/livez", "/readyz"] {
                #expect(try await probe.call("GET", path, headers: [("Host", "10.1.2.3:5524")]).status == 200)
                #expect(try await probe.call("GET", path, headers: [("Host", "a b")]).status == 400)
            }
            #expect(try await probe.call("GET", "/v1/users", headers: [("Host", "10.1.2.3:5524")]).status == 421)
            #expect(try await client.call("GET", "/metrics").text.contains("sxgw_ready 1\n"))
            #expect(try await client.call("POST", "/v1/core/stop").status == 200)
            let stopped = try await probe.call("GET", "/readyz", headers: [("Host", "10.1.2.3")])
            #expect(stopped.status == 503)
            #expect(try stopped.json["code"] == "unavailable")
            #expect(try await probe.call("GET", "/livez").status == 200)
            #expect(try await client.call("GET", "/metrics").text.contains("sxgw_ready 0\n"))
            #expect(try await client.call("POST", "/v1/core/start").status == 200)
            #expect(try await probe.call("GET", "/readyz").status == 200)
        }
    }

    @Test
    func `Every answer has the client's request id, or a random id if the client's id is missing or invalid`()
        async throws
    {
        try await RealGateway.run { gateway in
            let client = try await gateway.connectClient()
            let user = try await client.createUser("alice")
            var seen: Set<String> = []
            for path in [
                "/livez", "/v1/users", "/v1/users", "/v1/none", "/v1/users/\(user)/model", "/openapi.json", "/metrics",
                "/v1/events",
            ] {
                let answer = try await client.call("GET", path)
                let id = try #require(answer.header("x-request-id"), "\(path)")
                #expect(id.wholeMatch(of: Self.generatedID) != nil && seen.insert(id).inserted)
                #expect(
                    try await client.call("GET", path, headers: [("X-Request-Id", "abc-1/2:3")]).header("x-request-id")
                        == "abc-1/2:3",
                    "\(path)"
                )
            }
            let none = try await client.call("GET", "/v1/none", headers: [("X-Request-Id", "mine")])
            #expect(try none.json["requestId"] == "mine")
            let refused = try await HTTPClient.connect(port: gateway.port).call("GET", "/v1/users")
            #expect(try refused.json["requestId"]?.stringValue == refused.header("x-request-id"))
            let long = String(repeating: "a", count: 128)
            #expect(
                try await client.call("GET", "/livez", headers: [("X-Request-Id", long)]).header("x-request-id") == long
            )
            for hostile in [long + "a", "", "a b", "a\"b", "<script>", "a,b", "é", "a;b"] {
                let id = try #require(
                    try await client.call("GET", "/livez", headers: [("X-Request-Id", hostile)]).header("x-request-id")
                )
                #expect(id.wholeMatch(of: Self.generatedID) != nil, "\(hostile)")
            }
            try await client.send(
                "GET",
                "/v1/events",
                headers: [("Accept", "text/event-stream"), ("X-Request-Id", "stream-1")]
            )
            #expect(
                try await client.receiveHead().headers.contains { $0.name == "x-request-id" && $0.value == "stream-1" }
            )
        }
    }

    @Test
    func `The log has a line for each request, without the query, the key or the ticket`() async throws {
        let recorder = LogRecorder()
        try await ServedGateway.run(log: recorder.makeLogger()) { served in
            let client = try await served.connectClient()
            _ = try await client.call("GET", "/v1/events?limit=7", headers: [("X-Request-Id", "one")])
            let ticket = try #require(try await client.call("POST", "/v1/events/tickets").json["ticket"]?.stringValue)
            #expect(
                try await served.connectAnonymously().call(
                    "GET",
                    "/v1/events?ticket=\(ticket)",
                    headers: [("X-Request-Id", "two")]
                ).status == 200
            )
            #expect(
                try await served.connectAnonymously().call(
                    "GET",
                    "/v1/events?ticket=\(ticket)x",
                    headers: [("X-Request-Id", "three")]
                ).status == 401
            )
            #expect(
                try await served.connectAnonymously().call(
                    "GET",
                    "/v1/\(served.key)/x",
                    headers: [("X-Request-Id", "four")]
                )
                .status == 404
            )
            #expect(
                try await served.connectClient(key: "sxgw_wrong").call(
                    "GET",
                    "/v1/users",
                    headers: [("X-Request-Id", "five")]
                )
                .status == 401
            )
            _ = try await client.call("GET", "/livez", headers: [("X-Request-Id", "six")])
            func line(_ id: String, _ message: String = "request") async throws -> LogRecorder.Line {
                var found: LogRecorder.Line?
                try await waitUntil("\(id) is logged") {
                    found = recorder.lines.first { $0.fields["requestId"] == id && $0.message == message }
                    return found != nil
                }
                return try #require(found)
            }
            let one = try await line("one")
            let key = try #require(try KeyFile(folder: served.folder).loadKeys().first?.id)
            #expect(
                one.level == .info && one.fields["path"] == "/v1/events" && one.fields["route"] == "/v1/events"
                    && one.fields["method"] == "GET"
            )
            #expect(one.fields["status"] == "200" && one.fields["key"] == key && one.fields["address"] == "127.0.0.1")
            #expect(
                one.fields["ms"]?.wholeMatch(of: /[0-9]+\.[0-9]{3}/) != nil && Int(one.fields["bytes"] ?? "") != nil
            )
            #expect(try await line("two").fields["key"] == key)
            #expect(try await line("three").fields["key"] == nil)
            #expect(try await line("four").fields["path"] == "/v1/(secret)/x")
            #expect(try await line("four").fields["route"] == nil)
            for id in ["three", "five"] {
                let refusal = try await line(id, "a key or ticket was refused")
                #expect(refusal.level == .warning && refusal.fields["address"] == "127.0.0.1")
            }
            #expect(try await line("six").level == .debug)
            for text in recorder.lines.map(\.text) { #expect(!text.contains("sxg") && !text.contains("limit")) }
            #expect(try await client.call("GET", "/metrics").text.contains("sxgw_http_refused_keys_total 2\n"))
        }
    }

    @Test
    func `Metrics have labels only for known routes and methods, and count streams separately`() async throws {
        try await RealGateway.run { gateway in
            let client = try await gateway.connectClient()
            let user = try await client.createUser("alice")
            for id in 1...20 { _ = try await client.call("GET", "/v1/users/\(user)/chats/direct/\(id)") }
            for path in ["/made", "/up/%22%0Ax", "/v1/users/1/nothing"] { _ = try await client.call("GET", path) }
            _ = try await client.call("BREW", "/livez")
            _ = try await client.call("GET", "/v1/events?cursor=now&timeout=0")
            try await client.send("GET", "/v1/events", headers: [("Accept", "application/x-ndjson")])
            _ = try await client.receiveHead()
            let reader = try await gateway.connectClient()
            let text = try await reader.call("GET", "/metrics").text
            #expect(
                text.contains(
                    #"sxgw_http_requests_total{route="/v1/users/{userId}/chats/{chatType}/{chatId}",method="GET",status="404"} 20"#
                        + "\n"
                )
            )
            #expect(text.contains(#"sxgw_http_requests_total{route="none",method="GET",status="404"} 3"# + "\n"))
            #expect(text.contains(#"method="other",status="405"} 1"# + "\n"))
            #expect(
                text.contains(#"sxgw_http_request_seconds_bucket{route="/v1/users",method="POST",le="+Inf"} 1"# + "\n")
            )
            #expect(text.contains(#"sxgw_http_stream_seconds_count{route="/v1/events",method="GET"} 1"# + "\n"))
            #expect(!text.contains(#"sxgw_http_request_seconds_count{route="/v1/events""#))
            #expect(!text.contains("made") && !text.contains("BREW"))
            #expect(text.contains("sxgw_build_info{version=\"\(ProgramVersion.text)\",swift="))
            for name in [
                "process_cpu_seconds_total", "process_open_fds", "process_max_fds", "sxgw_queues{state=\"subscribed\"}",
                "sxgw_outboxes", "sxgw_events_total",
            ] {
                #expect(text.contains("\n\(name) "), "\(name)")
            }
            try checkMetrics(text)
        }
    }

    /// Checks that each metric family has one type line before its samples, and that no sample is repeated.
    private func checkMetrics(_ text: String) throws {
        var families: Set<String> = []
        var samples: Set<String> = []
        var family = ""
        for line in text.split(separator: "\n") {
            if line.hasPrefix("# TYPE ") {
                family = String(line.split(separator: " ")[2])
                #expect(families.insert(family).inserted, "\(line)")
            } else if !line.hasPrefix("#") {
                let match = try #require(
                    line.wholeMatch(of: /([a-z_]+(?:\{(?:[a-z]+="(?:[^"\\]|\\.)*",?)*\})?) ([0-9.e+-]+)/),
                    "\(line)"
                )
                #expect(samples.insert(String(match.1)).inserted && line.hasPrefix(family), "\(line)")
            }
        }
    }

    @Test
    func `Metrics report a lost relay and the queues that wait for this relay`() async throws {
        try await RealGateway.run { gateway in
            let client = try await gateway.connectClient()
            _ = try await client.createUser("alice")
            _ = try await client.post("/v1/users/1/connections/invitations", [:])
            try await waitUntil("the queue is subscribed to") {
                let text = try await client.call("GET", "/metrics").text
                return text.contains("sxgw_queues{state=\"subscribed\"} 1\n")
                    && text.contains("sxgw_relay_sessions{state=\"connected\"} 1\n")
            }
            await gateway.relay.stopAndWait()
            try await waitUntil("the relay is missed") {
                let text = try await client.call("GET", "/metrics").text
                return text.contains("sxgw_queues{state=\"pending\"} 1\n")
                    && text.contains("sxgw_relay_sessions{state=\"connected\"} 0\n")
            }
        }
    }
}
