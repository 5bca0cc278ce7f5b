import Files
import JSON
import TestSupport
import Testing

@testable import Gateway

@Suite("Stores that ended the process while they were opened", .overSockets) struct HeldStoreTests {
    @Test("Such a store stays closed and is named, the others are served, and it opens again when somebody tries it")
    func held() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        func path(_ id: String) -> String { "\(folder.path)/stores/\(id)" }
        let (bad, good) = try await LockableGateway.run(in: folder) { gateway in
            let manager = try await gateway.client()
            func make(_ name: String) async throws -> String {
                try #require(try await manager.post("/v1/stores", ["name": .string(name)]).json["store"]?["storeId"]?.stringValue)
            }
            return (try await make("bad"), try await make("good"))
        }
        // Closed in order, neither counts.
        #expect(!DiskFiles.exists(path(bad) + "/openings"))
        try DiskFiles.replace(path(bad) + "/openings", with: Array("2".utf8))
        try await LockableGateway.run(in: folder, storing: { $0.openingSettles = .seconds(86_400) }) { gateway in
            let manager = try await gateway.client()
            let store = try await manager.call("GET", "/v1/stores/\(bad)").json
            #expect(store["state"] == "held" && store["reason"] == .string(OpeningCount.reason))
            #expect(try await manager.call("GET", "/v1/stores/\(good)").json["state"] == "unlocked")
            #expect(try await manager.call("GET", "/metrics").text.contains("sxgw_stores_held 1\n"))
            #expect(try await manager.post("/v1/stores/\(bad)/unlock", [:]).status == 409)
            #expect(try await manager.post("/v1/stores/\(bad)/unlock", ["retry": true]).json["state"] == "unlocked")
            #expect(OpeningCount(path: path(bad) + "/openings").value == 1)
        }
        #expect(!DiskFiles.exists(path(bad) + "/openings"))
    }

    @Test("The count is on the disk while a store is opened, and goes when the process has outlived it")
    func settled() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try await LockableGateway.run(in: folder, storing: { $0.openingSettles = .milliseconds(1) }) { gateway in
            try await eventually("the count is gone") { !DiskFiles.exists(folder.path + "/openings") }
            #expect(try await gateway.client().call("GET", "/readyz").status == 200)
        }
    }

    @Test("Only a manager of stores tries again")
    func rights() async throws {
        try await LockableGateway.run { gateway in
            let key = try #require(try await gateway.client().post("/v1/stores", ["name": "mine"]).json["key"]?.stringValue)
            let id = try #require(gateway.server.stores?.others.first?.id)
            #expect(try await gateway.client(key).post("/v1/stores/\(id)/unlock", ["retry": true]).status == 403)
        }
    }
}
