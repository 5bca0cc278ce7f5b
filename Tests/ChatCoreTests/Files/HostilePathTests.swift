import ChatAPI
import Files
import Foundation
import JSON
import SimpleXCrypto
import SQLCipher
import TestSupport
import Testing

@testable import ChatCore
@testable import ChatStore

/// Databases with paths to files outside of the store's folders.
@Suite(.socketTimeLimit) struct HostilePathTests {
    /// A store, and a foreign file beside its folder.
    private struct Stage {
        let world: World
        let alice: Core
        var foreignFile: URL { world.directory.appending(path: "foreign") }

        init() async throws {
            world = try await World()
            alice = try await world.core("alice")
            try await alice.createUser("alice")
            try alice.writeFile("own", sampleBytes(10))
            try Data("foreign".utf8).write(to: foreignFile)
            for folder in [alice.filesFolder, alice.controller.services.folders.paths.clientFolder] {
                try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
                try FileManager.default.createSymbolicLink(
                    atPath: folder + "/link",
                    withDestinationPath: foreignFile.path
                )
                try FileManager.default.createSymbolicLink(
                    atPath: folder + "/linked",
                    withDestinationPath: world.directory.path
                )
            }
        }

        var storedPaths: [String] {
            [
                foreignFile.path, "../../foreign", "link", "linked/foreign",
                alice.controller.services.folders.paths.clientFolder + "/linked/foreign", "../simplex_v1_chat.db",
            ]
        }

        /// Creates a note with a file, and returns the number of the item.
        func createNote(_ name: String) async throws -> Int64 {
            let answer = try await alice.run(
                #"/_create *1 json [{"msgContent":{"type":"file","text":""},"mentions":{},"fileSource":{"filePath":"\#(name)"}}]"#
            )
            return try #require(answer["chatItems"]?[0]?["chatItem"]?["meta"]?["itemId"]?.integerValue, "\(answer)")
        }

        func executeSQL(_ sql: String, _ values: [any DatabaseBindable & Sendable] = []) async throws {
            try await alice.controller.store.write { tx in try tx.db.execute(sql, values.map { $0 }) }
        }

        func expectNothingChanged() {
            #expect((try? String(contentsOf: foreignFile, encoding: .utf8)) == "foreign")
        }
    }

