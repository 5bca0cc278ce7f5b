import TestSupport
import Testing

@testable import Gateway

/// Requests that HTTP/1.1 forbids, and that a proxy may read as different requests. The server refuses them, and reads
/// no request after them.
@Suite(.socketTimeLimit) struct FramingTests {
    private static let host = "Host: localhost\r\n"

    /// Sends `text` followed by a valid request, and returns the statuses of all answers.
    private func readStatuses(_ served: ServedGateway, _ text: String, key: Bool = false) async throws -> [Int] {
        let connection = try await RawConnection.open(port: served.port)
        let authorization = key ? "Authorization: Bearer \(served.key)\r\n" : ""
        let all = text.replacing("KEY", with: authorization)
        try await connection.send(all + "GET /v1/behind HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        let answers = String(decoding: try await connection.receiveRest(), as: UTF8.self)
        return answers.split(separator: "HTTP/1.1 ").compactMap { Int($0.prefix(3)) }
    }

    @Test(arguments: [
        "POST /v1/users HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}",
        "POST /v1/users HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\nContent-Length: 2\r\n\r\n{}",
        "POST /v1/users HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2, 2\r\n\r\n{}",
        "GET /livez HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer a\r\nAuthorization: Bearer b\r\n\r\n",
        "GET /livez HTTP/1.1\r\nHost: localhost\r\nUpload-Complete: ?0\r\nUpload-Complete: ?1\r\n\r\n",
        "GET /livez HTTP/1.1\r\nHost: localhost\r\nOrigin: http://localhost\r\nOrigin: http://evil.com\r\n\r\n",
        "POST /v1/users HTTP/1.1\r\nHost: localhost\r\nContent-Length: +2\r\n\r\n{}",
        "POST /v1/users HTTP/1.1\r\nHost: localhost\r\nContent-Length : 2\r\n\r\n{}",
        "POST /v1/users HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        "POST /v1/users HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n0\r\n\r\n",
        "POST /v1/users HTTP/1.0\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        "GET /livez HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        "GET /livez HTTP/1.1\r\nHost: localhost\r\nX-A: a\u{0}b\r\n\r\n",
        "GET /livez HTTP/1.1\r\nHost: localhost\r\nX-A: a\u{0}\r\n\r\n",
        "GET /livez HTTP/1.1\r\nHost: localhost\r\nX-A: a\rb\r\n\r\n",
        "GET /livez HTTP/1.1\r\nHost: localhost\r\nX-A: a\u{1}b\r\n\r\n",
        "GET /livez HTTP/1.1\r\nHost: localhost\r\nX-A : a\r\n\r\n",
        "GET /livez HTTP/1.1\r\nHost: localhost\r\nX\tA: a\r\n\r\n",
        "GET /livez HTTP/1.1\r\nHost: localhost\r\n: a\r\n\r\n",
        "GET /livez HTTP/1.1\r\nHost: localhost\r\nX-A: a\r\n b\r\n\r\n",
        "GET /livez HTTP/1.1\r\nHost: localhost\nX-A: a\r\n\r\n", "GET /livez HTTP/1.1\nHost: localhost\r\n\r\n",
        "GET /livez HTTP/1.1\r\nHost: localhost\r\n\n", "GET /livez HTTP/1.1\r\nHost: localhost\n\r\n",
        "GET /livez HTTP/1.1\nHost: localhost\n\n",
        "GET  /livez HTTP/1.1\r\nHost: localhost\r\n\r\n", "GET /livez\u{0} HTTP/1.1\r\nHost: localhost\r\n\r\n",
        "GET /livez?a=\u{0}b HTTP/1.1\r\nHost: localhost\r\n\r\n",
        "GET /li\rvez HTTP/1.1\r\nHost: localhost\r\n\r\n",
        "GET /li vez HTTP/1.1\r\nHost: localhost\r\n\r\n", "GET /livez?a=b c HTTP/1.1\r\nHost: localhost\r\n\r\n",
        "GET /li\tvez HTTP/1.1\r\nHost: localhost\r\n\r\n",
        "G(T /livez HTTP/1.1\r\nHost: localhost\r\n\r\n", "GET /livez HTTP/1.1\r\nHost: [::1].evil.com\r\n\r\n",
        "GET /livez HTTP/1.1\r\nHost: 127.0.0.1:99999@evil\r\n\r\n",
    ])
    func `A request with a malformed header gets 400, and its connection is closed`(_ text: String) async throws {
        try await ServedGateway.run { served in
            let found = try await readStatuses(served, text)
            // The answer of the library repeats the header that it refuses. A wrong host is no error of framing, so the
            // bytes after such a request are read as another request.
            #expect(
                Set(found) == [400] || text.contains("evil") && found == [400, 404],
                "\(text.debugDescription): \(found)"
            )
        }
    }

