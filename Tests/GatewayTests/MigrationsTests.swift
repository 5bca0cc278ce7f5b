import ChatCore
import Files
import Foundation
import JSON
import TestSupport
import Testing
import XFTPTestSupport
import ZIP

@testable import Gateway

@Suite("Migration of all profiles by a link", .socketTimeLimit)
struct MigrationsTests {
    private static let migrationPath = "/v1/database/migration"
    private static let passphrase: JSONValue = "a passphrase for the way"

    /// Runs a gateway that uploads to a file server.
    private func withGateway(
        in folder: TemporaryFolder? = nil,
        _ files: FileServer,
        patience: Duration = .seconds(60),
        _ body: (LockableGateway, HTTPClient) async throws -> Void
    ) async throws {
        let place = try folder ?? TemporaryFolder()
        defer { if folder == nil { place.remove() } }
        try await LockableGateway.run(
            in: place,
            storing: {
                $0.chatConfiguration.defaultServers.append(files.server)
                $0.chatConfiguration.migrationTimeout = patience
            }
        ) { gateway in
            try await body(gateway, try await gateway.connectClient())
        }
    }

    private func readProfileNames(_ client: HTTPClient) async throws -> [String?] {
        let users = try await client.call("GET", "/v1/users").json["users"]?.arrayValue
        return (users ?? []).map { $0["user"]?["profile"]?["displayName"]?.stringValue }
    }

    private func readMigrationState(_ client: HTTPClient) async throws -> JSONValue? {
        try await client.call("GET", Self.migrationPath).json["state"]
    }

    private func isRunning(_ client: HTTPClient) async throws -> Bool {
        try await client.call("GET", "/v1/core").json["type"] == "chatRunning"
    }

    /// Creates a user and a link.
    private func createLink(_ client: HTTPClient, format: String = "gateway") async throws -> String {
        _ = try await client.createUser("alice")
        let answer = try await client.post(
            Self.migrationPath,
            ["passphrase": Self.passphrase, "format": .string(format)]
        )
        #expect(answer.status == 201 && answer.header("cache-control") == "no-store", "\(answer.text)")
        let made = try answer.json
        #expect(made["state"] == "ready" && made["size"]?.integerValue ?? 0 > 0, "\(made.text)")
        return try #require(made["link"]?.stringValue)
    }

    private func receiveMigration(
        _ client: HTTPClient,
        _ link: String,
        _ passphrase: JSONValue? = passphrase
    ) async throws -> HTTPClient.Answer {
        var members = JSONObject([("link", .string(link))])
        members["passphrase"] = passphrase
        return try await client.post(Self.migrationPath + "/receive", .object(members))
    }

    /// Uploads a file, and returns the link for its download.
    private func uploadFile(_ contents: [UInt8], _ client: HTTPClient) async throws -> String {
        _ = try await client.createUser("alice")
        try await client.send("POST", "/v1/users/1/files?name=a.zip&encrypted=false", body: contents)
        let source = try #require(try await client.receiveAnswer().json["fileSource"])
        let uploaded = try await client.post(
            "/v1/users/1/standalone-files",
            ["file": source],
            headers: [("Prefer", "respond-async")]
        )
        let operation = try #require(uploaded.header("location"), "\(uploaded.text)")
        try await waitUntil("the file is uploaded") {
            try await client.call("GET", operation).json["state"] == "done"
        }
        let result = try await client.call("GET", operation).json["result"]
        return try #require(result?["rcvURIs"]?[0]?.stringValue, "\(result?.text ?? "")")
    }

    @Test(arguments: ["gateway", "app"])
    func `All profiles of a gateway migrate to another gateway by a link`(format: String) async throws {
        let files = try await FileServer()
        try await withGateway(files) { _, old in
            let link = try await createLink(old, format: format)
            #expect(link.hasPrefix("simplex:/file#/?desc=") && link.contains("&data="))
            #expect(try await readMigrationState(old) == "ready")
            #expect(try await isRunning(old) == false)
            #expect(try await old.post("/v1/core/start", [:]).status == 422)
            #expect(try await old.post(Self.migrationPath, ["passphrase": Self.passphrase]).status == 409)
            try await withGateway(files) { _, new in
                let received = try await receiveMigration(new, link)
                #expect(try received.status == 200 && received.json["type"] == "archiveImported", "\(received.text)")
                #expect(try await readProfileNames(new) == ["alice"])
                #expect(try await isRunning(new))
                #expect(try await readMigrationState(new) == "none")
                let again = try await receiveMigration(new, link)
                #expect(again.status == 409, "\(again.text)")
            }
            // The profiles stay on this device until the migration is finished.
            #expect(try await readProfileNames(old) == ["alice"])
            let finished = try await old.post(Self.migrationPath + "/finish", [:])
            #expect(try finished.status == 200 && finished.json == ["state": "none"], "\(finished.text)")
            #expect(try await readProfileNames(old) == [])
            #expect(try await isRunning(old))
            #expect(files.chunkCount == 0)
            try await withGateway(files) { _, third in
                let late = try await receiveMigration(third, link)
                #expect(late.status == 422 && late.text.contains("/link"), "\(late.text)")
                #expect(try await readMigrationState(third) == "none")
                #expect(try await isRunning(third))
            }
        }
        await files.stop()
    }

