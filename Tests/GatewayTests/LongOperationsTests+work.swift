import ChatCore
import Files
import JSON
import SimpleXCrypto
import Testing
import TestSupport
import XFTPTestSupport

@testable import Gateway

/// Work of the gateway as operations: backups, exports, imports and uploads.
extension LongOperationsTests {
    @Test
    func `Backups, exports and imports can run as operations with progress and result`() async throws {
        let copies = try TemporaryFolder()
        defer { copies.remove() }
        try await RealGateway.run { gateway in
            let client = try await gateway.connectClient()
            _ = try await client.createUser("alice")
            func done(_ target: String, _ body: JSONValue) async throws -> JSONValue {
                let begun = try await client.post(target, body, headers: asyncHeaders)
                #expect(begun.status == 202, "\(begun.text)")
                let place = try #require(begun.header("location"))
                var last = JSONValue.null
                try await waitUntil("the operation has ended") {
                    last = try await client.call("GET", place).json
                    return last["state"] != "running"
                }
                #expect(last["state"] == "done", "\(last.text)")
                return last
            }
            let exported = try await done("/v1/database/export", ["archivePath": "one.zip"])
            #expect(exported["result"]?["type"] == "archiveExported" && exported["status"] == 200)
            let amount = try #require(exported["progress"])
            #expect(amount["done"]?.integerValue ?? 0 > 0 && amount["done"] == amount["total"], "\(amount.text)")
            let malformed = try await client.post("/v1/database/export", ["archive": "two.zip"], headers: asyncHeaders)
            #expect(malformed.status >= 400, "\(malformed.text)")
            #expect(try await client.post("/v1/core/stop", [:]).status == 200)
            let imported = try await done("/v1/database/import", ["archivePath": "one.zip"])
            #expect(imported["result"]?["type"] == "archiveImported", "\(imported.text)")
            #expect(imported["progress"]?["done"]?.integerValue ?? 0 > 0)
        }
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try await LockableGateway.run(in: folder) { gateway in
            let client = try await gateway.connectClient()
            let target = copies.path + "/all"
            let begun = try await client.post("/v1/backup", ["folder": .string(target)], headers: asyncHeaders)
            let done = try await waitForState("done", try #require(begun.header("location")), client)
            #expect(done["result"]?["folder"] == .string(target) && done["status"] == 201, "\(done.text)")
            #expect(done["progress"]?["done"]?.integerValue ?? 0 > 0)
            #expect(!DiskFiles.exists(target + "/operations"))
        }
    }

    /// Begins the upload of a file of 700,000 bytes for a link, as an operation of a gateway with a file server.
    private func withUpload(
        _ fault: FileServer.Fault? = nil,
        _ body: (HTTPClient, FileServer, _ place: String) async throws -> Void
    ) async throws {
        let files = try await FileServer(FileServer.Configuration(fault: fault))
        try await RealGateway.run(change: { $0.defaultServers.append(files.server) }) { gateway in
            let client = try await gateway.connectClient()
            let user = try await client.createUser("alice")
            try await client.send(
                "POST",
                "/v1/users/\(user)/files?name=photo.jpg",
                body: RandomBytes.make(count: 700_000)
            )
            let stored = try await client.receiveAnswer()
            #expect(stored.status == 201, "\(stored.text)")
            let source = try #require(try stored.json["fileSource"])
            let begun = try await client.post(
                "/v1/users/\(user)/standalone-files",
                ["file": source],
                headers: asyncHeaders
            )
            #expect(begun.status == 202 && begun.header("preference-applied") == "respond-async", "\(begun.text)")
            try await body(client, files, try #require(begun.header("location")))
        }
        await files.stop()
    }

    @Test
    func `The result of an upload that runs as an operation contains the links of the file`() async throws {
        try await withUpload { client, files, place in
            let done = try await waitForState("done", place, client)
            #expect(done["operation"] == "uploadStandaloneFile" && done["status"] == 200, "\(done.text)")
            #expect(done["result"]?["type"] == "sndStandaloneFileComplete")
            #expect(done["result"]?["rcvURIs"]?[0]?.stringValue?.isEmpty == false)
            let amount = try #require(done["progress"], "\(done.text)")
            #expect(amount["unit"] == "bytes" && amount["done"]?.integerValue ?? 0 > 0, "\(amount.text)")
            #expect(files.chunkCount > 0)
        }
    }

    @Test
    func `A cancelled upload operation ends without links of the file`() async throws {
        // The server never answers requests for chunks, so that the upload does not end by itself.
        try await withUpload(.ignores("FPUT")) { client, files, place in
            try await waitUntil("a chunk is sent") { files.requests.contains("FPUT") }
            let running = try await client.call("GET", place).json
            #expect(running["state"] == "running" && running["cancellable"] == true, "\(running.text)")
            let cancelled = try await client.post("\(place)/cancel", [:])
            #expect(try cancelled.status == 202 && cancelled.json["cancelling"] == true, "\(cancelled.text)")
            let ended = try await waitForState("cancelled", place, client)
            #expect(ended["result"] == nil && ended["problem"] == nil && ended["status"] == nil, "\(ended.text)")
            #expect(try await client.post("\(place)/cancel", [:]).status == 409)
        }
    }
}
