import Foundation
import JSON
import SimpleXCrypto
import TestSupport
import Testing
import ZIP

@testable import ChatCore
@testable import Gateway

/// Upload and download of archives of a store, for clients that cannot reach the files of the machine.
@Suite(.socketTimeLimit) struct ArchivesTests {
    private static let archivesPath = "/v1/database/archives"

    private func putArchive(_ client: HTTPClient, _ name: String, _ bytes: [UInt8]) async throws -> HTTPClient.Answer {
        try await client.send("PUT", "\(Self.archivesPath)/\(name)", body: bytes)
        return try await client.receiveAnswer()
    }

    private func listSpace(_ gateway: RealGateway) -> [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: gateway.folder + "/space")) ?? []).sorted()
    }

    @Test
    func `A profile is moved to another gateway with HTTP requests only`() async throws {
        let passphrase: JSONValue = "a passphrase for the way"
        let bytes = try await RealGateway.run { gateway in
            let client = try await gateway.connectClient()
            _ = try await client.createUser("alice")
            #expect(
                try await client.post("/v1/database/export", ["archivePath": "alice.zip", "passphrase": passphrase])
                    .status == 200
            )
            let fetched = try await client.call("GET", Self.archivesPath + "/alice.zip")
            #expect(fetched.status == 200 && fetched.header("content-disposition")?.contains("alice.zip") == true)
            #expect(
                try await client.call("GET", Self.archivesPath).json == [
                    "archives": [["name": "alice.zip", "size": .integer(Int64(fetched.body.count))]], "next": .null,
                    "prev": .null,
                ]
            )
            #expect(try await client.call("DELETE", Self.archivesPath + "/alice.zip").status == 204)
            #expect(listSpace(gateway) == [])
            return fetched.body
        }
        try await RealGateway.run { gateway in
            let client = try await gateway.makeStore("Bob").http
            _ = try await client.createUser("bob")
            let sent = try await putArchive(client, "alice.zip", bytes)
            #expect(try sent.status == 201 && sent.json == ["name": "alice.zip", "size": .integer(Int64(bytes.count))])
            let onlyNew = [("If-None-Match", "*")]
            let refused = try await client.call("PUT", Self.archivesPath + "/alice.zip", headers: onlyNew, body: "x")
            #expect(refused.status == 412, "\(refused.text)")
            #expect(try await client.post("/v1/core/stop", [:]).status == 200)
            let imported = try await client.post(
                "/v1/database/import",
                ["archivePath": "alice.zip", "passphrase": passphrase]
            )
            #expect(imported.status == 200, "\(imported.text)")
            #expect(try await client.post("/v1/core/start", [:]).status == 200)
            let users = try await client.call("GET", "/v1/users").json["users"]?.arrayValue
            #expect(users?.compactMap { $0["user"]?["localDisplayName"]?.stringValue } == ["alice"])
        }
    }

    @Test
    func `A request with If-Range gets the requested bytes, or the whole archive if the archive was replaced`()
        async throws
    {
        try await RealGateway.run { gateway in
            let client = try await gateway.connectClient()
            let bytes = RandomBytes.make(count: 500_000)
            #expect(try await putArchive(client, "a.zip", bytes).status == 201)
            let part = try await client.call("GET", Self.archivesPath + "/a.zip", headers: [("Range", "bytes=400000-")])
            #expect(part.status == 206 && part.body == Array(bytes[400_000...]))
            #expect(try await putArchive(client, "a.zip", [1, 2, 3]).status == 200)
            let other = try await client.call(
                "GET",
                Self.archivesPath + "/a.zip",
                headers: [("Range", "bytes=1-"), ("If-Range", part.header("etag") ?? "")]
            )
            #expect(other.status == 200 && other.body == [1, 2, 3])
            #expect(
                try await client.call("GET", Self.archivesPath + "/a.zip", headers: [("Range", "bytes=9-")]).status
                    == 416
            )
        }
    }

    @Test
    func `An open download returns the whole old archive, even if an upload replaces the archive meanwhile`()
        async throws
    {
        try await RealGateway.run { gateway in
            let (first, second) = (RandomBytes.make(count: 100_000), RandomBytes.make(count: 100_000))
            let client = try await gateway.connectClient()
            #expect(try await putArchive(client, "a.zip", first).status == 201)
            let contents = try gateway.core.archives.openContents(of: "a.zip")
            #expect(try await putArchive(client, "a.zip", second).status == 200)
            #expect(try contents.read(at: 50_000, count: 100_000) == Array(first[50_000...]))
        }
    }

    @Test(arguments: [
        ("..", 400), (".hidden", 400), ("%2e%2e%2fadmin.key", 400), ("..%2F..%2Fetc%2Fpasswd", 400),
        ("a%00.zip", 400), ("a%20b", 400), ("%C3%A4.zip", 400),
        (String(repeating: "a", count: 129), 400), ("none.zip", 404), ("link.zip", 404), ("folder", 404),
    ])
    func `A request for an archive with an invalid name gets 400, and for an archive that does not exist 404`(
        name: String,
        status: Int
    ) async throws {
        try await RealGateway.run { gateway in
            let client = try await gateway.connectClient()
            try FileManager.default.createDirectory(
                atPath: gateway.folder + "/space/folder",
                withIntermediateDirectories: true
            )
            try FileManager.default.createSymbolicLink(
                atPath: gateway.folder + "/space/link.zip",
                withDestinationPath: gateway.folder + "/admin.key"
            )
            for method in ["GET", "DELETE"] {
                #expect(try await client.call(method, "\(Self.archivesPath)/\(name)").status == status, "\(method)")
            }
            #expect(try await client.call("GET", Self.archivesPath).json["archives"] == [])
        }
    }

    @Test
    func `An interrupted upload of an archive leaves no partial archive, and a concurrent upload gets 409`()
        async throws
    {
        try await RealGateway.run { gateway in
            let client = try await gateway.connectClient()
            #expect(try await putArchive(client, "a.zip", [1]).status == 201)
            let left = gateway.folder + "/space/.upload"
            func size() throws -> Int { try FileManager.default.attributesOfItem(atPath: left)[.size] as? Int ?? 0 }
            try Data([1]).write(to: URL(filePath: left))
            let half = try await gateway.connectClient()
            try await half.send("PUT", Self.archivesPath + "/a.zip", headers: [("Content-Length", "1000000")])
            try await half.connection.send(RandomBytes.make(count: 300_000))
            try await waitUntil("the partial archive is the only new file") {
                listSpace(gateway) == [".upload", "a.zip"] && (try? size()) ?? 0 > 1
            }
            let second = try await putArchive(client, "b.zip", [1])
            #expect(second.status == 409, "\(second.text)")
            await half.connection.close()
            try await waitUntil("the partial archive is deleted") { listSpace(gateway) == ["a.zip"] }
            #expect(try await client.call("GET", Self.archivesPath + "/a.zip").body == [1])
        }
    }

    @Test
    func `The problem document for a damaged archive does not contain the path of the store on the server`()
        async throws
    {
        try await RealGateway.run { gateway in
            let client = try await gateway.connectClient()
            _ = try await client.createUser("alice")
            let small = gateway.folder + "/small"
            try "hi".write(toFile: small, atomically: true, encoding: .utf8)
            let sources = ["simplex_v1_chat.db", "simplex_v1_agent.db"].map {
                ZIPWriter.SourceFile(path: small, name: $0)
            }
            try ZIPWriter.writeComplete(
                sources,
                to: gateway.folder + "/small.zip",
                in: gateway.folder,
                compressed: false
            )
            let archive = try #require(FileManager.default.contents(atPath: gateway.folder + "/small.zip"))
            try ZIPWriter.writeComplete(
                Array(sources.prefix(1)),
                to: gateway.folder + "/half.zip",
                in: gateway.folder,
                compressed: false
            )
            #expect(
                try await putArchive(
                    client,
                    "half.zip",
                    Array(try #require(FileManager.default.contents(atPath: gateway.folder + "/half.zip")))
                ).status == 201
            )
            try "".write(toFile: small, atomically: true, encoding: .utf8)
            try ZIPWriter.writeComplete(
                sources,
                to: gateway.folder + "/empty.zip",
                in: gateway.folder,
                compressed: false
            )
            #expect(
                try await putArchive(
                    client,
                    "empty.zip",
                    Array(try #require(FileManager.default.contents(atPath: gateway.folder + "/empty.zip")))
                ).status == 201
            )
            #expect(try await putArchive(client, "small.zip", Array(archive)).status == 201)
            #expect(try await putArchive(client, "none.zip", Array("no archive".utf8)).status == 201)
            #expect(try await client.post("/v1/core/stop", [:]).status == 200)
            for (body, words) in [
                (["archivePath": "small.zip"], "The databases cannot be opened: the key is wrong."),
                (["archivePath": "small.zip", "passphrase": "a"], "The databases cannot be opened: the key is wrong."),
                (["archivePath": "none.zip"], "none.zip: not a ZIP archive."),
                (["archivePath": "empty.zip"], "empty.zip: simplex_v1_chat.db is empty."),
                (["archivePath": "half.zip"], "half.zip: there is no simplex_v1_agent.db."),
                (["archivePath": "absent.zip"], "absent.zip: No such file or directory."),
            ] as [(JSONValue, String)] {
                let answer = try await client.post("/v1/database/import", body)
                #expect(
                    try answer.status == 422 && answer.json["detail"]?.stringValue == words
                        && !answer.text.contains(gateway.folder),
                    "\(answer.text)"
                )
            }
        }
    }

    @Test
    func `Only administrators of a store can use the store's archives`() async throws {
        try await RealGateway.run { gateway in
            let (admin, store) = (try await gateway.connectClient(), try await gateway.makeStore("Bob"))
            _ = try await admin.createUser("alice")
            #expect(try await putArchive(admin, "a.zip", [1, 2]).status == 201)
            #expect(try await store.http.call("GET", Self.archivesPath).json["archives"] == [])
            #expect(try await store.http.call("GET", Self.archivesPath + "/a.zip").status == 404)
            let file = KeyFile(folder: gateway.folder)
            for key in [
                try file.addKey(name: "reader", scopes: [.read, .write, .events]).key.text,
                try file.addKey(name: "of alice", scopes: [.admin, .read, .write], userId: 1).key.text,
            ] {
                let client = try await gateway.connectClient(key: key)
                try await client.waitForStatus(200, at: "/v1/users/1")
                for method in ["GET", "DELETE"] {
                    #expect(try await client.call(method, Self.archivesPath + "/a.zip").status == 403, "\(method)")
                }
                #expect(try await putArchive(client, "b.zip", [1]).status == 403)
                try await client.waitForStatus(200, at: "/v1/users/1")
            }
            #expect(try await gateway.connectClient(key: "").call("GET", Self.archivesPath + "/a.zip").status == 401)
            #expect(listSpace(gateway) == ["a.zip"])
        }
    }

    @Test
    func `An upload of an archive gets 507 if all archives together exceed the sum of database and file limits`()
        async throws
    {
        try await RealGateway.run(change: {
            $0.storeLimits[.databaseBytes] = 10_000_000; $0.storeLimits[.fileBytes] = 100_000
        }) { gateway in
            let client = try await gateway.connectClient()
            let half = RandomBytes.make(count: 6_000_000)
            #expect(try await putArchive(client, "a.zip", half).status == 201)
            let second = try await putArchive(client, "b.zip", half)
            #expect(
                try second.status == 507 && second.json["code"] == "quotaExceeded"
                    && second.json["resource"] == "archiveBytes" && second.json["limit"] == 10_100_000,
                "\(second.text)"
            )
            #expect(try await putArchive(gateway.connectClient(), "a.zip", half).status == 200)
            #expect(listSpace(gateway) == ["a.zip"])
        }
    }
}
