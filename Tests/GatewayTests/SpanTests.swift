import ChatAPI
import ChatStore
import JSON
import Logging
import NIOPosix
import OutgoingHTTP
import SMPTestSupport
import TestSupport
import Testing

@testable import Gateway

/// Spans of requests, their form in OTLP, and the answers of a collector.
@Suite(.socketTimeLimit) struct SpanTests {
    private static let header = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"

    private func makeRequestSpan(
        _ request: HTTPRequest,
        status: Int,
        bytes: Int? = nil,
        _ change: (inout RequestTrace.Facts) -> Void = { _ in }
    ) -> Span {
        var facts = RequestTrace.Facts()
        change(&facts)
        let finished = FinishedRequest(request: request, status: status, durationMicroseconds: 250, contentBytes: bytes)
        return .makeRequestSpan(finished, facts, endNanoseconds: 1_000_000)
    }

    /// Encodes a span and returns its JSON.
    private func encode(_ span: Span) throws -> JSONValue {
        let document = try JSONValue(parsing: SpanDocument.encode([span], of: [.init("a", "b")], version: "1"))
        let resource = try #require(document["resourceSpans"]?[0])
        #expect(resource["resource"] == ["attributes": [["key": "a", "value": ["stringValue": "b"]]]])
        #expect(resource["scopeSpans"]?[0]?["scope"] == ["name": "simplex-gateway", "version": "1"])
        return try #require(resource["scopeSpans"]?[0]?["spans"]?[0])
    }

