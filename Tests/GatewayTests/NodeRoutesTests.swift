import JSON
import TestSupport
import Testing

@testable import Gateway

@Suite("Nodes over HTTP", .socketTimeLimit)
struct NodeRoutesTests {
    @Test
    func `The list of stores names each store's node, and the list of nodes names open stores and room for more`()
        async throws
    {
        let placement = FakePlacement()
        try await RealGateway.run(storing: { $0.placement = placement }) { gateway in
            let admin = try await gateway.connectClient()
            let (here, moved) = (try await gateway.makeStore("here"), try await gateway.makeStore("moved"))
            #expect(try await admin.post("/v1/stores/\(moved.id)/move", ["node": "two"]).status == 200)
            let stores = try await admin.call("GET", "/v1/stores").json["stores"]?.arrayValue ?? []
            let nodes = stores.dropFirst().map { ($0["storeId"]?.stringValue, $0["node"]?.stringValue) }
            #expect(nodes.contains { $0 == (here.id, "one") } && nodes.contains { $0 == (moved.id, "two") })
            #expect(try await admin.call("GET", "/v1/stores/\(moved.id)").json["node"] == "two")
            let page = try await admin.call("GET", "/v1/nodes?limit=1").json
            #expect(page["nodes"] == [["node": "one", "openStores": 3, "room": 10, "isThis": true]])
            let cursor = try #require(page["next"]?.stringValue)
            let next = try await admin.call("GET", "/v1/nodes?cursor=\(cursor)").json["nodes"]
            #expect(next?[0]?["node"] == "two" && next?[0]?["isThis"] == false)
            #expect(try await here.http.call("GET", "/v1/nodes").status == 403)
        }
    }

    @Test
    func `A rebalance leaves a node the mean number of stores, and a drain moves all its stores to other nodes`()
        async throws
    {
        let placement = FakePlacement()
        try await RealGateway.run(storing: { $0.placement = placement }) { gateway in
            let admin = try await gateway.connectClient()
            var stores: [StoreClient] = []
            for name in ["a", "b", "c"] { stores.append(try await gateway.makeStore(name)) }
            let path = "/v1/nodes/one/rebalance"
            let even = try await admin.post(path, [:])
            #expect(even.status == 200, "\(even.text)")
            #expect(try even.json["moved"]?.arrayValue?.count == 1 && even.json["openStores"] == 2)
            let drained = try await admin.post(path, ["drain": true]).json
            #expect(drained["moved"]?.arrayValue?.count == 2 && drained["openStores"] == 0 && drained["drains"] == true)
            #expect(Set(placement.givenStores.keys) == Set(stores.map(\.id)))
            let refused = try await stores[0].http.call("GET", "/v1/users")
            #expect(refused.status == 503 && refused.header("sxgw-node") == "two")
            #expect(refused.header("retry-after") == "1")
            #expect(try await admin.post(path, ["drain": false, "keep": 5]).json["drains"] == false)
            #expect(try await stores[0].http.call("GET", "/v1/users").status == 200)
            #expect(try await admin.post("/v1/nodes/two/rebalance", [:]).status == 409)
            #expect(try await admin.post(path, ["drain": true, "keep": 1]).status == 422)
            #expect(try await admin.post(path, ["keep": -1]).status == 422)
        }
        try await RealGateway.run { gateway in
            let admin = try await gateway.connectClient()
            #expect(try await admin.call("GET", "/v1/nodes").json["nodes"] == [])
            #expect(try await admin.post("/v1/nodes/one/rebalance", [:]).status == 409)
        }
    }
}
