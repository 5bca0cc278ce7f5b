import NIOCore
import NIOPosix
import SMP
import SMPTestSupport
import TestSupport
import Testing

@testable import NameResolving

@Suite("Resolvers of names over HTTP", .socketTimeLimit) struct HTTPNameResolverTests {
    private static func makeResolver(
        _ receiver: HTTPReceiver,
        path: String = "",
        authorization: String? = nil,
        connections: Int = 8,
        timeout: TimeAmount = .seconds(30)
    ) throws -> HTTPNameResolver {
        try HTTPNameResolver(
            "http://127.0.0.1:\(receiver.port)\(path)",
            authorization: authorization,
            group: MultiThreadedEventLoopGroup.singleton,
            connections: connections,
            timeout: timeout
        )
    }

    private static let zeroAddress = "0x0000000000000000000000000000000000000000"
    /// The record as the JSON that the SMP answer RNAME contains.
    private static let record =
        #"{"name":"alice.simplex","nickname":"Alice","website":"","location":"","simplexContact":["simplex:/a#b"],"simplexChannel":[],"eth":"0x1","btc":null,"xmr":null,"dot":null,"owner":"\#(zeroAddress)","resolver":"\#(zeroAddress)"}"#

    /// The record with a link of this size.
    private static func makeRecord(_ count: Int) -> String {
        record.replacing("simplex:/a#b", with: String(repeating: "b", count: count))
    }

    private static func makeReply(_ status: Int, _ content: String) -> HTTPReceiver.Reply {
        .bytes(Array("HTTP/1.1 \(status) X\r\nContent-Length: \(content.utf8.count)\r\n\r\n\(content)".utf8))
    }

    private static func parseName(_ text: String = "alice.simplex") throws -> NameDomain {
        try NameDomain(parsing: text.utf8)
    }

    private func resolvingError(_ resolver: HTTPNameResolver) async throws -> SMPNameError? {
        let name = try Self.parseName()
        do throws(SMPNameError) { _ = try await resolver.resolveName(name) } catch { return error }
        return nil
    }

    @Test
    func `A request to a name resolver has the lower-case name in its path, and its record is returned`()
        async throws
    {
        let receiver = try await HTTPReceiver.start { _ in Self.makeReply(200, Self.record) }
        for path in ["", "/", "/names/", "/a%20b"] {
            let resolver = try Self.makeResolver(receiver, path: path)
            #expect(try await resolver.resolveName(Self.parseName("Alice.SIMPLEX")) == Array(Self.record.utf8))
            let request = await receiver.nextRequest()
            let base = path.hasSuffix("/") ? String(path.dropLast()) : path
            #expect(request.method == "GET" && request.target == base + "/resolve/alice.simplex")
            #expect(request.headers.filter { $0.name == "accept" }.map(\.value) == ["application/json"])
            #expect(request.header("authorization") == nil)
        }
        let longest = [63, 63, 63, 61].map { String(repeating: "a", count: $0) }.joined(separator: ".")
        _ = try await Self.makeResolver(receiver).resolveName(Self.parseName(longest))
        #expect(await receiver.nextRequest().target == "/resolve/" + longest)
    }

