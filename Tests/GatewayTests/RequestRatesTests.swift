import TestSupport
import Testing

@testable import Gateway

@Suite struct RequestRatesTests {
    @Test
    func `A limit of two requests per second allows 20 immediate requests of a client, and then two per second`() throws
    {
        let rates = RequestRates<String>(perSecond: 2)
        for number in 0..<20 { #expect(rates.countRequest("a", at: 0) == nil, "\(number)") }
        #expect(rates.countRequest("a", at: 0) == 1)
        #expect(rates.countRequest("b", at: 0) == nil)
        #expect(rates.countRequest("a", at: 499_999) == 1)
        #expect(rates.countRequest("a", at: 500_000) == nil)
        #expect(rates.countRequest("a", at: 500_000) == 1)
        // Refused requests are not counted, so the next request is allowed at the usual time.
        for _ in 0..<1000 { _ = rates.countRequest("a", at: 500_001) }
        #expect(rates.countRequest("a", at: 1_000_000) == nil)
        // After a pause the full amount is allowed again.
        for _ in 0..<20 { #expect(rates.countRequest("a", at: 60_000_000) == nil) }
        #expect(rates.countRequest("a", at: 60_000_000) == 1)
    }

    @Test
    func `Without a rate limit, no request is refused, and no remaining quota is reported`() {
        let rates = RequestRates<Int>(perSecond: nil)
        for _ in 0..<10_000 { #expect(rates.countRequest(1, at: 0) == nil) }
        #expect(rates.makeQuota(1, at: 0) == nil && RequestQuota.headers([]).isEmpty)
    }

    @Test
    func `The quota of a client contains the remaining requests and the seconds until all requests are allowed`() throws
    {
        let rates = RequestRates<String>(perSecond: 3)
        #expect(
            rates.makeQuota("a", at: 0)
                == RequestQuota(maxRequests: 30, windowSeconds: 10, remainingRequests: 30, secondsUntilReset: 0)
        )
        #expect(rates.countRequest("a", at: 0) == nil)
        #expect(
            rates.makeQuota("a", at: 0)
                == RequestQuota(maxRequests: 30, windowSeconds: 10, remainingRequests: 29, secondsUntilReset: 1)
        )
        for _ in 0..<100 { _ = rates.countRequest("a", at: 0) }
        let last = try #require(rates.makeQuota("a", at: 0))
        #expect(last == RequestQuota(maxRequests: 30, windowSeconds: 10, remainingRequests: 0, secondsUntilReset: 10))
        #expect(rates.makeQuota("a", at: 5_000_000)?.remainingRequests == 15)
        #expect(
            rates.makeQuota("a", at: 10_000_000)
                == RequestQuota(maxRequests: 30, windowSeconds: 10, remainingRequests: 30, secondsUntilReset: 0)
        )
    }

    @Test
    func `The rate limit headers contain the policy and the remaining requests of each limit`() {
        let quotas = [
            RequestQuota(
                maxRequests: 20,
                windowSeconds: 10,
                remainingRequests: 19,
                secondsUntilReset: 1,
                name: "address"
            ),
            RequestQuota(maxRequests: 500, windowSeconds: 10, remainingRequests: 0, secondsUntilReset: 10, name: "key"),
        ]
        let headers = RequestQuota.headers(quotas)
        #expect(headers.map(\.name) == ["RateLimit-Policy", "RateLimit"])
        #expect(
            headers.map(\.value) == [#""address";q=20;w=10, "key";q=500;w=10"#, #""address";r=19;t=1, "key";r=0;t=10"#]
        )
    }

