import ChatCore
import JSON
import TestSupport
import Testing

@testable import Gateway

@Suite(.socketTimeLimit) struct IndexTests {
    @Test
    func `The index of the API has versions, limits, servers and valid links, and needs no key`() async throws {
        try await ServedGateway.run { served in
            let index = try await served.connectAnonymously().call("GET", "/v1").json
            #expect(
                index["versions"]
                    == ["program": .string(ProgramVersion.text), "api": "1", "core": .string(ProgramVersion.core)]
            )
            #expect(index["limits"]?["bodyBytes"] == 1_048_576 && index["limits"]?["fileBytes"] == 1_073_741_824)
            #expect(index["servers"] == ["default": "relay", "offered": ["relay", "network"]])
            let links = try #require(index["links"]?.objectValue)
            #expect(!links.isEmpty)
            let router = Router(RouteTable.all)
            for (name, link) in links {
                guard case .found = router.matchRoute(method: "GET", path: link.stringValue ?? "") else {
                    Issue.record("\(name): \(link)")
                    continue
                }
            }
        }
    }

    @Test
    func `The index of the API refuses unknown parameters and methods`() async throws {
        try await ServedGateway.run { served in
            let client = try await served.connectAnonymously()
            #expect(try await client.call("GET", "/v1?limit=1").status == 400)
            #expect(try await client.call("POST", "/v1").status == 405)
        }
    }
}