    @Test
    func `A cancelled migration makes the link invalid and starts the chat again`() async throws {
        let files = try await FileServer()
        try await withGateway(files) { _, old in
            #expect(try await old.call("DELETE", Self.migrationPath).status == 409)
            let link = try await createLink(old)
            #expect(try await old.call("DELETE", Self.migrationPath).status == 204)
            #expect(try await readProfileNames(old) == ["alice"])
            #expect(try await isRunning(old))
            #expect(try await readMigrationState(old) == "none")
            #expect(files.chunkCount == 0)
            #expect(try await old.post(Self.migrationPath + "/finish", [:]).status == 409)
            try await withGateway(files) { _, new in
                let refused = try await receiveMigration(new, link)
                #expect(refused.status == 422, "\(refused.text)")
            }
        }
        await files.stop()
    }

    @Test
    func `The chat stays stopped after a restart while another device may have the profiles`() async throws {
        let files = try await FileServer()
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try await withGateway(in: folder, files) { _, client in _ = try await createLink(client) }
        try await withGateway(in: folder, files) { _, client in
            let left = try await readMigrationState(client)
            #expect(left == "ready")
            #expect(try await isRunning(client) == false)
            #expect(try await readProfileNames(client) == ["alice"])
            #expect(try await client.call("DELETE", Self.migrationPath).status == 204)
            #expect(try await isRunning(client))
        }
        // A migration that has no link yet ends with its process, so the next start finds no migration.
        try DiskFiles.makeFolder(folder.path + "/simplex_v1_migration/space")
        try await withGateway(in: folder, files) { _, client in
            let left = try await readMigrationState(client)
            #expect(left == "none")
            #expect(try await isRunning(client))
        }
        await files.stop()
    }

    @Test
    func `If the file server does not answer, a migration gets 504, and the chat runs again`() async throws {
        let files = try await FileServer(FileServer.Configuration(fault: .ignores("FPUT")))
        try await withGateway(files, patience: .seconds(1)) { gateway, client in
            _ = try await client.createUser("alice")
            let answer = try await client.post(Self.migrationPath, ["passphrase": Self.passphrase])
            #expect(answer.status == 504, "\(answer.text)")
            #expect(try await readMigrationState(client) == "none")
            #expect(try await isRunning(client))
            #expect(!DiskFiles.exists(gateway.folder + "/simplex_v1_migration"))
        }
        await files.stop()
    }

    @Test
    func `A cancelled operation of a migration leaves no link and starts the chat again`() async throws {
        let files = try await FileServer(FileServer.Configuration(fault: .ignores("FPUT")))
        try await withGateway(files) { _, client in
            _ = try await client.createUser("alice")
            let begun = try await client.post(
                Self.migrationPath,
                ["passphrase": Self.passphrase],
                headers: [("Prefer", "respond-async")]
            )
            let operation = try #require(begun.header("location"), "\(begun.text)")
            try await waitUntil("a chunk is sent") { files.requests.contains("FPUT") }
            #expect(try await readMigrationState(client) == "running")
            #expect(try await client.post(operation + "/cancel", [:]).status == 202)
            try await waitUntil("the operation ends") {
                try await client.call("GET", operation).json["state"] == "cancelled"
            }
            #expect(try await readMigrationState(client) == "none")
            #expect(try await isRunning(client))
        }
        await files.stop()
    }

