import Descriptors
import Foundation
import NIOCore
import NIOPosix
import SMPTestSupport
import Synchronization
import TestSupport
import Testing
import Transport

@testable import OutgoingHTTP

/// The client of a test, and its allowance of connections.
struct KeepingClient {
    let http: OutgoingHTTP
    let allowance: Allowance

    init(
        units: Int = 8,
        authorities: String? = nil,
        clock: any Clock<Duration> = ContinuousClock(),
        _ change: (inout OutgoingHTTP.Limits) -> Void = { _ in }
    ) throws {
        self.allowance = Allowance(units)
        var limits = OutgoingHTTP.Limits()
        limits.maxTotalTime = .minutes(10)
        change(&limits)
        http = try OutgoingHTTP(
            group: MultiThreadedEventLoopGroup.singleton,
            policy: AddressPolicy(allowed: [AddressRange("127.0.0.0/8")].compactMap(\.self)),
            authorities: authorities,
            connections: self.allowance,
            limits: limits,
            userAgent: "test",
            lookUp: { _, loop in loop.makeSucceededFuture([IPAddress("127.0.0.1")].compactMap(\.self)) },
            clock: clock
        )
    }

    var keptConnectionCount: Int { http.pool.keptCount }

    func get(_ url: String, maxKeptAnswerBytes: Int = 1_000) async throws -> OutgoingAnswer {
        try await http.send(OutgoingRequest(get: try TargetURL(url), maxKeptAnswerBytes: maxKeptAnswerBytes))
    }

    /// Posts a body.
    /// - Returns: the error, if there is no answer.
    func post(
        _ url: String,
        _ body: [UInt8] = [1],
        isRepeatable: Bool = false,
        owner: String? = nil
    ) async throws
        -> OutgoingError?
    {
        var request = OutgoingRequest(url: try TargetURL(url), headers: [], body: body)
        (request.isRepeatable, request.owner) = (isRepeatable, owner)
        let sent = request
        do throws(OutgoingError) { _ = try await http.send(sent) } catch { return error }
        return nil
    }
}

extension HTTPReceiver {
    var url: String { "http://127.0.0.1:\(port)/" }

    /// Starts a server that answers the first request with the first reply, and so on. The last reply is for all
    /// further requests.
    static func start(replies: [Reply], isHasty: Bool = false) async throws -> HTTPReceiver {
        let left = Mutex(replies)
        return try await start(isHasty: isHasty) { _ in
            left.withLock { $0.count > 1 ? $0.removeFirst() : $0[0] }
        }
    }

    static func bytesReply(_ text: String) -> Reply { .bytes(Array(text.utf8)) }
}

@Suite("Connections that are kept for a next request", .socketTimeLimit) struct ConnectionReuseTests {
    private static let largeBody = [UInt8](repeating: 7, count: 32 << 20)

    @Test(arguments: [
        HTTPReceiver.Reply.status(200), .status(204), .status(500),
        HTTPReceiver.bytesReply("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabc"),
        HTTPReceiver.bytesReply("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n2\r\nbc\r\n0\r\n\r\n"),
        HTTPReceiver.bytesReply("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\nX-A: b\r\n\r\n"),
        HTTPReceiver.bytesReply("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 304 X\r\nContent-Length: 9\r\n\r\n"),
    ])
    func `Successive HTTP requests to one server use the same connection`(reply: HTTPReceiver.Reply) async throws {
        let receiver = try await HTTPReceiver.start { _ in reply }
        let client = try KeepingClient()
        for _ in 0..<3 {
            _ = try await client.get(receiver.url)
            #expect(try await client.post(receiver.url) == nil)
            _ = try await client.http.send(StreamedRequest(.delete, try TargetURL(receiver.url), maxKeptAnswerBytes: 9))
        }
        #expect(receiver.requests.count == 9 && receiver.connectionCount == 1)
        #expect(receiver.requests.allSatisfy { $0.header("connection") == nil })
        #expect(client.keptConnectionCount == 1 && client.allowance.inUseCount == 1)
        await receiver.stop()
    }