    @Test
    func `A file outside of the store's folders cannot be read or forwarded`() async throws {
        let stage = try await Stage()
        let item = try await stage.createNote("own")
        #expect(try await stage.alice.controller.chatFiles.openContents(of: 1, user: 1).size == 10)
        for path in stage.storedPaths {
            try await stage.executeSQL("UPDATE files SET file_path = ?, file_size = 7", [path])
            let error = await #expect(throws: ChatFiles.Refusal.self, "\(path)") {
                try await stage.alice.controller.chatFiles.openContents(of: 1, user: 1)
            }
            #expect(error?.reason == .notFound)
            #expect(try await stage.alice.run("/_forward *1 *1 \(item)")["chatItems"]?[0]?["chatItem"]?["file"] == nil)
            #expect(try await stage.alice.run("/fforward * 1").errorType == "fileNotFound", "\(path)")
        }
        #expect(stage.alice.fileNames == ["link", "linked", "own"])
        await stage.alice.controller.close()
    }

    @Test
    func `A received file is not written to a path outside of the store's folders`() async throws {
        let stage = try await Stage()
        for path in stage.storedPaths + [stage.world.directory.path + "/new", "linked/new"] where path != "link" {
            try await stage.executeSQL("DELETE FROM files")
            try await stage.alice.controller.store.write { tx in
                var file = try FileRecord.insert(
                    user: 1,
                    isSent: false,
                    .smp,
                    name: "x",
                    size: 3,
                    status: .rcvAccepted,
                    tx
                )
                (file.path, file.inlineMode, file.receivingStatus, file.task) = (
                    StoredPath(path, seal: [1]), .offer, .connected, .assemble
                )
                try file.store(tx)
                try tx.db.execute(
                    "INSERT INTO inline_chunks (file_id, chunk_no, bytes) VALUES (?, 1, ?)",
                    [file.fileId, [1, 2, 3]]
                )
            }
            try await waitUntil("the file was refused: \(path)") {
                try await stage.alice.controller.store.read {
                    try $0.query("SELECT 1 FROM files WHERE task <> 0").isEmpty
                }
            }
            stage.expectNothingChanged()
        }
        #expect(!FileManager.default.fileExists(atPath: stage.world.directory.path + "/new"))
        await stage.alice.controller.close()
    }

    @Test
    func `A file outside of the store's folders is never deleted`() async throws {
        let stage = try await Stage()
        for path in stage.storedPaths {
            try await stage.executeSQL("INSERT INTO retired_files (file_path, is_sent) VALUES (?, 1)", [path])
            #expect(
                !stage.alice.controller.services.fileObjects.removeIfUnchanged(path, FileStamp(size: 7, modified: 0))
            )
        }
        try await stage.alice.controller.findWorker(FileWorker.self).removeLeftoverFiles()
        stage.expectNothingChanged()
        #expect(
            FileManager.default.fileExists(
                atPath: stage.alice.controller.services.folders.dataDirectory + "/simplex_v1_chat.db"
            )
        )
        #expect(try await stage.alice.controller.store.read { try $0.query("SELECT 1 FROM retired_files").isEmpty })
        await stage.alice.controller.close()
    }

    @Test
    func `A stored file name with a folder is replaced by a name inside the store's folder for files`() async throws {
        let stage = try await Stage()
        try await stage.alice.controller.store.write { tx in
            let folders = stage.alice.controller.services.folders.paths
            #expect(try FileRecord.choosePath(for: "../../new", at: nil, of: nil, folders, tx) == StoredPath("new"))
            try tx.db.execute(
                "INSERT INTO partial_uploads (upload_id, user_id, file_name, updated_at) VALUES ('../../../foreign', 1, 'x', 0), ('up', 1, '../../new', 0)"
            )
            #expect(try PartialUploads.find("../../../foreign", user: 1, in: folders.uploadsFolder, tx.db) == nil)
            #expect(try PartialUploads.find("up", user: 1, in: folders.uploadsFolder, tx.db)?.name == "new")
        }
        await stage.alice.controller.close()
    }

    @Test
    func `A file outside of the store's folders does not count as an upload in the limit of file bytes`() async throws {
        let stage = try await Stage()
        func bytes() async throws -> Int64 {
            try await stage.alice.controller.store.read { try stage.alice.controller.store.quota.readSpaceForFiles($0) }
                .bytes ?? 0
        }
        stage.alice.controller.store.quota.setLimits(StoreLimits([.fileBytes: 1_000]))
        for path in stage.storedPaths {
            try await stage.executeSQL(
                "INSERT INTO uploads (file_path, user_id, created_at) VALUES (?, 1, ?)",
                [path, Timestamp.now.nanoseconds]
            )
        }
        #expect(try await bytes() == 1_000)
        await stage.alice.controller.close()
    }

    @Test
    func `After a store is exported and imported, its messages do not lead to files outside of its folders`()
        async throws
    {
        let stage = try await Stage()
        _ = try await stage.createNote(stage.foreignFile.path)
        #expect(
            try await stage.alice.controller.chatFiles.openContents(of: 1, user: 1).read(at: 0, count: 9)
                == Array("foreign".utf8)
        )
        let archive = stage.world.directory.appending(path: "export.zip").path
        try await stage.alice.run("/_stop")
        for command in ["export", "import"] {
            #expect(
                try await stage.alice.run(#"/_db \#(command) {"archivePath":"\#(archive)"}"#)["type"]
                    == .string("archive\(command.capitalized)ed")
            )
        }
        await stage.alice.controller.close()
        let imported = try await stage.world.core("alice")
        let error = await #expect(throws: ChatFiles.Refusal.self) {
            try await imported.controller.chatFiles.openContents(of: 1, user: 1)
        }
        #expect(error?.reason == .notFound)
        await imported.controller.close()
    }

    @Test
    func `A remote host's folder outside of the store's folders is neither used nor removed with the host`()
        async throws
    {
        let stage = try await Stage()
        let hosts = stage.alice.controller.services.folders.paths.remoteHostsFolder
        try FileManager.default.createDirectory(atPath: hosts, withIntermediateDirectories: true)
        try FileManager.default.createSymbolicLink(
            atPath: hosts + "/linked",
            withDestinationPath: stage.alice.filesFolder
        )
        try await stage.alice.controller.store.write { tx in
            let pairing = try HostPairing.generate()
            for number in 1...2 as ClosedRange<UInt8> {
                _ = try RemoteHostRecord.insert(
                    pairing,
                    fingerprint: [number],
                    key: X25519.PrivateKey().publicKey,
                    name: "phone",
                    nil,
                    nil,
                    tx
                )
            }
            for (id, path) in [(1, "../files"), (2, "linked")] as [(Int64, String)] {
                try tx.db.execute("UPDATE remote_hosts SET store_path = ? WHERE remote_host_id = ?", [path, id])
                #expect(throws: FileSystemError.self) {
                    try RemoteHostRecord.get(id, in: tx.db).resolveFolder(in: hosts)
                }
            }
        }
        for id in 1...2 { #expect(try await stage.alice.run("/delete remote host \(id)")["type"] == "cmdOk") }
        #expect(stage.alice.readStoredFile("own") == sampleBytes(10))
        await stage.alice.controller.close()
    }
}
