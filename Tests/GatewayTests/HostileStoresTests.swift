import Files
import Foundation
import JSON
import SimpleXCrypto
import TestSupport
import Testing
import ZIP

@testable import Gateway
@testable import SQLCipher

/// Attacks with an archive or a copy of a store that its owner has changed.
@Suite(.socketTimeLimit) struct HostileStoresTests {
    private static func changeDatabase(_ file: String, _ key: DatabaseKey, _ statements: [String]) throws {
        let connection = try DatabaseConnection(
            path: file,
            key: FileKey(material: KeyMaterial(key)),
            access: .copying,
            synchronous: .normal,
            cacheKiB: 64
        )
        try connection.execute("PRAGMA foreign_keys = OFF")
        for statement in statements { try connection.execute(statement) }
    }

    // MARK: Archives

    /// Imports an archive after an attacker has changed its chat database, and starts the store.
    private func importChangedArchive(
        _ gateway: RealGateway,
        _ statements: (_ user: Int64) -> [String]
    ) async throws -> (client: HTTPClient, answer: HTTPClient.Answer) {
        let client = try await gateway.makeStore("Bob").http
        let user = try await client.createUser("bob")
        #expect(
            try await client.post("/v1/database/export", ["archivePath": "a.zip", "passphrase": "way"]).status == 200
        )
        let work = try TemporaryFolder()
        defer { work.remove() }
        try DiskFiles.createFile(work.path + "/a.zip", try await client.call("GET", "/v1/database/archives/a.zip").body)
        let zip = try ZIPReader(path: work.path + "/a.zip")
        for entry in zip.entries { try zip.unpackEntry(entry, to: work.path + "/" + entry.name) }
        try Self.changeDatabase(work.path + "/simplex_v1_chat.db", .passphrase("way"), statements(user))
        try ZIPWriter.writeComplete(
            zip.entries.map { ZIPWriter.SourceFile(path: work.path + "/" + $0.name, name: $0.name) },
            to: work.path + "/b.zip",
            in: work.path,
            compressed: true
        )
        let archive = try DiskFiles.readFile(work.path + "/b.zip", limit: 1 << 26) ?? []
        try await client.send("PUT", "/v1/database/archives/b.zip", body: archive)
        #expect(try await client.receiveAnswer().status == 201)
        #expect(try await client.post("/v1/core/stop", [:]).status == 200)
        let answer = try await client.post("/v1/database/import", ["archivePath": "b.zip", "passphrase": "way"])
        #expect(try await client.post("/v1/core/start", [:]).status == 200)
        return (client, answer)
    }

    @Test
    func `A trigger in an imported archive is removed and reported`() async throws {
        try await RealGateway.run { gateway in
            let (client, answer) = try await importChangedArchive(gateway) { _ in
                [
                    """
                    CREATE TRIGGER zz AFTER INSERT ON chat_tags BEGIN
                      UPDATE chat_tags SET chat_tag_text = rtreenode(1, x'000003e8') WHERE rowid = NEW.rowid;
                    END
                    """
                ]
            }
            #expect(answer.status == 200 && answer.text.contains("left behind: trigger zz"), "\(answer.text)")
            #expect(try await client.post("/v1/users/1/tags", ["text": "t"]).status < 300)
            let tags = try await client.call("GET", "/v1/users/1/tags")
            #expect(tags.status == 200 && tags.text.contains(#""chatTagText":"t""#), "\(tags.text)")
            #expect(try await gateway.connectClient().call("GET", "/v1/users").status == 200)
        }
    }

    @Test
    func `If an imported archive names a file outside of the store, this file is neither read nor changed`()
        async throws
    {
        try await RealGateway.run { gateway in
            let places = [gateway.folder + "/admin.key", gateway.folder + "/keys.json"]
            let before = try places.map { try DiskFiles.readFile($0) }
            let (client, answer) = try await importChangedArchive(gateway) { user in
                places.enumerated().flatMap { index, place in
                    [
                        """
                        INSERT INTO files (file_id, user_id, is_sent, protocol, file_name, file_size, chunk_size,
                          file_path, item_status, transfer_status, file_inline, task, created_at, updated_at)
                        VALUES (\(index + 1), \(user), 0, 'smp', 'a', 3, 15780, '\(place)', '{"type":"rcvComplete"}',
                          'connected', 'offer', 6, 0, 0)
                        """,
                        "INSERT INTO inline_chunks VALUES (\(index + 1), 1, x'616263')",
                    ]
                }
            }
            #expect(answer.status == 200, "\(answer.text)")
            for file in 1...2 {
                let content = try await client.call("GET", "/v1/users/1/files/\(file)/content")
                #expect(content.status >= 400 && !content.text.contains("sxgw_"), "\(content.text)")
            }
            #expect(try places.map { try DiskFiles.readFile($0) } == before)
        }
    }

    @Test
    func `The import of an invalid archive gets 422 and leaves the store unchanged`() async throws {
        try await RealGateway.run { gateway in
            let (client, answer) = try await importChangedArchive(gateway) { _ in
                ["UPDATE users SET local_display_name = 'other', created_at = 'soon'"]
            }
            #expect(
                answer.status == 422
                    && answer.text.contains("simplex_v1_chat.db: users.created_at has a value of another type"),
                "\(answer.text)"
            )
            #expect(try await client.call("GET", "/v1/users").text.contains("bob"))
            _ = try await client.createUser("next")
        }
    }

    // MARK: Copies

    private static let passphrase = "a long passphrase"

    /// Restores a copy of a store with a user after an attacker has changed the copy.
    private func restoreChangedCopy(
        _ gateway: LockableGateway,
        _ passphrase: String?,
        _ change: (_ copy: String, _ key: DatabaseKey) throws -> Void
    ) async throws -> (admin: HTTPClient, id: String, key: String, answer: HTTPClient.Answer) {
        let copies = try TemporaryFolder()
        defer { copies.remove() }
        let admin = try await gateway.connectClient(), copy = copies.path + "/bob"
        let made = try await admin.post(
            "/v1/stores",
            passphrase.map { ["name": "bob", "passphrase": .string($0)] } ?? ["name": "bob"]
        ).json
        let (id, key) = (try #require(made["store"]?["storeId"]?.stringValue), try #require(made["key"]?.stringValue))
        _ = try await gateway.connectClient(key).createUser("bob")
        #expect(try await admin.post("/v1/backup", ["folder": .string(copy), "store": .string(id)]).status == 201)
        #expect(try await admin.call("DELETE", "/v1/stores/\(id)").status == 204)
        CopyChecksums.removeListFiles(from: copy)
        let digits = String(decoding: try DiskFiles.readFile(copy + "/database.key") ?? [], as: UTF8.self)
            .trimmingNewline
        try change(copy, passphrase.map { .passphrase($0) } ?? .raw(try #require(Hex.decode(digits.utf8))))
        return (admin, id, key, try await admin.post("/v1/restore", ["backup": .string(copy)]))
    }

    private func expectUsable(_ gateway: LockableGateway, _ key: String) async throws {
        let client = try await gateway.connectClient(key)
        try await waitUntil("the store is open") { try await client.call("GET", "/v1/users").status == 200 }
        #expect(try await client.call("GET", "/v1/users").text.contains("bob"))
        _ = try await client.createUser("next")
    }

    @Test(arguments: HostileEdit.all)
    func `A copy of a store with a manipulated database is restored without harm, or refused with 422 and the reason`(
        edit: HostileEdit
    ) async throws {
        try await LockableGateway.run { gateway in
            let (admin, id, key, answer) = try await restoreChangedCopy(gateway, nil) { copy, key in
                try Self.changeDatabase("\(copy)/simplex_v1_\(edit.database).db", key, edit.statements)
            }
            switch edit.outcome {
            case .accepted:
                #expect(try answer.status == 201 && answer.json["state"] == "unlocked", "\(answer.text)")
                try await expectUsable(gateway, key)
                let folder = gateway.folder + "/stores/" + id
                #expect(
                    !DiskFiles.listEntries(folder).contains { $0.hasSuffix(".copied") || $0.hasSuffix("_replacement") }
                )
            case .refused(let reason):
                #expect(
                    answer.status == 422 && answer.text.contains(reason) && !answer.text.contains(gateway.folder),
                    "\(answer.text)"
                )
                #expect(DiskFiles.listEntries(gateway.folder + "/stores").filter { !$0.hasPrefix(".requests") } == [])
            }
            #expect(try await admin.call("GET", "/v1/stores").status == 200)
        }
    }

    @Test(arguments: [true, false])
    func `A store that was restored with a passphrase is checked for manipulation at its first unlock`(
        isTaken: Bool
    ) async throws {
        try await LockableGateway.run { gateway in
            let (admin, id, key, answer) = try await restoreChangedCopy(gateway, Self.passphrase) { copy, key in
                let trigger = "CREATE TRIGGER zz AFTER INSERT ON users BEGIN SELECT rtreenode(1, x'000003e8'); END"
                try Self.changeDatabase(
                    copy + "/simplex_v1_chat.db",
                    key,
                    isTaken ? [trigger] : ["UPDATE users SET created_at = 'soon'"]
                )
            }
            #expect(try answer.status == 201 && answer.json["state"] == "locked", "\(answer.text)")
            let (folder, unlock) = (gateway.folder + "/stores/" + id, "/v1/stores/\(id)/unlock")
            #expect(
                !DiskFiles.exists(folder + "/simplex_v1_chat.db")
                    && DiskFiles.isFile(folder + "/simplex_v1_chat.db.copied")
            )
            #expect(try await admin.post(unlock, ["passphrase": "another"]).status == 403)
            // A copy of the store in its present state can be restored as well.
            let copies = try TemporaryFolder()
            defer { copies.remove() }
            #expect(
                try await admin.post("/v1/backup", ["folder": .string(copies.path + "/again"), "store": .string(id)])
                    .status == 201
            )
            #expect(try await admin.call("DELETE", "/v1/stores/\(id)").status == 204)
            #expect(
                try await admin.post("/v1/restore", ["backup": .string(copies.path + "/again")]).json["state"]
                    == "locked"
            )
            let opened = try await admin.post(unlock, ["passphrase": .string(Self.passphrase)])
            if isTaken {
                #expect(opened.status == 200, "\(opened.text)")
                #expect(!DiskFiles.exists(folder + "/simplex_v1_chat.db.copied"))
                try await expectUsable(gateway, key)
            } else {
                #expect(
                    opened.status == 422 && opened.text.contains("users.created_at has a value of another type"),
                    "\(opened.text)"
                )
                #expect(try await admin.call("GET", "/v1/stores/\(id)").json["state"] == "locked")
                #expect(DiskFiles.isFile(folder + "/simplex_v1_chat.db.copied"))
            }
        }
    }

    @Test
    func `A copy of a store is refused with 422 if it names another store's folder in the object storage`() async throws
    {
        try await LockableGateway.run { gateway in
            let (_, _, _, answer) = try await restoreChangedCopy(gateway, nil) { copy, _ in
                var record = try #require(
                    try JSONValue(parsing: DiskFiles.readFile(copy + "/store.json") ?? []).objectValue
                )
                record["objects"] = "aaaaaaaaaaaaaaa"
                try DiskFiles.replaceFile(copy + "/store.json", with: JSONValue.object(record).encodeText())
            }
            #expect(
                answer.status == 422 && answer.text.contains("folder of another store in the object storage"),
                "\(answer.text)"
            )
        }
    }
}
