import ChatAPI
import Concurrency
import JSON
import SQLCipher
import Synchronization
import TestSupport
import Testing

@testable import Gateway

@Suite("Stores that share a pool of open databases", .socketTimeLimit)
struct StorePoolTests {
    @Test
    func `With a pool of two open stores, six stores stay unlocked and answer requests in turn`() async throws {
        let pool = OpenPool(.init(open: 2))
        try await RealGateway.run(storing: { $0.chatConfiguration.openPool = pool }) { gateway in
            var stores: [StoreClient] = []
            for number in 0..<6 { stores.append(try await gateway.makeStore("\(number)")) }
            for round in 1...2 {
                for store in stores { _ = try await store.http.createUser("user\(round)") }
            }
            for store in stores {
                #expect(try await store.http.call("GET", "/v1/users").json["users"]?.arrayValue?.count == 2)
                #expect(try await gateway.readState(of: store.id) == "unlocked")
            }
            let metrics = try await gateway.connectClient().call("GET", "/metrics").text
            #expect(metrics.contains("sxgw_stores_with_databases_limit 2\n"))
            #expect(metrics.contains("sxgw_database_refusals_total 0\n"))
            #expect(pool.figures.openCount <= 2 && pool.figures.waitCount > 0)
        }
    }

    @Test
    func `While other stores use all permitted open databases, a command gets 503 after 10 seconds without effect`()
        async throws
    {
        let clock = ManualClock()
        let pool = OpenPool(.init(open: 1), clock: clock)
        try await RealGateway.run(storing: { $0.chatConfiguration.openPool = pool }) { gateway in
            let store = try await gateway.makeStore("Bob")
            let answer = try await answerWhileFull(pool, clock) {
                try await store.http.post("/v1/users", ["profile": ["displayName": "bob", "fullName": ""]])
            }
            #expect(try answer.status == 503 && answer.json["code"] == "unavailable")
            #expect(answer.header("retry-after") != nil)
            #expect(try await store.http.call("GET", "/v1/users").json["users"]?.arrayValue?.isEmpty == true)
            #expect(try await store.http.createUser("bob") == 1)
        }
    }

    /// Returns the answer to a request that is sent while another member uses the only place of the pool. The time
    /// passes until the answer.
    private func answerWhileFull(
        _ pool: OpenPool,
        _ clock: ManualClock,
        _ request: @escaping @Sendable () async throws -> HTTPClient.Answer
    ) async throws -> HTTPClient.Answer {
        try await OpenPool.PoolMember(of: pool).withUse {
            let isAnswered = Atomic(false)
            async let answer = {
                defer { isAnswered.store(true, ordering: .relaxed) }
                return try await request()
            }()
            try await waitUntil("the answer", every: .milliseconds(20)) {
                clock.advance(by: .seconds(1))
                return isAnswered.load(ordering: .relaxed)
            }
            return try await answer
        }
    }

    @Test
    func `While other stores use all permitted open databases, requests to manage stores get 503 without effect`()
        async throws
    {
        let clock = ManualClock()
        let pool = OpenPool(.init(open: 1), clock: clock)
        try await RealGateway.run(storing: { $0.chatConfiguration.openPool = pool }) { gateway in
            let store = try await gateway.makeStore("Bob")
            let path = "/v1/stores/\(store.id)/limits"
            let manager = try await gateway.connectClient()
            let before = try await manager.call("GET", path).json
            #expect(before["used"] != nil)
            let requests: [@Sendable () async throws -> HTTPClient.Answer] = [
                { try await manager.call("GET", path) },
                { try await manager.put(path, ["items": 7]) },
                { try await manager.post("/v1/stores", ["name": "Carol"]) },
            ]
            for request in requests {
                let answer = try await answerWhileFull(pool, clock, request)
                #expect(try answer.status == 503 && answer.json["code"] == "unavailable", "\(answer.text)")
                #expect(answer.header("retry-after") != nil)
            }
            // A worker may write between both requests, so the use can change and is not compared.
            let after = try await manager.call("GET", path).json
            #expect(after["limits"] == before["limits"] && after["own"] == before["own"])
            #expect(gateway.server.stores?.otherStores.count == 1)
        }
    }

    @Test
    func `If the pool of open databases is full, a request gets 503 with Retry-After`() {
        let problems = [
            ProblemDetails(DatabaseError.poolExhausted(isFirst: true), "The store cannot be read."),
            ProblemDetails(ChatError.errorStore(storeError: .dBBusyError(message: "it is in use"))),
        ]
        for problem in problems {
            #expect(problem.code == .unavailable)
            #expect(problem.headers.contains { $0.0 == "Retry-After" && Int($0.1) != nil })
        }
    }

    @Test
    func `If the pool of open databases is full in the middle of a request, the request gets 500 without Retry-After`()
    {
        let error = DatabaseError.poolExhausted(isFirst: false)
        let problems = [
            ProblemDetails(error, "The store cannot be read."),
            ProblemDetails(ChatError.errorStore(storeError: .dBException(message: "\(error)"))),
        ]
        for problem in problems {
            #expect(problem.code == .internalError)
            #expect(!problem.headers.contains { $0.0 == "Retry-After" })
        }
    }
}
