import Files
import JSON
import TestSupport
import Testing

@testable import Gateway

@Suite("Stores whose opening crashed the process", .socketTimeLimit) struct HeldStoreTests {
    @Test
    func `After its opening crashed the process, a store stays closed until a request retries the opening`()
        async throws
    {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        func openings(_ id: String) -> CrashCount { CrashCount(path: "\(folder.path)/stores/\(id)/openings") }
        let (bad, good) = try await LockableGateway.run(in: folder) { gateway in
            let manager = try await gateway.connectClient()
            func make(_ name: String) async throws -> String {
                try #require(
                    try await manager.post("/v1/stores", ["name": .string(name)]).json["store"]?["storeId"]?.stringValue
                )
            }
            return (try await make("bad"), try await make("good"))
        }
        #expect(!DiskFiles.exists(openings(bad).path))
        try DiskFiles.replaceFile(openings(bad).path, with: [0, 0])
        let found = try await StoreInspection.inspectAll(in: folder.path, keyFile: nil, isQuick: true).flatMap(\.faults)
        #expect(found.map(\.text) == ["the store \(bad) cannot be opened: \(CrashCount.heldClosedReason)"])
        let log = LogRecorder()
        try await LockableGateway.run(in: folder, log: log.makeLogger(.critical)) { gateway in
            #expect(log.lines.map(\.fields) == [["store": bad, "reason": CrashCount.heldClosedReason]])
            let manager = try await gateway.connectClient()
            let store = try await manager.call("GET", "/v1/stores/\(bad)").json
            #expect(store["state"] == "held" && store["reason"] == .string(CrashCount.heldClosedReason))
            try await waitUntil("the other store is open") {
                try await manager.call("GET", "/v1/stores/\(good)").json["state"] == "unlocked"
            }
            #expect(try await manager.call("GET", "/metrics").text.contains("sxgw_stores_held 1\n"))
            #expect(try await manager.post("/v1/stores/\(bad)/unlock", [:]).status == 409)
            #expect(try await manager.post("/v1/stores/\(bad)/unlock", ["retry": true]).json["state"] == "unlocked")
            try await waitUntil("the process has outlived the opening") { !DiskFiles.exists(openings(bad).path) }
            #expect(try await manager.call("GET", "/metrics").text.contains("sxgw_stores_held 0\n"))
        }
    }

    @Test
    func `After its opening crashed the process, the first store stays closed until an administrator retries`()
        async throws
    {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try await LockableGateway.run(in: folder) { _ in }
        try DiskFiles.replaceFile(folder.path + "/openings", with: [0, 0])
        let log = LogRecorder()
        try await LockableGateway.run(in: folder, log: log.makeLogger(.critical)) { gateway in
            #expect(log.lines.map { $0.fields["store"] } == ["default"])
            let manager = try await gateway.connectClient()
            #expect(try await manager.call("GET", "/v1/stores").json["stores"]?[0]?["state"] == "held")
            #expect(try await manager.call("GET", "/v1/users").status == 503)
            #expect(try await manager.post("/v1/stores/default/unlock", ["retry": true]).json["state"] == "unlocked")
            #expect(try await manager.call("GET", "/v1/users").status == 200)
        }
    }

    @Test
    func `Only a key that manages stores can retry the opening of a store`() async throws {
        try await LockableGateway.run { gateway in
            let key = try #require(
                try await gateway.connectClient().post("/v1/stores", ["name": "mine"]).json["key"]?.stringValue
            )
            let id = try #require(gateway.server.stores?.otherStores.first?.id)
            #expect(try await gateway.connectClient(key).post("/v1/stores/\(id)/unlock", ["retry": true]).status == 403)
        }
    }
}
