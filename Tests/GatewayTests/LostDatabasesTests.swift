import Files
import Foundation
import JSON
import TestSupport
import Testing

@testable import Gateway

@Suite("Stores whose databases are missing", .socketTimeLimit)
struct LostDatabasesTests {
    private func makeStore(
        _ gateway: LockableGateway,
        _ passphrase: String?
    ) async throws -> (id: String, key: String, folder: String) {
        var body: JSONObject = ["name": "Bob"]
        if let passphrase { body["passphrase"] = .string(passphrase) }
        let made = try await gateway.connectClient().post("/v1/stores", .object(body)).json
        let (id, key) = (try #require(made["store"]?["storeId"]?.stringValue), try #require(made["key"]?.stringValue))
        _ = try await gateway.connectClient(key).createUser("bob")
        return (id, key, gateway.folder + "/stores/" + id)
    }

    private func listDatabases(_ folder: String) -> [String] {
        DiskFiles.listEntries(folder).filter { $0.hasPrefix("simplex_v1_") }.sorted()
    }

    @Test(
        arguments: ["right", nil],
        [false, true]
    )
    func `A store whose databases are missing cannot be opened until the databases are back`(
        passphrase: String?,
        hasFiles: Bool
    ) async throws {
        try await LockableGateway.run { gateway in
            let (id, key, folder) = try await makeStore(gateway, passphrase)
            let admin = try await gateway.connectClient()
            #expect(try await admin.post("/v1/stores/\(id)/lock", [:]).status == 200)
            let names = listDatabases(folder)
            for name in names { try DiskFiles.rename(folder + "/" + name, to: gateway.folder + "/away-" + name) }
            if hasFiles { for name in names { try DiskFiles.createFile(folder + "/" + name, []) } }
            for word in passphrase == nil ? [nil] : ["right", "any"] {
                let answer = try await admin.post(
                    "/v1/stores/\(id)/unlock",
                    .object(JSONObject(word.map { [("passphrase", .string($0))] } ?? []))
                )
                #expect(
                    try answer.status == 500
                        && answer.json["detail"]?.stringValue?.contains("databases of the store are missing") == true,
                    "\(answer.text)"
                )
                #expect(listDatabases(folder).allSatisfy { DiskFiles.fileSize(folder + "/" + $0) == 0 })
            }
            for name in names { try DiskFiles.rename(gateway.folder + "/away-" + name, to: folder + "/" + name) }
            #expect(
                try await admin.post(
                    "/v1/stores/\(id)/unlock",
                    .object(JSONObject(passphrase.map { [("passphrase", .string($0))] } ?? []))
                ).status == 200
            )
            #expect(try await gateway.connectClient(key).call("GET", "/v1/users").json["users"]?.arrayValue?.count == 1)
        }
    }

    @Test
    func `After a command has deleted the data of a store, the store still opens only with its passphrase`()
        async throws
    {
        try await LockableGateway.run { gateway in
            let (id, key, folder) = try await makeStore(gateway, "right")
            let (admin, client) = (try await gateway.connectClient(), try await gateway.connectClient(key))
            #expect(try await client.post("/v1/core/stop", [:]).status == 200)
            #expect(try await client.call("DELETE", "/v1/database").status == 200)
            #expect(!DiskFiles.exists(folder + "/simplex_v1_empty"))
            #expect(try await admin.post("/v1/stores/\(id)/lock", [:]).status == 200)
            #expect(try await admin.post("/v1/stores/\(id)/unlock", ["passphrase": "any"]).status == 403)
            #expect(try await admin.post("/v1/stores/\(id)/unlock", ["passphrase": "right"]).status == 200)
            #expect(try await client.call("GET", "/v1/users").json["users"]?.arrayValue?.isEmpty == true)
        }
    }
}