    @Test
    func `HTTP bodies of any length are transferred unchanged over one TLS connection`() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "test-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let made = try ServerCredentials.generateCredentials(commonName: "name.example")
        try made.credentials.saveIdentity(directory: folder, authorityKey: made.authorityKey)
        let receiver = try await HTTPReceiver.start(
            tls: TLSServerConfiguration(made.credentials, protocols: .noProtocol)
        ) {
            request in
            .bytes(Array("HTTP/1.1 200 OK\r\nContent-Length: \(request.body.count)\r\n\r\n".utf8) + request.body)
        }
        let client = try KeepingClient(authorities: folder + "/ca.crt")
        let url = try TargetURL("https://name.example:\(receiver.port)/")
        for count in [1, 2, 65_536, 300_000] {
            let bytes = Self.largeBody.prefix(count)
            let taken = Mutex<[UInt8]>([])
            let body = StreamedRequest.Body(size: Int64(count)) {
                let left = Mutex(bytes)
                return { most in
                    left.withLock { left in
                        defer { left = left.dropFirst(most) }
                        return Array(left.prefix(most))
                    }
                }
            }
            let sink = StreamedRequest.Sink(size: Int64(count)) { part in taken.withLock { $0 += part } }
            #expect(try await client.http.send(StreamedRequest(.put, url, body: body, sink: sink)).status == 200)
            #expect(taken.withLock { $0 } == Array(bytes))
        }
        #expect(receiver.connectionCount == 1 && client.keptConnectionCount == 1)
        // The certificate is valid for one name, so another name gets another connection.
        let other = "https://other.example:\(receiver.port)/"
        await #expect(throws: OutgoingError.self) { _ = try await client.get(other) }
        #expect(receiver.connectionCount == 2 && client.keptConnectionCount == 1)
        await receiver.stop()
    }

    @Test(arguments: [
        "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 0\r\n\r\n",
        "HTTP/1.1 200 OK\r\nConnection: x, Close\r\nContent-Length: 0\r\n\r\n",
        "HTTP/1.0 200 OK\r\nContent-Length: 0\r\n\r\n",
        "HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nContent-Length: 0\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n",
        "HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\nX", "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\naHTTP/1.1 2",
        "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\nHTTP/1.1 299 X\r\nContent-Length: 0\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nHTTP/1.1 299 X\r\n",
        "HTTP/1.1 204 X\r\nContent-Length: 3\r\n\r\nabc", "HTTP/1.1 304 X\r\n\r\nabc",
    ])
    func `An HTTP connection is not used again after an answer whose end is not clear`(text: String) async throws {
        let receiver = try await HTTPReceiver.start(replies: [HTTPReceiver.bytesReply(text), .status(202)])
        let client = try KeepingClient()
        _ = try? await client.get(receiver.url)
        // The second request gets its own answer, because it uses a second connection.
        #expect(try await client.get(receiver.url).status == 202)
        #expect(receiver.connectionCount == 2 && receiver.requests.count == 2)
        try await waitUntil("the first connection is closed") { receiver.openConnectionCount == 1 }
        await receiver.stop()
    }

    @Test
    func `An HTTP connection with unread or unexpected bytes is not kept for a next request`() async throws {
        let receiver = try await HTTPReceiver.start(replies: [
            HTTPReceiver.bytesReply("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nabcde"),
            .endless(Array("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n".utf8), Array("HTTP/1.1 299 X\r\n".utf8)),
            .status(202),
        ])
        let client = try KeepingClient()
        #expect(try await client.get(receiver.url, maxKeptAnswerBytes: 2).content == Array("ab".utf8))
        #expect(client.keptConnectionCount == 0)
        #expect(try await client.get(receiver.url).status == 200)
        try await waitUntil("the connection is closed") {
            client.keptConnectionCount == 0 && client.allowance.inUseCount == 0
        }
        #expect(try await client.get(receiver.url).status == 202)
        #expect(receiver.connectionCount == 3)
        await receiver.stop()
    }

    @Test
    func `A repeatable HTTP request that gets no answer on a kept connection is sent again`() async throws {
        for isRepeatable in [true, false] {
            let receiver = try await HTTPReceiver.start(replies: [.status(200), .lastBytes([]), .status(200)])
            let client = try KeepingClient()
            #expect(try await client.post(receiver.url) == nil)
            let error = try await client.post(receiver.url, Array("body".utf8), isRepeatable: isRepeatable)
            #expect(error == (isRepeatable ? nil : .connectionClosed))
            #expect(receiver.requests.map(\.text).dropFirst() == (isRepeatable ? ["body", "body"] : ["body"]))
            #expect(receiver.connectionCount == (isRepeatable ? 2 : 1))
            await receiver.stop()
        }
    }

    @Test
    func `An HTTP request is not repeated if its connection is new or if a byte of its answer has arrived`()
        async throws
    {
        for (replies, requests) in [
            ([.lastBytes([]), .status(200)], 1), ([.status(200), .lastBytes([])], 3),
            ([.status(200), .lastBytes(Array("H".utf8)), .status(200)], 2),
            ([.status(200), .lastBytes(Array("HTTP/1.1 100 Continue\r\n\r\n".utf8)), .status(200)], 2),
        ] as [([HTTPReceiver.Reply], Int)] {
            let receiver = try await HTTPReceiver.start(replies: replies)
            let client = try KeepingClient()
            if requests > 1 { #expect(try await client.post(receiver.url) == nil) }
            #expect(try await client.post(receiver.url, isRepeatable: true) == .connectionClosed)
            #expect(
                receiver.requests.count == requests && client.keptConnectionCount == 0
                    && client.allowance.inUseCount == 0
            )
            await receiver.stop()
        }
    }

    @Test
    func `If an HTTP upload is sent again, it begins at its first byte`() async throws {
        let receiver = try await HTTPReceiver.start(replies: [.status(200), .lastBytes([]), .status(201)])
        let client = try KeepingClient()
        let opened = Mutex(0)
        let body = StreamedRequest.Body(size: 6) {
            opened.withLock { $0 += 1 }
            let left = Mutex(Array("abcdef".utf8))
            return { _ in left.withLock { [$0.removeFirst()] } }
        }
        let upload = StreamedRequest(.put, try TargetURL(receiver.url), body: body)
        for status in [200, 201] { #expect(try await client.http.send(upload).status == status) }
        #expect(opened.withLock { $0 } == 3 && receiver.requests.map(\.text) == ["abcdef", "abcdef", "abcdef"])
        await receiver.stop()

        let hasty = try await HTTPReceiver.start(replies: [.status(200), .lastBytes([]), .status(200)], isHasty: true)
        _ = try await client.get(hasty.url)
        #expect(try await client.post(hasty.url, Self.largeBody) == .connectionClosed)
        #expect(hasty.requests.count == 2 && client.keptConnectionCount == 0)
        await hasty.stop()
    }

    @Test
    func `If an HTTP answer arrives before the whole request is sent, the connection is closed`() async throws {
        let receiver = try await HTTPReceiver.start(replies: [.status(413)], isHasty: true)
        let client = try KeepingClient()
        #expect(try await client.post(receiver.url, Self.largeBody) == nil)
        #expect(client.keptConnectionCount == 0 && client.allowance.inUseCount == 0)
        await receiver.stop()
    }
}
