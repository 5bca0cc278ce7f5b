import JSON
import SimpleXCrypto
import SQLCipher
import TestSupport
import Testing

@testable import ChatCore
@testable import ChatStore
@testable import Gateway

@Suite(.socketTimeLimit) struct IdempotencyTests {
    private let aliceProfile: JSONValue = ["profile": ["displayName": "alice", "fullName": ""]]

    @Test
    func `A repeated request with an idempotency key returns the first answer, even after a restart`() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let key = [("Idempotency-Key", "one")]
        let first = try await RealGateway.run(in: folder) { gateway in
            let client = try await gateway.connectClient()
            let first = try await client.post("/v1/users", aliceProfile, headers: key)
            let again = try await client.post("/v1/users", aliceProfile, headers: key)
            #expect(first.status == 201 && again.status == 201)
            #expect(again.body == first.body)
            #expect(again.header("idempotent-replayed") == "true")
            #expect(again.header("location") == first.header("location"))
            return first
        }
        try await RealGateway.run(in: folder) { gateway in
            let client = try await gateway.connectClient()
            let again = try await client.post("/v1/users", aliceProfile, headers: key)
            #expect(again.status == 201 && again.body == first.body)
            #expect(try await client.call("GET", "/v1/users").json["users"]?.arrayValue?.count == 1)
        }
    }

    @Test
    func `A repeated request gets 409 if its first execution stored no answer`() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let key = [("Idempotency-Key", "one")]
        try await RealGateway.run(in: folder) { gateway in
            let first = try await gateway.connectClient().post("/v1/users", aliceProfile, headers: key)
            #expect(first.status == 201)
        }
        let database = try await Database.open(
            at: folder.path + "/simplex_v1_chat.db",
            key: .raw([UInt8](repeating: 7, count: 32)),
            migrations: ChatSchema.migrations
        )
        try await database.write { db in try db.execute("UPDATE requests SET answer = x''") }
        await database.close()
        try await RealGateway.run(in: folder) { gateway in
            let client = try await gateway.connectClient()
            let again = try await client.post("/v1/users", aliceProfile, headers: key)
            #expect(again.status == 409)
            #expect(try again.json["code"] == "conflict")
            #expect(try await client.call("GET", "/v1/users").json["users"]?.arrayValue?.count == 1)
        }
    }

    @Test
    func `A request that repeats an idempotency key with a different payload gets 422`() async throws {
        try await RealGateway.run { gateway in
            let client = try await gateway.connectClient()
            _ = try await client.post("/v1/users", aliceProfile, headers: [("Idempotency-Key", "one")])
            let other = try await client.post(
                "/v1/users",
                ["profile": ["displayName": "bob", "fullName": ""]],
                headers: [("Idempotency-Key", "one")]
            )
            #expect(other.status == 422)
            #expect(try other.json["code"] == "idempotencyKeyReused")
        }
    }

    @Test(arguments: ["-1", "99", "600", "9223372036854775807"])
    func `A stored answer of an idempotency key is not decoded if the answer's status is invalid`(text: String) {
        #expect(StoredAnswer.decode(Array("\(text) \n{}".utf8))?.status == nil)
        #expect(StoredAnswer.decode(Array("201 \n{}".utf8))?.status == 201)
    }

    @Test
    func `After a request was refused, its idempotency key can be used for a corrected request`() async throws {
        try await RealGateway.run { gateway in
            let client = try await gateway.connectClient()
            let key = [("Idempotency-Key", "one")]
            #expect(
                try await client.post("/v1/users", ["profile": ["displayName": "@#", "fullName": ""]], headers: key)
                    .status == 422
            )
            #expect(try await client.post("/v1/users", aliceProfile, headers: key).status == 201)
        }
    }

    @Test
    func `Many simultaneous requests with one idempotency key have one effect`() async throws {
        try await RealGateway.run { gateway in
            let alice = aliceProfile
            let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<8 {
                    let client = try await gateway.connectClient()
                    group.addTask {
                        try await client.post("/v1/users", alice, headers: [("Idempotency-Key", "k")]).status
                    }
                }
                return try await group.reduce(into: [Int]()) { $0.append($1) }
            }
            #expect(statuses.allSatisfy { $0 == 201 || $0 == 409 })
            #expect(try await gateway.connectClient().call("GET", "/v1/users").json["users"]?.arrayValue?.count == 1)
        }
    }
}
