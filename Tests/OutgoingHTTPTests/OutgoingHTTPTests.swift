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

@Suite("Requests to servers named by clients", .socketTimeLimit) struct OutgoingHTTPTests {
    private static let loopbackPolicy = AddressPolicy(allowed: [AddressRange("127.0.0.0/8")].compactMap(\.self))

    private func makeClient(
        _ policy: AddressPolicy = loopbackPolicy,
        authorities: String? = nil,
        connections: Int = 8,
        whole: TimeAmount = .seconds(30),
        lookUp: NameLookup? = nil
    ) throws -> OutgoingHTTP {
        var limits = OutgoingHTTP.Limits()
        limits.maxTotalTime = whole
        return try OutgoingHTTP(
            group: MultiThreadedEventLoopGroup.singleton,
            policy: policy,
            authorities: authorities,
            connections: Allowance(connections),
            limits: limits,
            userAgent: "test",
            lookUp: lookUp
        )
    }

    private func makeRequest(_ url: String, _ body: String = "{}") throws -> OutgoingRequest {
        OutgoingRequest(
            url: try TargetURL(url),
            headers: [("Content-Type", "application/json"), ("webhook-id", "a-1")],
            body: Array(body.utf8)
        )
    }

    private func requestError(_ client: OutgoingHTTP, _ url: String) async throws -> OutgoingError? {
        let request = try makeRequest(url)
        do throws(OutgoingError) { _ = try await client.send(request) } catch { return error }
        return nil
    }