    @Test
    func `The span of a request continues the trace of its client`() throws {
        let span = makeRequestSpan(HTTPRequest(method: "GET", path: "/v1/whoami", id: "r1"), status: 200, bytes: 7) {
            ($0.route, $0.keyID, $0.storeID) = ("/v1/whoami", "k1", "s1")
            $0.traceContext = TraceContext(Self.header)
        }
        #expect(span.identity.spanID.utf8.count == 16 && span.identity.spanID != "00f067aa0ba902b7")
        #expect(
            try encode(span) == [
                "traceId": "4bf92f3577b34da6a3ce929d0e0e4736", "spanId": .string(span.identity.spanID),
                "parentSpanId": "00f067aa0ba902b7", "name": "GET /v1/whoami", "kind": 2,
                "startTimeUnixNano": "750000", "endTimeUnixNano": "1000000",
                "attributes": [
                    ["key": "http.request.method", "value": ["stringValue": "GET"]],
                    ["key": "url.scheme", "value": ["stringValue": "http"]],
                    ["key": "sxgw.request.id", "value": ["stringValue": "r1"]],
                    ["key": "http.route", "value": ["stringValue": "/v1/whoami"]],
                    ["key": "http.response.status_code", "value": ["intValue": "200"]],
                    ["key": "http.response.body.size", "value": ["intValue": "7"]],
                    ["key": "sxgw.key.id", "value": ["stringValue": "k1"]],
                    ["key": "sxgw.store.id", "value": ["stringValue": "s1"]],
                ],
            ]
        )
    }

    @Test
    func `A span has no path, no query and no header of its request`() throws {
        let request = HTTPRequest(
            method: "GET",
            path: "/v1/secret-path",
            query: [("ticket", "secret-query")],
            headers: [("authorization", "secret-header")],
            body: Array("secret-body".utf8),
            id: "r"
        )
        let text = try encode(makeRequestSpan(request, status: 404)).text
        #expect(!text.contains("secret"), "\(text)")
    }

    @Test
    func `A request without a trace context begins a new trace, and only a server error marks its span as failed`()
        throws
    {
        let (first, second) = (
            makeRequestSpan(HTTPRequest(method: "PURGE", path: "/"), status: 500),
            makeRequestSpan(HTTPRequest(method: "GET", path: "/"), status: 404)
        )
        #expect(first.identity.traceID.utf8.count == 32 && first.identity.traceID != second.identity.traceID)
        #expect(first.parentID == nil && first.name == "HTTP" && first.isFailed && !second.isFailed)
        #expect(try encode(first)["status"] == ["code": 2])
        #expect(first.attributes.contains(.init("http.request.method", "_OTHER")))
        #expect(
            makeRequestSpan(HTTPRequest(method: "GET", path: "/"), status: 0).attributes.contains(
                .init("error.type", "disconnected")
            )
        )
    }

    @Test
    func `A span's times before 1970 and reversed times are encoded as the nearest valid times`() throws {
        let span = try encode(
            Span(
                identity: .makeRandom(),
                name: "m",
                kind: .producer,
                startNanoseconds: .min,
                endNanoseconds: -5
            )
        )
        #expect(span["startTimeUnixNano"] == "0" && span["endTimeUnixNano"] == "0")
    }

    @Test
    func `A span drops links above the maximal number, and counts the dropped links`() throws {
        let links = (0..<Span.maxLinks + 2).map { _ in Span.Identity.makeRandom() }
        let span = try encode(
            Span(
                identity: .makeRandom(),
                name: "m",
                kind: .server,
                startNanoseconds: 1,
                endNanoseconds: 2,
                links: links
            )
        )
        #expect(span["links"]?.arrayValue?.count == Span.maxLinks && span["droppedLinksCount"] == 2)
        #expect(span["links"]?[0] == ["traceId": .string(links[0].traceID), "spanId": .string(links[0].spanID)])
    }

    @Test(arguments: [
        (200, SpanCollector.Outcome.accepted(rejectedCount: 0)), (400, .refused(reason: "HTTP 400")),
        (302, .refused(reason: "HTTP 302")), (500, .refused(reason: "HTTP 500")),
        (429, .retryable(reason: "HTTP 429", afterSeconds: 9)), (503, .retryable(reason: "HTTP 503", afterSeconds: 9)),
    ])
    func `The status of a collector's answer decides whether the spans are sent to the collector again`(
        status: Int,
        outcome: SpanCollector.Outcome
    ) {
        #expect(SpanCollector.judge(OutgoingAnswer(status: status, retryAfter: 9)) == outcome)
    }

    @Test(arguments: [
        (#"{"partialSuccess":{"rejectedSpans":"3"}}"#, 3), (#"{"partialSuccess":{"rejectedSpans":2}}"#, 2),
        (#"{"partialSuccess":{"rejectedSpans":-1}}"#, 0), ("{}", 0), ("no JSON", 0),
    ])
    func `Spans that a collector has rejected are counted`(content: String, count: Int) {
        var answer = OutgoingAnswer(status: 200)
        answer.content = Array(content.utf8)
        #expect(SpanCollector.judge(answer) == .accepted(rejectedCount: count))
    }

    @Test(arguments: [
        ("ftp://x", [], "must begin with https://"), ("http://x/?a=1", [], "must not have a query."),
        ("http://u:p@x", [], "must not have a user or password"), ("http://x.org", ["Key"], "headers are secret"),
    ])
    func `An unsafe URL of a collector is refused`(url: String, headers: [String], reason: String) {
        let error = #expect(throws: SpanCollector.Fault.self) {
            try SpanCollector(url, headers: headers.map { ($0, "v") }, group: MultiThreadedEventLoopGroup.singleton)
        }
        #expect(error?.description.contains(reason) == true, "\(error?.description ?? "")")
    }

    @Test
    func `A collector gets spans as JSON with the configured headers, over one connection`() async throws {
        let receiver = try await HTTPReceiver.start { _ in .status(200) }
        let collector = try SpanCollector(
            "http://127.0.0.1:\(receiver.port)/otel/",
            headers: [("Authorization", "Bearer abc")],
            group: MultiThreadedEventLoopGroup.singleton
        )
        for text in ["{\"a\":1}", "{\"a\":2}"] {
            #expect(await collector.send(Array(text.utf8)) == .accepted(rejectedCount: 0))
            let request = await receiver.nextRequest()
            #expect(request.method == "POST" && request.target == "/otel/v1/traces" && request.text == text)
            #expect(request.header("content-type") == "application/json")
            #expect(request.header("authorization") == "Bearer abc")
        }
        #expect(receiver.connectionCount == 1)
        await receiver.stop()
        guard case .retryable = await collector.send([]) else {
            Issue.record("an unreachable collector counts as a failure that may pass")
            return
        }
    }

    @Test
    func `Each request except a probe has a span, unless the caller does not record the trace`() async throws {
        let receiver = try await HTTPReceiver.start { _ in .status(200) }
        let exporter = try SpanExporter(
            "http://127.0.0.1:\(receiver.port)",
            headers: [],
            authorities: nil,
            group: MultiThreadedEventLoopGroup.singleton,
            log: Logger(label: "test")
        )
        exporter.start()
        try await ServedGateway.run({ $0.spanExporter = exporter }) { gateway in
            let client = try await gateway.connectClient()
            _ = try await client.call("GET", "/v1/whoami", headers: [("traceparent", Self.header)])
            let unrecorded = String(Self.header.dropLast()) + "0"
            _ = try await client.call("GET", "/v1/whoami", headers: [("traceparent", unrecorded)])
            _ = try await client.call("GET", "/livez")
            _ = try await client.call("GET", "/nowhere")
        }
        await exporter.stop()
        let spans = try receiver.requests.flatMap { request in
            try JSONValue(parsing: request.body)["resourceSpans"]?[0]?["scopeSpans"]?[0]?["spans"]?.arrayValue ?? []
        }
        #expect(spans.map { $0["name"] } == ["GET /v1/whoami", "GET"])
        #expect(spans.first?["traceId"] == "4bf92f3577b34da6a3ce929d0e0e4736")
        await receiver.stop()
    }

    @Test
    func `All spans of a message belong to one trace, and its root span is the acceptance of the message`() throws {
        func makeSpan(_ step: MessageStepReport.Step, delivery: Int64? = 7) -> Span {
            .makeMessageSpan(
                MessageStepReport(
                    step,
                    of: 4,
                    delivery: delivery,
                    contact: delivery == nil ? nil : 2,
                    from: Timestamp(nanoseconds: 10),
                    to: Timestamp(nanoseconds: 20)
                ),
                in: "e1",
                of: "s1"
            )
        }
        let acceptance = makeSpan(.accept, delivery: nil)
        let (encryption, sending, failure, receipt) = (
            makeSpan(.encrypt), makeSpan(.send), makeSpan(.fail), makeSpan(.receipt)
        )
        let all = [acceptance, encryption, sending, receipt]
        #expect(Set(all.map(\.identity.traceID)) == [acceptance.identity.traceID])
        #expect(Set(all.map(\.identity.spanID)).count == 4 && all.allSatisfy { $0.identity.spanID.utf8.count == 16 })
        let root = acceptance.identity.spanID
        #expect(all.map(\.parentID) == [nil, root, root, sending.identity.spanID])
        #expect(all.map(\.name) == ["message accept", "message encrypt", "message send", "message receipt"])
        #expect(failure.identity == sending.identity && failure.isFailed && !sending.isFailed)
        #expect(
            sending.attributes == [
                .init("sxgw.item.id", 4), .init("sxgw.delivery.id", 7), .init("sxgw.contact.id", 2),
                .init("sxgw.store.id", "s1"),
            ]
        )
        // The ids depend on the epoch of the journal and the number of the event. So they are the same after a restart,
        // and different for another journal.
        #expect(Span.Identity(acceptanceOf: 4, in: "e1") == acceptance.identity)
        #expect(Span.Identity(acceptanceOf: 4, in: "e2").traceID != acceptance.identity.traceID)
    }

    @Test
    func `The span of a request has a link to each message that the request has sent`() throws {
        let span = makeRequestSpan(HTTPRequest(method: "POST", path: "/"), status: 200) {
            $0.sentMessages = RequestTrace.SentMessages(epoch: "e1", itemIds: [4, 5])
        }
        #expect(span.links == [.init(acceptanceOf: 4, in: "e1"), .init(acceptanceOf: 5, in: "e1")])
    }
}