    @Test
    func `A record from a name resolver loses unknown members, and gets null for each missing coin`() async throws {
        let text = Self.record.replacing(#""btc":null,"#, with: #""new":[{"a":1}],"#)
        let receiver = try await HTTPReceiver.start { _ in Self.makeReply(200, " \(text)\n") }
        #expect(try await Self.makeResolver(receiver).resolveName(Self.parseName()) == Array(Self.record.utf8))
    }

    @Test(arguments: [("bearer a.b", "Bearer a.b"), ("Basic me:x:y", "Basic bWU6eDp5")])
    func `The configured authorization is sent with each request to a name resolver`(
        text: String,
        value: String
    ) async throws {
        let receiver = try await HTTPReceiver.start { _ in Self.makeReply(200, Self.record) }
        let resolver = try Self.makeResolver(receiver, authorization: text)
        _ = try await resolver.resolveName(Self.parseName())
        #expect(await resolver.checkHealth() == nil)
        #expect(await receiver.nextRequests(2).map { $0.header("authorization") } == [value, value])
    }

    @Test(
        arguments: [
            (makeReply(404, "{}"), SMPNameError.notFound), (makeReply(400, record), .notFound),
            (makeReply(401, record), .resolver("HTTP 401")), (makeReply(500, ""), .resolver("HTTP 500")),
            (makeReply(502, #"{"error":"x"}"#), .resolver("HTTP 502")), (makeReply(599, "x"), .resolver("HTTP 599")),
            (makeReply(200, ""), .resolver("invalid response")), (makeReply(200, "{}"), .resolver("invalid response")),
            (makeReply(200, "<html>"), .resolver("invalid response")),
            (makeReply(200, "[]"), .resolver("invalid response")),
            (makeReply(200, record + "x"), .resolver("invalid response")),
            (.status(204), .resolver("invalid response")),
            (makeReply(200, record.replacing(#""Alice""#, with: "null")), .resolver("invalid response")),
            (makeReply(200, record.replacing(#""simplexChannel":[],"#, with: "")), .resolver("invalid response")),
            (
                makeReply(200, record.replacing(#"["simplex:/a#b"]"#, with: #""simplex:/a#b""#)),
                .resolver("invalid response")
            ),
            (makeReply(200, String(repeating: "[", count: 15_000)), .resolver("invalid response")),
            (.bytes(Array("SSH-2.0-x\r\n\r\n".utf8)), .resolver("transport failure")),
            (.lastBytes([]), .resolver("transport failure")),
            (.lastBytes(Array("HTTP/1.1 200 OK\r\nContent-Length: 900\r\n\r\n{".utf8)), .resolver("transport failure")),
        ] as [(HTTPReceiver.Reply, SMPNameError)]
    )
    func `An unknown name, an unexpected status and an invalid record cause the errors of the original`(
        reply: HTTPReceiver.Reply,
        expected: SMPNameError
    ) async throws {
        let receiver = try await HTTPReceiver.start { _ in reply }
        #expect(try await resolvingError(Self.makeResolver(receiver)) == expected)
    }

    @Test
    func `A redirect from a name resolver is not followed`() async throws {
        let other = try await HTTPReceiver.start { _ in Self.makeReply(200, Self.record) }
        let receiver = try await HTTPReceiver.start { [port = other.port] _ in
            .status(302, [("Location", "http://127.0.0.1:\(port)/resolve/alice.simplex")])
        }
        #expect(
            try await resolvingError(Self.makeResolver(receiver, authorization: "bearer x"))
                == .resolver("invalid response")
        )
        #expect(receiver.requests.count == 1 && other.requests.isEmpty)
    }

    @Test
    func `A record of the maximum size is accepted from a name resolver, and a larger or endless one is refused`()
        async throws
    {
        let room = 16_000 - Self.makeRecord(0).utf8.count
        let receiver = try await HTTPReceiver.start { request in
            switch request.target {
            case "/0/resolve/alice.simplex": Self.makeReply(200, Self.makeRecord(room))
            case "/1/resolve/alice.simplex": Self.makeReply(200, Self.makeRecord(room + 1))
            // The content has fewer than 16,000 bytes, but the record has members that the content lacks.
            case "/2/resolve/alice.simplex":
                Self.makeReply(200, Self.makeRecord(room + 5).replacing(#""btc":null,"#, with: ""))
            case "/3/resolve/alice.simplex":
                .endless(
                    Array("HTTP/1.1 200 OK\r\nContent-Length: 4000000000\r\n\r\n".utf8),
                    [UInt8](repeating: 0x20, count: 65_536)
                )
            default: .endless(Array("HTTP/1.1 200 OK\r\n".utf8), Array("X-A: aaaaaaaaaaaaaaaaaaaaaa\r\n".utf8))
            }
        }
        let record = try await Self.makeResolver(receiver, path: "/0").resolveName(Self.parseName())
        #expect(record.count == 16_000)
        for path in ["/1", "/2", "/3", "/4"] {
            #expect(
                try await resolvingError(Self.makeResolver(receiver, path: path)) == .resolver("response too large"),
                "\(path)"
            )
        }
    }

    @Test(arguments: [
        HTTPReceiver.Reply.silence, .bytes(Array("HTTP/1.1 200 OK\r\nContent-Len".utf8)),
        .bytes(Array("HTTP/1.1 200 OK\r\nContent-Length: 900\r\n\r\n{".utf8)),
    ])
    func `A name resolver that does not answer in time, or stops in the middle of an answer, causes a timeout`(
        reply: HTTPReceiver.Reply
    ) async throws {
        let receiver = try await HTTPReceiver.start { _ in reply }
        let resolver = try Self.makeResolver(receiver, timeout: .milliseconds(50))
        #expect(try await resolvingError(resolver) == .resolver("timeout"))
    }

    @Test
    func `An unreachable name resolver causes a transport failure, and the check of it reports the reason`()
        async throws
    {
        let receiver = try await HTTPReceiver.start { _ in .silence }
        await receiver.stop()
        let resolver = try Self.makeResolver(receiver)
        #expect(try await resolvingError(resolver) == .resolver("transport failure"))
        #expect(await resolver.checkHealth()?.contains("cannot be connected to") == true)
    }

    @Test(arguments: [(200, nil), (204, nil), (503, "HTTP 503")])
    func `The check of a name resolver requests /health, and succeeds for any status below 400`(
        status: Int,
        expected: String?
    ) async throws {
        let receiver = try await HTTPReceiver.start { _ in .status(status) }
        #expect(try await Self.makeResolver(receiver, path: "/x").checkHealth() == expected)
        #expect(await receiver.nextRequest().target == "/x/health")
    }

    @Test
    func `Several names are requested from a resolver at the same time, and its connections are reused`() async throws {
        let receiver = try await HTTPReceiver.start { _ in Self.makeReply(200, Self.record) }
        let (resolver, name) = (try Self.makeResolver(receiver), try Self.parseName())
        let count = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<8 { group.addTask { try await resolver.resolveName(name).count } }
            return try await group.reduce(0) { $0 + $1 }
        }
        #expect(count == 8 * Self.record.utf8.count)
        for _ in 0..<4 { _ = try await resolver.resolveName(name) }
        #expect(receiver.requests.count == 12 && receiver.connectionCount <= 8)
    }

    @Test(
        arguments: [
            ("names.example.org", nil, "must begin with https://"), ("ftp://x.org", nil, "must begin with https://"),
            ("http://", nil, "must begin with https://"), ("https://x.org/?a=b", nil, "query"),
            ("https://x.org/#a", nil, "fragment"),
            ("https://me:x@x.org", nil, "user or password"),
            ("https://x.org/" + String(repeating: "a", count: 1_900), nil, "characters"),
            ("http://x.org", "bearer a", "must begin with https://"),
            ("http://10.0.0.1", "bearer a", "must begin with https://"), ("https://x.org", "a", "bearer TOKEN"),
            ("https://x.org", "bearer", "bearer TOKEN"), ("https://x.org", "bearer a b", "bearer TOKEN"),
            ("https://x.org", "bearer ä", "bearer TOKEN"), ("https://x.org", "basic me", "USER:PASSWORD"),
            ("https://x.org", "basic :x", "USER:PASSWORD"), ("https://x.org", "digest a:b", "USER:PASSWORD"),
        ] as [(String, String?, String)]
    )
    func `A URL or an authorization that is invalid for a name resolver is refused`(
        url: String,
        authorization: String?,
        words: String
    ) {
        let fault = #expect(throws: HTTPNameResolver.Fault.self) {
            try HTTPNameResolver(
                url,
                authorization: authorization,
                group: MultiThreadedEventLoopGroup.singleton,
                connections: 1
            )
        }
        #expect(fault?.description.contains(words) == true, "\(fault?.description ?? "")")
    }

    @Test(
        arguments: [
            ("http://10.0.0.1:8000", nil), ("https://names.example.org:443/", nil), ("https://x.org", "bearer a"),
            ("http://localhost:8000", "basic a:b"), ("http://[::1]:8000/x", "bearer a"),
        ] as [(String, String?)]
    )
    func `A name resolver's URL without TLS may have any host, but only a loopback host with an authorization`(
        url: String,
        authorization: String?
    ) {
        #expect(throws: Never.self) {
            try HTTPNameResolver(
                url,
                authorization: authorization,
                group: MultiThreadedEventLoopGroup.singleton,
                connections: 1
            )
        }
    }
}