    @Test
    func `An HTTP request is sent with method, headers and body, and each status of an answer is returned`()
        async throws
    {
        let receiver = try await HTTPReceiver.start { request in .status(Int(request.target.suffix(3)) ?? 200) }
        let client = try makeClient()
        let url = "http://me:secret@127.0.0.1:\(receiver.port)/hook?x=1&status="
        for status in [200, 204, 301, 404, 410, 500] {
            #expect(try await client.send(makeRequest(url + "\(status)", "{\"ä\":1}")).status == status)
        }
        let first = await receiver.nextRequest()
        #expect(first.method == "POST" && first.target == "/hook?x=1&status=200" && first.text == "{\"ä\":1}")
        #expect(
            first.header("host") == "127.0.0.1:\(receiver.port)"
                && first.header("authorization") == "Basic bWU6c2VjcmV0"
        )
        #expect(
            first.header("content-type") == "application/json" && first.header("webhook-id") == "a-1"
                && first.header("user-agent") == "test"
        )
        // The client does not follow the redirect.
        #expect(receiver.requests.count == 6)
    }

    @Test
    func `Retry-After is read as a number of seconds or a date, and other values are ignored`() async throws {
        let receiver = try await HTTPReceiver.start { request in
            .status(
                429,
                [
                    (
                        "Retry-After",
                        request.target == "/number"
                            ? "120" : request.target == "/date" ? "Wed, 21 Oct 2099 07:28:00 GMT" : "soon"
                    )
                ]
            )
        }
        let client = try makeClient()
        var expected = OutgoingAnswer(status: 429, retryAfter: 120)
        expected.isFromAllowedAddress = true
        #expect(try await client.send(makeRequest("http://127.0.0.1:\(receiver.port)/number")) == expected)
        #expect(
            try await client.send(makeRequest("http://127.0.0.1:\(receiver.port)/date")).retryAfterSeconds ?? 0
                > 1_000_000
        )
        #expect(try await client.send(makeRequest("http://127.0.0.1:\(receiver.port)/x")).retryAfterSeconds == nil)
        #expect(OutgoingAnswer.parseRetryAfter("Wed, 21 Oct 2015 07:28:00 GMT", now: 1_445_412_480 - 5) == 5)
        #expect(OutgoingAnswer.parseRetryAfter("99999999999999999999", now: 0) == .max)
        for text in ["", "-1", "1.5", "Wed, 21 Oct 2015 07:28:00 GMT x", "21 Oct 2015"] {
            #expect(OutgoingAnswer.parseRetryAfter(text, now: 0) == nil, "\(text)")
        }
    }

    @Test(
        arguments: [
            (HTTPReceiver.Reply.lastBytes([]), OutgoingError.connectionClosed),
            (.lastBytes(Array("HTTP/1.1 200".utf8)), .connectionClosed),
            (.bytes(Array("SSH-2.0-x\r\n\r\n".utf8)), .answerNotHTTP),
            (.bytes([0, 255, 1, 13, 10, 13, 10]), .answerNotHTTP),
            (.lastBytes(Array("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc".utf8)), nil),
            (.endless(Array("HTTP/1.1 200 OK\r\n\r\n".utf8), [UInt8](repeating: 97, count: 4_096)), nil),
            (
                .endless(
                    Array("HTTP/1.1 200 OK\r\n".utf8),
                    Array(
                        String(repeating: "X-A: aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\r\n", count: 64)
                            .utf8
                    )
                ), .answerTooLong
            ),
            (.lastBytes(Array("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n".utf8)), nil),
        ] as [(HTTPReceiver.Reply, OutgoingError?)]
    )
    func `An HTTP answer without a complete and valid header causes an error, and a malformed body causes none`(
        reply: HTTPReceiver.Reply,
        expected: OutgoingError?
    ) async throws {
        let receiver = try await HTTPReceiver.start { _ in reply }
        #expect(
            try await requestError(makeClient(whole: .minutes(10)), "http://127.0.0.1:\(receiver.port)/") == expected
        )
    }

    @Test(arguments: [HTTPReceiver.Reply.silence, .bytes(Array("HTTP/1.1 200 O".utf8))])
    func `A server that sends no complete HTTP header in time causes a timeout`(reply: HTTPReceiver.Reply) async throws
    {
        let receiver = try await HTTPReceiver.start { _ in reply }
        #expect(
            try await requestError(makeClient(whole: .milliseconds(500)), "http://127.0.0.1:\(receiver.port)/")
                == .timeout
        )
        let slow = try await HTTPReceiver.start { _ in
            .bytes(Array("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc".utf8))
        }
        #expect(
            try await makeClient(whole: .seconds(5)).send(makeRequest("http://127.0.0.1:\(slow.port)/")).status == 200
        )
    }

    @Test
    func `A request to a URL that leads to a private address is refused without a connection`() async throws {
        let receiver = try await HTTPReceiver.start { _ in .status(200) }
        let strict = try makeClient(AddressPolicy()) { name, loop in
            loop.makeSucceededFuture(["127.0.0.1", "10.0.0.1", "::1"].compactMap { IPAddress($0) })
        }
        for host in ["127.0.0.1", "[::1]", "[::ffff:127.0.0.1]", "name.example"] {
            for scheme in ["http", "https"] {
                #expect(try await requestError(strict, "\(scheme)://\(host):\(receiver.port)/") == .refusedAddress)
            }
        }
        // A request that requires a public address is refused, even if the policy allows private addresses.
        var outward = try makeRequest("http://127.0.0.1:\(receiver.port)/")
        outward.requiresPublicAddress = true
        let (open, sent) = (try makeClient(), outward)
        await #expect(throws: OutgoingError.refusedAddress) { _ = try await open.send(sent) }
        #expect(receiver.requests.isEmpty)
    }

    @Test
    func `A host name is resolved once for each request, and the connection uses the address that was checked`()
        async throws
    {
        let receiver = try await HTTPReceiver.start { _ in .status(200) }
        let asked = Mutex<[String]>([])
        let rebinding = try makeClient { name, loop in
            let count = asked.withLock { names in
                names.append(name)
                return names.count
            }
            // The resolver returns a permitted address first, and a forbidden one for each later request.
            return loop.makeSucceededFuture([IPAddress(count == 1 ? "127.0.0.1" : "10.0.0.1")].compactMap(\.self))
        }
        #expect(try await rebinding.send(makeRequest("http://name.example:\(receiver.port)/")).status == 200)
        #expect(asked.withLock { $0 } == ["name.example"])
        #expect(await receiver.nextRequest().header("host") == "name.example:\(receiver.port)")
        #expect(try await requestError(rebinding, "http://name.example:\(receiver.port)/") == .refusedAddress)
        #expect(receiver.requests.count == 1)
        // If a name has several addresses, only the permitted addresses are tried.
        let mixed = try makeClient { _, loop in
            loop.makeSucceededFuture(["10.0.0.1", "127.0.0.1"].compactMap { IPAddress($0) })
        }
        #expect(try await mixed.send(makeRequest("http://name.example:\(receiver.port)/")).status == 200)
    }

    @Test
    func `Each reason why a server cannot be reached causes a specific error`() async throws {
        let failing = try makeClient { _, loop in loop.makeFailedFuture(OutgoingError.lookupFailed("no such name")) }
        #expect(try await requestError(failing, "http://name.example/") == .lookupFailed("no such name"))
        let promises = Mutex<[EventLoopPromise<[IPAddress]>]>([])
        let silent = try makeClient(whole: .milliseconds(100)) { _, loop in
            let promise = loop.makePromise(of: [IPAddress].self)
            promises.withLock { $0.append(promise) }
            return promise.futureResult
        }
        #expect(try await requestError(silent, "http://name.example/") == .lookupFailed("no answer in time"))
        for promise in promises.withLock({ $0 }) { promise.succeed([]) }
        #expect(
            try await requestError(makeClient(), "http://127.0.0.1:\(TestPort.takeUnused())/")
                == .unreachable("Connection refused")
        )
        #expect(try await requestError(makeClient(connections: 0), "http://127.0.0.1:1/") == .tooManyConnections)
        let receiver = try await HTTPReceiver.start { _ in .status(200) }
        #expect(try await makeClient().send(makeRequest("http://localhost:\(receiver.port)/")).status == 200)
    }

    @Test
    func `A cancelled HTTP request ends immediately`() async throws {
        let receiver = try await HTTPReceiver.start { _ in .silence }
        let client = try makeClient()
        let request = try makeRequest("http://127.0.0.1:\(receiver.port)/")
        let sending = Task { () -> OutgoingError? in
            do throws(OutgoingError) { _ = try await client.send(request) } catch { return error }
            return nil
        }
        _ = await receiver.nextRequest()
        sending.cancel()
        #expect(await sending.value == .cancelled)
    }

    @Test
    func `A request over TLS fails if the certificate has another host name or no trusted authority`() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "test-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let made = try ServerCredentials.generateCredentials(commonName: "name.example")
        try made.credentials.saveIdentity(directory: folder, authorityKey: made.authorityKey)
        let receiver = try await HTTPReceiver.start(
            tls: TLSServerConfiguration(made.credentials, protocols: .noProtocol)
        ) {
            _ in .status(204)
        }
        let lookUp: NameLookup = { _, loop in loop.makeSucceededFuture([IPAddress("127.0.0.1")].compactMap(\.self)) }
        let trusting = try makeClient(authorities: folder + "/ca.crt", lookUp: lookUp)
        #expect(try await trusting.send(makeRequest("https://name.example:\(receiver.port)/")).status == 204)
        for (client, host) in [
            (trusting, "other.example"), (trusting, "127.0.0.1"), (try makeClient(lookUp: lookUp), "name.example"),
        ] {
            guard case .tlsFailed(let reason)? = try await requestError(client, "https://\(host):\(receiver.port)/")
            else {
                Issue.record("\(host) is trusted")
                continue
            }
            #expect(reason.hasPrefix("the certificate is not trusted: "), "\(reason)")
        }
        #expect(receiver.requests.count == 1)
        let plain = try await HTTPReceiver.start { _ in .status(200) }
        let hasty = try makeClient(authorities: folder + "/ca.crt", whole: .milliseconds(500), lookUp: lookUp)
        #expect(try await requestError(hasty, "https://name.example:\(plain.port)/") != nil)
        #expect(throws: OutgoingHTTP.BadAuthorities.self) { try makeClient(authorities: folder + "/none") }
    }
}