    @Test(arguments: [
        ("http://localhost/livez", 200), ("HTTP://LOCALHOST:5225/livez?a=b", 400), ("https://localhost/livez", 200),
        ("http://localhost", 401),
        ("http://evil.com/v1/users", 421), ("http://localhost@evil.com/livez", 400), ("http:///livez", 400),
        ("ftp://localhost/livez", 400),
    ])
    func `The host of an absolute URL in the request line is used instead of the header Host`(
        _ target: String,
        status: Int
    ) async throws {
        try await ServedGateway.run { served in
            let found = try await readStatuses(served, "GET \(target) HTTP/1.1\r\nHost: localhost\r\n\r\n")
            #expect(found == [status, 404])
            let other = try await readStatuses(served, "GET \(target) HTTP/1.1\r\nHost: evil.com\r\n\r\n")
            #expect(other.first == status || target.hasPrefix("ftp"))
        }
    }

    @Test
    func `A request with an unknown transfer coding gets 501, and one with more than a hundred header fields 431`()
        async throws
    {
        try await ServedGateway.run { served in
            for coding in ["xchunked", "identity", "gzip, chunked", "chunked, chunked"] {
                let text = "POST /v1/users HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: \(coding)\r\n\r\n0\r\n\r\n"
                let found = try await readStatuses(served, text)
                #expect(found == [501], "\(coding)")
            }
            let fields = (0..<98).map { "X-\($0): a\r\n" }.joined()
            for hidden in [
                "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n",
                "Origin: https://evil.example\r\nX-A: b\r\nX-C: d\r\n",
            ] {
                let text = "POST /v1/users HTTP/1.1\r\nHost: localhost\r\n\(fields)X-Y: z\r\n\(hidden)\r\n0\r\n\r\n"
                let found = try await readStatuses(served, text)
                #expect(found == [431])
            }
            let query = (0..<101).map { "a\($0)=b" }.joined(separator: "&")
            let found = try await readStatuses(served, "GET /livez?\(query) HTTP/1.1\r\nHost: localhost\r\n\r\n")
            #expect(found == [400])
        }
    }

