import JSON
import TestSupport
import Testing

@testable import Gateway

@Suite("Compressed answers", .socketTimeLimit)
struct CompressionTests {
    private static let sizeLimit = 8 << 20

    @Test
    func `Large answers are compressed only for clients that accept gzip`() async throws {
        try await ServedGateway.run { served in
            let client = try await served.connectClient()
            let plain = try await client.call("GET", "/openapi.json")
            #expect(plain.header("content-encoding") == nil && plain.header("vary") == "Accept-Encoding")
            for _ in 0..<2 {
                let (status, headers, packed) = try await getUncheckedAnswer(
                    "/openapi.json",
                    from: served.connectClient(),
                    accepting: "br, gzip;q=0.5"
                )
                #expect(status == 200)
                #expect(headers["content-encoding"] == "gzip" && headers["vary"] == "Accept-Encoding")
                #expect(packed.count * 4 < plain.body.count)
                #expect(ContentCoding.gunzip(packed, limit: Self.sizeLimit) == plain.body)
            }
            for path in ["/livez", "/v1/none"] {
                #expect(
                    try await client.call("GET", path, headers: [("Accept-Encoding", "gzip")]).header(
                        "content-encoding"
                    ) == nil
                )
            }
        }
    }

    @Test(arguments: ["gzip", "identity"])
    func `The answer to HEAD has the same headers as the answer to GET`(coding: String) async throws {
        try await ServedGateway.run { served in
            let accepting = [("Accept-Encoding", coding)]
            let head = try await served.connectClient().call("HEAD", "/openapi.json", headers: accepting)
            let (_, headers, _) = try await getUncheckedAnswer(
                "/openapi.json",
                from: served.connectClient(),
                accepting: coding
            )
            for name in ["vary", "content-encoding", "content-length", "etag"] {
                #expect(head.header(name) == headers[name], "\(name)")
            }
            #expect(head.header("vary") == "Accept-Encoding")
        }
    }

    @Test(arguments: ["/openapi.json", "/openapi-3.2.json", "/asyncapi.json", "/docs"])
    func `The contract and the reference page are compressed without random padding, since both are public`(
        path: String
    ) async throws {
        try await ServedGateway.run { served in
            let plain = try await served.connectAnonymously().call("GET", path)
            let packed = try await getUncheckedAnswer(path, from: served.connectAnonymously()).body
            #expect(packed == ContentCoding.gzip(plain.body, isPublic: true))
        }
    }

    @Test(arguments: [
        ("gzip", true), ("x-gzip", true), ("GZIP", true), ("*", true), ("br, gzip;q=0.001", true),
        ("gzip;q=1.000", true), ("gzip; q=0", false),
        ("gzip;q=0.000", false), ("*;q=0", false), ("gzip;q=0, *", false), ("br", false), ("", false),
        ("gzip;q=x", false), ("gzipped", false),
        (",,;;q=,", false), ("identity;q=0", false),
    ])
    func `Gzip is used only if the header Accept-Encoding gives gzip a valid positive weight`(
        field: String,
        isTaken: Bool
    ) {
        #expect(HTTPRequest(method: "GET", path: "/", headers: [("accept-encoding", field)]).acceptsGzip == isTaken)
    }

    @Test(arguments: [
        ("text/event-stream", true), ("Text/Event-Stream", true),
        ("application/json;q=0.1, text/event-stream; charset=utf-8", true), ("text/event-stream;q=0", false),
        ("*/*", false), ("text/*", false), ("text/event-streams", false), ("", false),
    ])
    func `Media types in the header Accept are matched without regard to case, and weight zero excludes a type`(
        field: String,
        isTaken: Bool
    ) {
        #expect(
            HTTPRequest(method: "GET", path: "/", headers: [("accept", field)]).accepts("text/event-stream") == isTaken
        )
    }

    @Test
    func `The compressed length of a secret answer varies at random, so the length does not reveal the contents`() {
        let text = Array(String(repeating: "the same again ", count: 200).utf8)
        let lengths = Set((0..<64).compactMap { _ in ContentCoding.gzip(text)?.count })
        #expect(lengths.count > 16)
        var random = [UInt8](repeating: 0, count: 4096)
        for index in random.indices { random[index] = .random(in: 0...255) }
        #expect(ContentCoding.gzip(random) == nil)
        #expect(ContentCoding.gzip(Array(text.prefix(1000))) == nil)
        #expect(ContentCoding.gunzip(text, limit: 100) == nil && ContentCoding.gunzip([], limit: 100) == nil)
    }

    @Test
    func `A compressed state of a profile keeps its ETag, and answers with secrets are never compressed`() async throws
    {
        try await RealGateway.run { gateway in
            let client = try await gateway.connectClient()
            let name = String(repeating: "long name ", count: 20)
            _ = try await client.post("/v1/users", ["profile": ["displayName": "alice", "fullName": .string(name)]])
            _ = try await client.post("/v1/users/1/address", [:])
            let gzip = ("Accept-Encoding", "gzip")
            let plain = try await client.call("GET", "/v1/users/1/model")
            let tag = try #require(plain.header("etag"))
            let (status, headers, packed) = try await getUncheckedAnswer(
                "/v1/users/1/model",
                from: gateway.connectClient()
            )
            #expect(status == 200 && headers["content-encoding"] == "gzip" && headers["etag"] == "W/" + tag)
            #expect(ContentCoding.gunzip(packed, limit: Self.sizeLimit) == plain.body)
            for known in [tag, "W/" + tag, "\"other\", W/" + tag, "*"] {
                #expect(
                    try await client.call("GET", "/v1/users/1/model", headers: [gzip, ("If-None-Match", known)]).status
                        == 304,
                    "\(known)"
                )
            }
            #expect(
                try await client.call("GET", "/v1/users/1/model", headers: [("If-None-Match", "\"other\"")]).status
                    == 200
            )
            for path in ["/v1/users/1/address", "/v1/users/1/servers", "/v1/stores"] {
                let answer = try await client.call("GET", path, headers: [gzip])
                #expect(answer.status == 200 && answer.header("content-encoding") == nil, "\(path)")
            }
            let made = try await client.post("/v1/users/1/connections/invitations", [:], headers: [gzip])
            #expect(
                made.status == 201 && made.body.count > ContentCoding.minBytes && made.header("content-encoding") == nil
            )
        }
    }

    @Test
    func `Answers to long polls are compressed, and streams are sent uncompressed`() async throws {
        try await ServedGateway.run { served in
            let watch = try await served.connectClient()
            async let answer = getUncheckedAnswer("/v1/events?cursor=now&timeout=30", from: served.connectClient())
            try await watch.waitForLongPolls(1)
            served.core.journal.publish((0..<100).map { "event\($0)" })
            let (status, headers, packed) = try await answer
            #expect(status == 200 && headers["content-encoding"] == "gzip")
            let page = try JSONValue(parsing: try #require(ContentCoding.gunzip(packed, limit: Self.sizeLimit)))
            #expect(page["events"]?.arrayValue?.count == 100)
            try await watch.send(
                "GET",
                "/v1/events",
                headers: [("Accept-Encoding", "gzip"), ("Accept", "application/x-ndjson")]
            )
            #expect(try await watch.receiveHead().headers.contains { $0.name == "content-encoding" } == false)
        }
    }

    /// Returns status, fields and body of an answer as they were sent.
    private func getUncheckedAnswer(
        _ target: String,
        from client: HTTPClient,
        accepting: String = "gzip"
    ) async throws -> (status: Int, fields: [String: String], body: [UInt8]) {
        try await client.send("GET", target, headers: [("Accept-Encoding", accepting)])
        let text = try await client.connection.receive { buffer, _ -> String? in
            guard let end = buffer.firstRange(of: Array("\r\n\r\n".utf8)) else { return nil }
            defer { buffer.removeSubrange(..<end.upperBound) }
            return String(decoding: buffer[..<end.lowerBound], as: UTF8.self)
        }
        let lines = text.split(separator: "\r\n")
        var fields: [String: String] = [:]
        for line in lines.dropFirst() {
            guard let colon = line.firstIndex(of: ":") else { continue }
            fields[line[..<colon].lowercased()] = line[line.index(after: colon)...].drop { $0 == " " }.description
        }
        let body = try await client.connection.receiveBytes(Int(fields["content-length"] ?? "") ?? 0)
        return (lines.first?.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0, fields, body)
    }
}
