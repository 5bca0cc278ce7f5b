import Foundation
import JSON
import TestSupport
import Testing

@Suite(.socketTimeLimit) struct DatabaseTests {
    @Test
    func `A running gateway refuses changes with 503 after its chat database file is deleted`() async throws {
        try await RealGateway.run { gateway in
            let client = try await gateway.connectClient()
            _ = try await client.createUser("alice")
            #expect(try await client.call("GET", "/readyz").status == 200)
            try FileManager.default.removeItem(atPath: gateway.folder + "/simplex_v1_chat.db")
            let refused = try await client.post("/v1/users", ["profile": ["displayName": "bob", "fullName": ""]])
            #expect(refused.status == 503, "\(refused)")
            #expect(try await client.call("GET", "/readyz").status == 503)
            // A connection that was open before can still read, so the list of users may still be answered.
            let users = try await client.call("GET", "/v1/users")
            let count = try users.json["users"]?.arrayValue?.count
            #expect(users.status == 503 || count == 1, "\(users)")
        }
    }

    @Test
    func `Commands for whole databases are refused while the chat runs or if their arguments are wrong`() async throws {
        try await RealGateway.run { gateway in
            let client = try await gateway.connectClient()
            _ = try await client.createUser("alice")
            let key = String(repeating: "07", count: 32)
            let archive: JSONValue = ["archivePath": .string(gateway.folder + "/export.zip")]
            #expect(
                try await client.post("/v1/database/export", archive).json == [
                    "type": "archiveExported", "archiveErrors": [],
                ]
            )
            #expect(try await client.post("/v1/database/import", archive).status == 409)
            #expect(try await client.post("/v1/core/stop", [:]).status == 200)
            #expect(try await client.call("GET", "/v1/users/1/chats/direct/1").status == 503)
            #expect(try await client.post("/v1/database/export", archive).status == 422)
            #expect(try await client.post("/v1/database/export", ["archivePath": "here/x.zip"]).status == 422)
            let absent = try await client.post("/v1/database/import", ["archivePath": "/nonexistent/x.zip"])
            // The error of the core has the words of the original. The member `detail` has a sentence of the gateway.
            #expect(
                try absent.status == 422 && absent.json["detail"] == "/nonexistent/x.zip: No such file or directory.",
                "\(absent.text)"
            )
            #expect(absent.text.contains("withBinaryFile"))
            #expect(try await client.post("/v1/database/encryption/test", ["key": "wrong"]).status == 422)
            #expect(
                try await client.put("/v1/database/encryption", ["currentKey": "wrong", "newKey": "x"]).status == 422
            )
            #expect(try await client.put("/v1/database/encryption", ["currentKey": "", "newKey": "x"]).status == 409)
            #expect(
                try await client.put("/v1/database/encryption", ["currentKey": .string(key), "newKey": "x"]).status
                    == 422
            )
            #expect(try await client.call("GET", "/v1/users").json["users"]?.arrayValue?.count == 1)
            #expect(
                try await client.post("/v1/database/import", archive).json == [
                    "type": "archiveImported", "archiveErrors": [],
                ]
            )
            #expect(try await client.call("GET", "/v1/users").status == 503)
            #expect(try await client.call("DELETE", "/v1/database").json["type"] == "cmdOk")
        }
    }

    @Test
    func `An export to the space folder of the first store creates this folder if it does not exist`() async throws {
        try await RealGateway.run { gateway in
            let client = try await gateway.connectClient()
            _ = try await client.createUser("alice")
            #expect(try await client.post("/v1/core/stop", [:]).status == 200)
            #expect(
                try await client.post("/v1/database/export", ["archivePath": .string(gateway.folder + "/space/a.zip")])
                    .status == 200
            )
        }
    }

    @Test
    func `Only an administrator may use the routes of the databases`() async throws {
        try await ServedGateway.run { served in
            let anonymous = try await served.connectAnonymously()
            #expect(try await anonymous.call("DELETE", "/v1/database").status == 401)
        }
    }
}