    @Test
    func `Each client's first request is accepted, even if more clients send requests than can be remembered`() {
        let rates = RequestRates<Int>(perSecond: 1000)
        for client in 0..<100_100 { #expect(rates.countRequest(client, at: Int64(client)) == nil) }
    }
}

@Suite("Headers of rate limits", .socketTimeLimit) struct RateHeaderTests {
    @Test
    func `Each answer to a counted request has the remaining requests in the header 'RateLimit'`() async throws {
        try await ServedGateway.run({ $0.keyRequestsPerSecond = 2 }) { served in
            let client = try await served.connectClient()
            for (number, target) in ["/v1/whoami", "/v1/nothing", "/v1/users/x/contacts", "/metrics"].enumerated() {
                let answer = try await client.call("GET", target)
                // A request without a route is not counted, so its answer has no header.
                guard answer.status != 404 else {
                    #expect(answer.header("ratelimit") == nil)
                    continue
                }
                #expect(answer.header("ratelimit-policy") == #""key";q=20;w=10"#, "\(target)")
                let rest = try #require(answer.header("ratelimit"))
                #expect(rest.hasPrefix(#""key";r="#) && rest.contains(";t="), "\(number): \(rest)")
            }
            var answer = try await client.call("GET", "/v1/whoami")
            while answer.status != 429 { answer = try await client.call("GET", "/v1/whoami") }
            #expect(answer.header("ratelimit") == #""key";r=0;t=10"#, "\(answer.header("ratelimit") ?? "")")
            #expect(answer.header("retry-after") != nil)
        }
    }

    @Test
    func `Answers have no rate limit headers if no limit applies to the client`() async throws {
        try await ServedGateway.run({ $0.addressRequestsPerSecond = 1 }) { served in
            let answer = try await served.connectClient().call("GET", "/v1/whoami")
            #expect(answer.header("ratelimit") == nil)
        }
        try await ServedGateway.run({ $0.keyRequestsPerSecond = 1 }) { served in
            let answer = try await served.connectAnonymously().call("GET", "/v1")
            #expect(answer.header("ratelimit") == nil && answer.header("ratelimit-policy") == nil)
            let refused = try await served.connectAnonymously().call("GET", "/v1/whoami")
            #expect(refused.header("ratelimit") == nil)
        }
    }
}

@Suite struct TraceContextTests {
    private let traceID = "4bf92f3577b34da6a3ce929d0e0e4736", parentID = "00f067aa0ba902b7"

    @Test
    func `The trace id and the parent id of a trace context are read, even from newer versions of the format`() throws {
        for header in [
            "00-\(traceID)-\(parentID)-01", "01-\(traceID)-\(parentID)-00",
            "cc-\(traceID)-\(parentID)-01-what-comes-later",
        ] {
            let context = try #require(TraceContext(header))
            #expect(context.traceID == traceID && context.parentID == parentID)
        }
    }

    @Test(arguments: [("00", false), ("01", true), ("02", false), ("ff", true)])
    func `The lowest bit of a trace context's flags says whether the caller records the trace`(
        flags: String,
        isSampled: Bool
    ) {
        #expect(TraceContext("00-\(traceID)-\(parentID)-\(flags)")?.isSampled == isSampled)
    }

    @Test
    func `A trace context that violates the specification is ignored`() {
        let zeros = String(repeating: "0", count: 32)
        for header in [
            nil, "", "-", "00", "00-\(traceID)-\(parentID)", "00-\(traceID)-\(parentID)-01-more",
            "00-\(traceID)-\(parentID)-",
            "ff-\(traceID)-\(parentID)-01", "00-\(zeros)-\(parentID)-01",
            "00-\(traceID)-\(zeros.prefix(16))-01", "00-\(traceID.uppercased())-\(parentID)-01",
            "00-\(traceID) -\(parentID)-01",
            "00-\(traceID.dropLast())\n-\(parentID)-01",
            "00-\(traceID.dropLast())é-\(parentID)-01", "0-\(traceID)0-\(parentID)-01",
            "cc-\(traceID)-\(parentID)-01-" + String(repeating: "x", count: 500),
        ] { #expect(TraceContext(header) == nil, "\(header ?? "nil")") }
    }
}