    @Test
    func `An unencrypted archive is migrated without a passphrase, and is refused with a passphrase`() async throws {
        let (files, folder) = (try await FileServer(), try TemporaryFolder())
        defer { folder.remove() }
        let databases = try ["chat", "agent"].map { name in
            let path = "\(folder.path)/\(name).db"
            try Data(Fixture.readContents("apps/\(name)-7.0.db.zst")).write(to: URL(filePath: path))
            return ZIPWriter.SourceFile(path: path, name: "simplex_v1_\(name).db")
        }
        let archive = folder.path + "/app.zip"
        try ZIPWriter.writeComplete(databases, to: archive, in: folder.path, compressed: true)
        try await withGateway(files) { _, old in
            let link = try await uploadFile(Array(Data(contentsOf: URL(filePath: archive))), old)
            try await withGateway(files) { _, new in
                let refused = try await receiveMigration(new, link, "wrong")
                #expect([403, 422].contains(refused.status), "\(refused.text)")
                #expect(try await readProfileNames(new) == [])
                #expect(try await isRunning(new))
                let received = try await receiveMigration(new, link, nil)
                #expect(received.status == 200, "\(received.text)")
                #expect(try await readProfileNames(new) == ["alice"])
            }
        }
        await files.stop()
    }

    @Test
    func `After a wrong passphrase, a migration with the right passphrase succeeds`() async throws {
        let files = try await FileServer()
        try await withGateway(files) { _, old in
            let link = try await createLink(old)
            try await withGateway(files) { _, new in
                for passphrase in ["another passphrase", nil] as [JSONValue?] {
                    let wrong = try await receiveMigration(new, link, passphrase)
                    #expect([403, 422].contains(wrong.status), "\(wrong.text)")
                    #expect(try await readProfileNames(new) == [])
                    #expect(try await isRunning(new))
                }
                let right = try await receiveMigration(new, link)
                #expect(right.status == 200, "\(right.text)")
                #expect(try await readProfileNames(new) == ["alice"])
            }
        }
        await files.stop()
    }

    @Test
    func `Several gateways can migrate from one link in turn, and a second simultaneous request gets 409`() async throws
    {
        let files = try await FileServer()
        try await withGateway(files) { _, old in
            let link = try await createLink(old)
            for _ in 0..<2 {
                try await withGateway(files) { gateway, first in
                    let second = try await gateway.connectClient()
                    async let one = receiveMigration(first, link)
                    async let other = receiveMigration(second, link)
                    let statuses = try await [one.status, other.status]
                    #expect(statuses.sorted() == [200, 409])
                    #expect(try await readProfileNames(first) == ["alice"])
                    #expect(try await isRunning(first))
                }
            }
            #expect(try await old.post(Self.migrationPath + "/finish", [:]).status == 200)
        }
        await files.stop()
    }

    @Test
    func `A link to a file that is no archive, or to an archive without databases, gets 422 and changes nothing`()
        async throws
    {
        let files = try await FileServer()
        let emptyArchive: [UInt8] = [0x50, 0x4b, 5, 6] + [UInt8](repeating: 0, count: 18)
        for contents in [Array("no archive".utf8), emptyArchive] {
            try await withGateway(files) { _, old in
                let link = try await uploadFile(contents, old)
                try await withGateway(files) { _, new in
                    let refused = try await receiveMigration(new, link)
                    #expect(refused.status == 422, "\(refused.text)")
                    #expect(try await readProfileNames(new) == [])
                    #expect(try await readMigrationState(new) == "none")
                    #expect(try await isRunning(new))
                    _ = try await new.createUser("bob")
                }
            }
        }
        await files.stop()
    }

    @Test
    func `An incomplete migration link and a link of another kind are refused with 422`() async throws {
        let files = try await FileServer()
        try await withGateway(files) { _, old in
            let whole = try await createLink(old)
            try await withGateway(files) { _, new in
                let links = [
                    "", "simplex:/invitation#/?v=2-7", "https://simplex.chat/file#/?desc=",
                    String(whole.prefix(whole.count / 3)),
                ]
                for text in links {
                    let refused = try await receiveMigration(new, text)
                    #expect(refused.status == 422 && refused.text.contains("/link"), "\(text): \(refused.text)")
                }
                let data = try #require(whole.range(of: "&data="))
                let cut = String(whole[..<data.lowerBound])
                let proxy = #"{"networkConfig":{"socksProxy":":9050"}}"#
                let escaped = try #require(proxy.addingPercentEncoding(withAllowedCharacters: .alphanumerics))
                let asked = try await receiveMigration(new, cut + "&data=" + escaped)
                #expect(asked.status == 422 && asked.text.contains("/usesProxy"), "\(asked.text)")
                // With `usesProxy: false`, this device keeps its own settings. The refused request has not used up the
                // link.
                let answered = try await new.post(
                    Self.migrationPath + "/receive",
                    ["link": .string(cut + "&data=" + escaped), "passphrase": Self.passphrase, "usesProxy": false]
                )
                #expect(answered.status == 200, "\(answered.text)")
                #expect(try await readProfileNames(new) == ["alice"])
            }
        }
        await files.stop()
    }
}