    @Test
    func `A request target of more than 12 KiB gets 414 with a problem document`() async throws {
        try await ServedGateway.run { served in
            for (count, status) in [(12 * 1024, 400), (12 * 1024 + 1, 414), (14_000, 414)] {
                let target = "/v1/events?types="
                let answer = try await served.connectClient().call(
                    "GET",
                    target + String(repeating: "a", count: count - target.utf8.count)
                )
                #expect(
                    answer.status == status && answer.header("content-type") == "application/problem+json",
                    "\(count): \(answer.status)"
                )
            }
        }
    }

    @Test(arguments: [("/livez", "200"), ("/readyz", "200"), ("/v1/whoami", "400"), ("/app", "400")])
    func `Only '/livez' and '/readyz' accept HTTP/1.0 requests without a host`(
        path: String,
        status: String
    ) async throws {
        try await ServedGateway.run { served in
            let client = try await served.connectClient()
            try await client.connection.send("GET \(path) HTTP/1.0\r\nAuthorization: Bearer \(served.key)\r\n\r\n")
            let answer = String(decoding: try await client.connection.receiveRest(), as: UTF8.self)
            #expect(answer.split(separator: " ").dropFirst().first.map(String.init) == status, "\(answer)")
        }
    }

    @Test
    func `A request without a host gets 400 with a problem document`() async throws {
        try await ServedGateway.run { served in
            let client = try await served.connectClient()
            try await client.connection.send("GET /livez HTTP/1.1\r\nConnection: close\r\n\r\n")
            let answers = String(decoding: try await client.connection.receiveRest(), as: UTF8.self)
            #expect(answers.components(separatedBy: "HTTP/1.1 400 ").count == 2, "\(answers)")
            #expect(
                answers.contains("application/problem+json")
                    && answers.contains("The request must have exactly one Host header."),
                "\(answers)"
            )
        }
    }

    @Test(arguments: [
        "livez", "v1/users", "/v1/%zz", "/v1/a%2", "/v1/%", "/v1/%ff", "/v1/%00", "/v1/%c3/%a9", "/v1/\u{FF}",
        "/livez?a=%zz", "/livez?a=%2", "/livez?%ff=a", "/livez?a=%00", "/livez?a=b&c=%",
    ])
    func `A request target with a percent escape that is malformed or not UTF-8 gets 400`(target: String) async throws {
        try await ServedGateway.run { served in
            let client = try await served.connectClient()
            // The bytes are Latin-1 and not valid UTF-8, so the request is refused.
            let bytes = "GET \(target) HTTP/1.1\r\nHost: localhost\r\n\r\n".unicodeScalars.map {
                UInt8(truncatingIfNeeded: $0.value)
            }
            try await client.connection.send(bytes)
            let answer = try await client.receiveAnswer()
            #expect(answer.status == 400, "\(answer.text)")
            #expect(try answer.json["code"] == "malformedRequest")
            // The framing is valid, so the connection stays open.
            #expect(try await client.call("GET", "/v1/caf%C3%A9?a=%25").status == 404)
        }
    }

    @Test
    func `An HTTP/1.0 request for a WebSocket gets 426`() async throws {
        try await ServedGateway.run { served in
            let connection = try await RawConnection.open(port: served.port)
            try await connection.send(
                """
                GET / HTTP/1.0\r\nHost: localhost\r\nAuthorization: Bearer \(served.key)\r\nUpgrade: websocket\r\nConnection: Upgrade\r
                Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n
                """
            )
            #expect(String(decoding: try await connection.receiveRest(), as: UTF8.self).hasPrefix("HTTP/1.1 426 "))
        }
    }

    @Test
    func `Requests with an unusual field order, empty or non-ASCII values, or an empty first line are accepted`()
        async throws
    {
        try await ServedGateway.run { served in
            for text in [
                "GET /livez HTTP/1.1\r\nX-A:\r\nX-B:a\r\nX-C: \t a b\t\r\nHost: localhost\r\nX-D: é\r\n\r\n",
                "GET /livez? HTTP/1.1\r\nHost: localhost:\r\n\r\n",
                "GET /livez HTTP/1.1\r\nHost: LOCALHOST:5225\r\nCookie: a=b; c=\"d\"; e\r\n\r\n",
                "\r\nGET /livez HTTP/1.1\r\nHost: [::1]:1\r\n\r\n",
                "GET /livez HTTP/1.1\r\nHost: localhost\r\n\(String(repeating: "X-A: b\r\n", count: 99))\r\n",
                "GET /livez HTTP/1.1\r\nHost: localhost\r\nX-A: \(String(repeating: "a", count: 5_000))\r\n\r\n",
            ] {
                let found = try await readStatuses(served, text)
                #expect(found == [200, 404], "\(text.debugDescription)")
            }
            // The route refuses all of these parameters. The framing is valid, so the connection stays open.
            let found = try await readStatuses(
                served,
                "GET /livez?a&&b=&c&d=e=f+g%20h&i=%00 HTTP/1.1\r\nHost: localhost\r\n\r\n"
            )
            #expect(found == [400, 404])
            let old = try await RawConnection.open(port: served.port)
            try await old.send("GET /livez HTTP/1.0\r\nHost: localhost\r\n\r\n")
            #expect(String(decoding: try await old.receiveRest(), as: UTF8.self).hasPrefix("HTTP/1.1 200"))
        }
    }

    @Test
    func `A request whose header arrives byte by byte is answered with 200`() async throws {
        try await ServedGateway.run { served in
            let connection = try await RawConnection.open(port: served.port)
            for byte in "GET /livez HTTP/1.1\r\nHost: localhost\r\nX-A: \tb c\r\nConnection: close\r\n\r\n".utf8 {
                try await connection.send([byte])
            }
            #expect(String(decoding: try await connection.receiveRest(), as: UTF8.self).hasPrefix("HTTP/1.1 200"))
        }
    }

    @Test
    func `After a request with a chunked body, the connection is closed, and no second request is read from it`()
        async throws
    {
        try await ServedGateway.run { served in
            let good =
                "POST /v1/events/tickets HTTP/1.1\r\nHost: localhost\r\nKEYTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n"
            let (known, unknown) = (
                try await readStatuses(served, good, key: true), try await readStatuses(served, good)
            )
            #expect(known == [201] && unknown == [401])
            let lenient =
                "POST /v1/events/tickets HTTP/1.1\r\nHost: localhost\r\nKEYTransfer-Encoding: chunked\r\n\r\n2;\n{}\n0\n\n"
            let one = try await readStatuses(served, lenient, key: true)
            #expect(one.count == 1)
        }
    }

    @Test
    func `The authority of a URL is parsed only as a host name or an IP address with an optional port`() throws {
        for text in ["a", "a.b-c_d", "1.2.3.4", "[::1]", "a:1", "a:", "[2001:db8::1]:65535"] {
            #expect(HostAndPort(text) != nil, "\(text)")
        }
        for text in [
            "", ":1", "a b", "a@b", "a:b", "a:65536", "a:+1", "a:1:2", "[::1", "[::1]x", "[::1]:x", "[a]", "::1", "a/b",
            "a?", "é",
        ] {
            #expect(HostAndPort(text) == nil, "\(text)")
        }
        #expect(HostAndPort("[::1]:5225")?.host == "::1" && HostAndPort("[::1]:5225")?.port == 5225)
        #expect(HostAndPort("a:7")?.port == 7 && HostAndPort("a")?.port == nil)
    }
}
