import JSON
import TestSupport
import Testing

@testable import Gateway

@Suite("Deprecated operations", .socketTimeLimit)
struct DeprecationTests {
    private static let deprecation = Deprecation(since: "2027-01-31", sunset: "2028-02-29", replacement: "getIndex")
    private static let routes = [
        Route(.get, "/v1/old", "getOld", category: "Operations", access: .noKey, policy: .processFacts) {
            context throws(ProblemDetails) in
            guard context.readParameter("fail") == nil else { throw ProblemDetails(.conflict) }
            return .now(HTTPResponse(text: "old\n"))
        }.withDeprecation(deprecation),
        Route(.get, "/v1/new", "getNew", category: "Operations", access: .noKey, policy: .processFacts) {
            _ throws(ProblemDetails) in
            .now(HTTPResponse(text: "new\n"))
        },
    ]

    @Test
    func `Each answer of a deprecated route has the date of the route's end and the route's successor`() async throws {
        try await ServedGateway.run(routes: Self.routes) { served in
            var client = try await served.connectAnonymously()
            (client.checksRequests, client.checksAnswers) = (false, false)
            for (target, status) in [("/v1/old", 200), ("/v1/old?fail=1", 409), ("/v1/old?limit=1", 400)] {
                let answer = try await client.call("GET", target)
                #expect(answer.status == status)
                #expect(answer.header("deprecation") == "@1801353600")
                #expect(answer.header("sunset") == "Tue, 29 Feb 2028 00:00:00 GMT")
                #expect(
                    answer.header("link") == #"</docs#getIndex>; rel="successor-version"; type="text/html""#
                )
            }
        }
    }

    @Test
    func `Answers of routes that are not deprecated have no deprecation headers`() async throws {
        try await ServedGateway.run(routes: Self.routes) { served in
            var client = try await served.connectAnonymously()
            (client.checksRequests, client.checksAnswers) = (false, false)
            for target in ["/v1/new", "/v1/nothing"] {
                let answer = try await client.call("GET", target)
                #expect(answer.header("deprecation") == nil && answer.header("sunset") == nil)
            }
        }
    }

    @Test
    func `The headers for a deprecated route leave out dates that do not exist in the calendar`() {
        #expect(Deprecation(since: "2027-02-30", sunset: "soon").headers.isEmpty)
        #expect(Deprecation(since: "2026-12-01").headers.map(\.value) == ["@1796083200"])
    }

    @Test
    func `The contract marks exactly the deprecated routes as deprecated`() throws {
        let facts = Self.routes[0].facts([:])
        #expect(facts["deprecated"] == ["since": "2027-01-31", "sunset": "2028-02-29", "replacement": "getIndex"])
        #expect(Self.routes[1].facts([:])["deprecated"] == nil)
        for route in RouteTable.all {
            let operation = Contract.servedContract.findOperation(route)
            #expect((operation?["deprecated"] == true) == (route.deprecation != nil), "\(route.operationID)")
        }
    }

    @Test
    func `Each operation of the contract has the version since which the operation exists`() {
        for route in RouteTable.all {
            let version = Contract.servedContract.findOperation(route)?["x-since"]?.stringValue
            #expect(version?.wholeMatch(of: /\d+\.\d+\.\d+/) != nil, "\(route.operationID)")
        }
    }
}
