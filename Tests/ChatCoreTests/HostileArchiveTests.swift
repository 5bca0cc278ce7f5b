import Foundation
import JSON
import NIOPosix
import SimpleXCrypto
import TestSupport
import Testing
import ZIP

@testable import ChatCore
@testable import ForeignData
@testable import SQLCipher

/// Archives and copies whose databases an attacker has changed.
@Suite(.socketTimeLimit) struct HostileArchiveTests {
    private final class TestStoreFolder: Sendable {
        let path = FileManager.default.temporaryDirectory.appending(path: "hostile-\(UUID().uuidString)").path
        let world: World
        static let databaseKey = DatabaseKey.raw([UInt8](repeating: 5, count: 32))

        init() async throws {
            world = try await World()
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        }

        deinit { try? FileManager.default.removeItem(atPath: path) }

        func openCore(_ change: (inout ChatConfiguration) -> Void = { _ in }) async throws -> Core {
            var configuration = ChatConfiguration(
                dataDirectory: path,
                databaseKey: Self.databaseKey,
                servers: [world.relay.address]
            )
            change(&configuration)
            return Core(
                try await ChatController.open(configuration, group: MultiThreadedEventLoopGroup.singleton),
                in: world
            )
        }

        var fileNames: [String] { (try? FileManager.default.contentsOfDirectory(atPath: path).sorted()) ?? [] }

        /// Makes a store with a profile, and its archive. Without a passphrase, the archive has the key of the store:
        /// the derivation of keys would take half of the time of the tests.
        func makeArchive(passphrase: String? = nil) async throws -> String {
            let core = try await openCore()
            try await core.createUser("alice")
            let archive = path + "/export.zip"
            let secret = passphrase.map { #","passphrase":"\#($0)""# } ?? ""
            #expect(
                try await core.run(#"/_db export {"archivePath":"\#(archive)"\#(secret)}"#)["type"] == "archiveExported"
            )
            await core.controller.close()
            return archive
        }

        /// Returns a copy of the archive with one changed database.
        func makeChangedCopy(
            _ archive: String,
            _ database: String,
            _ statements: [String],
            passphrase: String? = nil
        ) throws -> String {
            let zip = try ZIPReader(path: archive)
            var sources: [ZIPWriter.SourceFile] = []
            for entry in zip.entries where entry.name.hasSuffix(".db") {
                try zip.unpackEntry(entry, to: path + "/" + entry.name + ".edited")
                sources.append(ZIPWriter.SourceFile(path: path + "/" + entry.name + ".edited", name: entry.name))
            }
            let key = passphrase.map { DatabaseKey.passphrase($0) } ?? Self.databaseKey
            try Self.changeDatabase("\(path)/simplex_v1_\(database).db.edited", key, statements)
            try ZIPWriter.writeDirectly(sources, to: path + "/edited.zip", compressed: true)
            for source in sources { try FileManager.default.removeItem(atPath: source.path) }
            return path + "/edited.zip"
        }

        static func changeDatabase(_ file: String, _ key: DatabaseKey, _ statements: [String]) throws {
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

        func queryRows(_ database: String, _ sql: String) async throws -> [[DatabaseValue]] {
            try await Database.read(at: "\(path)/simplex_v1_\(database).db", key: Self.databaseKey) {
                try $0.query(sql).map(\.values)
            }
        }
    }

    private func userNames(_ core: Core) async throws -> [String] {
        try await core.run("/users")["users"]?.arrayValue?.compactMap { $0["user"]?["localDisplayName"]?.stringValue }
            ?? []
    }

    private static let schemaSQL =
        "SELECT type, name, sql FROM sqlite_master WHERE name NOT LIKE 'sqlite_%' ORDER BY type, name"

    /// The archive of another store, and the schemas of its databases.
    private static let foreignArchive = Task {
        let home = try await TestStoreFolder()
        let archive = try Data(contentsOf: URL(filePath: await home.makeArchive()))
        await home.world.relay.stopAndWait()
        return (
            archive: archive, chat: try await home.queryRows("chat", schemaSQL),
            agent: try await home.queryRows("agent", schemaSQL)
        )
    }

    @Test(arguments: HostileEdit.all)
    func `A hostile archive is imported without its hostile parts, or refused with the reason`(
        edit: HostileEdit
    ) async throws {
        let (home, foreign) = (try await TestStoreFolder(), try await Self.foreignArchive.value)
        try foreign.archive.write(to: URL(filePath: home.path + "/foreign.zip"))
        let archive = try home.makeChangedCopy(home.path + "/foreign.zip", edit.database, edit.statements)
        var core = try await home.openCore()
        try await core.createUser("kept")
        let answer = try await core.run(#"/_db import {"archivePath":"\#(archive)"}"#)
        #expect(!home.fileNames.contains("simplex_v1_replacement"))
        switch edit.outcome {
        case .refused(let reason):
            #expect("\(answer)".contains(reason), "\(answer)")
            #expect(try await userNames(core) == ["kept"])
            #expect(try await core.run("/_start main=on") == ["type": "chatStarted"])
            try await core.createUser("next")
        case .accepted:
            #expect(answer["type"] == "archiveImported", "\(answer)")
            await core.controller.close()
            #expect(try await home.queryRows("chat", Self.schemaSQL) == foreign.chat)
            #expect(try await home.queryRows("agent", Self.schemaSQL) == foreign.agent)
            core = try await home.openCore()
            try await core.controller.start()
            #expect(try await userNames(core) == ["alice"])
            try await core.createUser("next")
            await core.controller.close()
            try await expectNoEditedPaths(in: home)
            core = try await home.openCore()
            #expect(try await userNames(core) == ["alice", "next"])
        }
        await core.controller.close()
    }

    /// Expects that the databases contain no path of the edits.
    private func expectNoEditedPaths(in home: TestStoreFolder) async throws {
        #expect(try await home.queryRows("chat", "SELECT 1 FROM files WHERE file_path LIKE '/%'") == [])
        #expect(
            try await home.queryRows(
                "agent",
                """
                SELECT 1 FROM snd_files WHERE source_path LIKE '%/%'
                UNION ALL SELECT 1 FROM rcv_files WHERE target_path LIKE '%/%'
                """
            ) == []
        )
    }

    @Test
    func `Wallpapers with a bad name, a bad format or too many bytes are left out of an import`() async throws {
        let home = try await TestStoreFolder()
        let insert = "INSERT INTO wallpapers (user_id, file_name, content, created_at) VALUES"
        let archive = try await home.makeChangedCopy(
            home.makeArchive(passphrase: "way"),
            "chat",
            [
                "\(insert) (1, 'good.jpg', x'ffd8ff00', 0)", "\(insert) (1, '../bad.jpg', x'ffd8ff00', 0)",
                "\(insert) (1, 'svg.jpg', x'3c737667', 0)", "\(insert) (1, 'text.jpg', 'ffd8ff00', 0)",
                "\(insert) (1, 'large.jpg', CAST(x'ffd8ff' || zeroblob(\(ChatWallpapers.maxPictureBytes)) AS BLOB), 0)",
            ],
            passphrase: "way"
        )
        let core = try await home.openCore()
        let answer = try await core.run(#"/_db import {"archivePath":"\#(archive)","passphrase":"way"}"#)
        #expect(answer["type"] == "archiveImported", "\(answer)")
        await core.controller.close()
        #expect(try await home.queryRows("chat", "SELECT file_name FROM wallpapers").count == 1)
    }

    @Test
    func `The answer to the import of an archive names the triggers and tables that were left out`() async throws {
        let home = try await TestStoreFolder()
        let archive = try await home.makeChangedCopy(
            home.makeArchive(passphrase: "way"),
            "chat",
            ["CREATE TRIGGER \"a\nb\" AFTER INSERT ON users BEGIN SELECT 1; END", "CREATE TABLE other (a)"],
            passphrase: "way"
        )
        let core = try await home.openCore()
        let answer = try await core.run(#"/_db import {"archivePath":"\#(archive)","passphrase":"way"}"#)
        let told = answer["archiveErrors"]?.arrayValue?.compactMap { $0["importError"]?.stringValue } ?? []
        #expect(Set(told) == ["left behind: trigger a?b", "left behind: table other"], "\(answer)")
        await core.controller.close()
    }

    /// The reader is started four times, twice for each of the two databases: for the names of migrations, and for the
    /// rows.
    @Test(
        .faultTests,
        arguments: 1...4,
        [0, 300]
    )
    func `An import fails with a reason if the process that reads the archive is killed at any step`(
        step: Int,
        bytes: Int
    ) async throws {
        let home = try await TestStoreFolder()
        let archive = try await home.makeArchive()
        let script = home.path + "/reader"
        let reader = try #require(ReaderProgram.installedProgram.path)
        try Data(
            """
            printf x >> '\(home.path)/steps'
            [ "$(wc -c < '\(home.path)/steps')" -eq \(step) ] || exec '\(reader)' \(ForeignReader.readerArgument)
            '\(reader)' \(ForeignReader.readerArgument) | head -c \(bytes)
            kill -9 $$
            """.utf8
        ).write(to: URL(filePath: script))
        let core = try await home.openCore {
            $0.readerProgram = ReaderProgram("/bin/sh", arguments: [script], silence: 60_000)
        }
        try await core.createUser("next")
        let answer = try await core.run(#"/_db import {"archivePath":"\#(archive)"}"#)
        #expect("\(answer)".contains("was ended by signal 9"), "\(answer)")
        #expect(!home.fileNames.contains("simplex_v1_replacement"))
        #expect(try await userNames(core) == ["alice", "next"])
        // The next archive is read to its end.
        #expect(
            try await core.run(#"/_db import {"archivePath":"\#(archive)"}"#)["type"]
                == "archiveImported"
        )
        await core.controller.close()
    }

    @Test
    func `An archive of the last version before the first release is imported, and a store of this version is refused`()
        async throws
    {
        let home = try await TestStoreFolder()
        let archive = try await home.makeArchive(passphrase: "way")
        let rename = [
            "DELETE FROM migrations WHERE name <> (SELECT min(name) FROM migrations)",
            "UPDATE migrations SET name = '\(ForeignStore.lastDevelopmentMigration)'",
        ]
        // Makes the schema of the development version: without the tables of later migrations, and with columns that
        // the first released schema does not have.
        let wallpaperTriggers = [
            "users_themes_changed", "contacts_themes_changed", "groups_themes_changed", "contacts_themes_deleted",
            "groups_themes_deleted", "users_themes_set", "contacts_themes_set", "groups_themes_set",
        ]
        let chat =
            wallpaperTriggers.map { "DROP TRIGGER \($0)" } + [
                "DROP TABLE wallpapers", "DROP TABLE planned_receivers", "DROP TABLE planned_messages",
                "CREATE TABLE delivery_items (delivery_id INTEGER)",
                "ALTER TABLE connections ADD COLUMN conn_type TEXT NOT NULL DEFAULT 'contact'",
                "ALTER TABLE messages ADD COLUMN shared_msg_id BLOB",
                "ALTER TABLE messages ADD COLUMN agent_msg_id INTEGER",
            ]
        let agent = [
            "DROP TABLE client_services", "ALTER TABLE ntf_subscriptions ADD COLUMN status TEXT NOT NULL DEFAULT 'NEW'",
        ]
        let edited = try home.makeChangedCopy(archive, "chat", rename + chat, passphrase: "way")
        try FileManager.default.moveItem(atPath: edited, toPath: archive + ".chat")
        let both = try home.makeChangedCopy(archive + ".chat", "agent", rename + agent, passphrase: "way")
        let core = try await home.openCore()
        let answer = try await core.run(#"/_db import {"archivePath":"\#(both)","passphrase":"way"}"#)
        #expect(answer["type"] == "archiveImported", "\(answer)")
        let told = answer["archiveErrors"]?.arrayValue?.compactMap { $0["importError"]?.stringValue }
        #expect(told == ["left behind: table delivery_items"], "\(answer)")
        await core.controller.close()
        let again = try await home.openCore()
        #expect(try await userNames(again) == ["alice"])
        await again.controller.close()

        try TestStoreFolder.changeDatabase("\(home.path)/simplex_v1_chat.db", TestStoreFolder.databaseKey, rename)
        let error = await #expect(throws: ChatOpenError.self) { _ = try await home.openCore() }
        guard case .database(.unknownSchema) = error else {
            return #expect(Bool(false), "\(String(describing: error))")
        }
    }

    @Test
    func `A symbolic link in an archive is unpacked as a regular file with the target as its text`() async throws {
        let home = try await TestStoreFolder()
        let zip = try ZIPReader(path: await home.makeArchive(passphrase: "way"))
        try Data("/etc/hostname".utf8).write(to: URL(filePath: home.path + "/text"))
        for entry in zip.entries { try zip.unpackEntry(entry, to: home.path + "/" + entry.name + ".edited") }
        let sources = zip.entries.map {
            ZIPWriter.SourceFile(path: home.path + "/" + $0.name + ".edited", name: $0.name)
        }
        let path = home.path + "/links.zip"
        let file = ZIPWriter.SourceFile(path: home.path + "/text", name: "simplex_v1_files/a")
        try ZIPWriter.writeDirectly(sources + [file], to: path, compressed: true)
        var bytes = [UInt8](try Data(contentsOf: URL(filePath: path)))
        // The mode bits in the entries of the ZIP directory mark a link. The end of the archive has the position of the
        // directory.
        let directory = bytes.suffix(6).prefix(4).reversed().reduce(0) { $0 << 8 | Int($1) }
        let entry: [UInt8] = [0x50, 0x4B, 1, 2]
        let starts = (directory..<bytes.count - 46).filter { bytes[$0..<$0 + 4].elementsEqual(entry) }
        #expect(starts.count == sources.count + 1)
        for start in starts {
            bytes[start + 5] = 3
            bytes.replaceSubrange(start + 38..<start + 42, with: [0, 0, 0xFF, 0xA1])
        }
        try Data(bytes).write(to: URL(filePath: path))
        let core = try await home.openCore()
        let answer = try await core.run(#"/_db import {"archivePath":"\#(path)","passphrase":"way"}"#)
        #expect(answer["type"] == "archiveImported", "\(answer)")
        await core.controller.close()
        let facts = try FileManager.default.attributesOfItem(atPath: home.path + "/files/a")
        #expect(facts[.type] as? FileAttributeType == .typeRegular)
        #expect(FileManager.default.contents(atPath: home.path + "/files/a") == Data("/etc/hostname".utf8))
    }

    @Test
    func `Closing a store ends the reading of an archive`() async throws {
        let home = try await TestStoreFolder()
        let archive = try await home.makeArchive(passphrase: "way")
        let script = home.path + "/reader"
        try Data("printf x > '\(home.path)/begun'; exec sleep 600".utf8).write(to: URL(filePath: script))
        let core = try await home.openCore {
            $0.readerProgram = ReaderProgram("/bin/sh", arguments: [script], silence: 600_000)
            $0.statementTimeout = .zero
        }
        async let answer = core.run(#"/_db import {"archivePath":"\#(archive)","passphrase":"way"}"#)
        try await waitUntil("the archive is being read") { home.fileNames.contains("begun") }
        await core.controller.close()
        #expect("\(try await answer)".contains("the reading was stopped"))
        #expect(!home.fileNames.contains("simplex_v1_replacement"))
    }

    // MARK: Copies

    /// Makes the folder of a store in the form of a copy.
    private func makeCopy() async throws -> (home: TestStoreFolder, copied: CopiedDatabases) {
        let home = try await TestStoreFolder()
        let core = try await home.openCore()
        try await core.createUser("alice")
        await core.controller.close()
        return (home, CopiedDatabases(folder: home.path))
    }

    @discardableResult
    private func takeOverCopy(_ copied: CopiedDatabases, objects: String? = nil) async throws -> [String] {
        try await copied.takeOverRows(
            key: TestStoreFolder.databaseKey,
            objects: objects,
            program: .installedProgram,
            reading: ForeignReads()
        )
    }

    @Test(arguments: 0..<6)
    func `If the takeover of a copied store is interrupted at any step, the next start completes the takeover`(
        step: Int
    ) async throws {
        let (home, copied) = try await makeCopy()
        try copied.renameToCopied()
        #expect(copied.hasFiles && !home.fileNames.contains("simplex_v1_chat.db"))
        let replacement = StoreReplacement(prefix: home.path + "/simplex_v1")
        let databases = ["chat", "agent"].map { "\(home.path)/simplex_v1_\($0).db" }
        if step > 0 { try replacement.createFolder() }
        if step > 1 {
            for (file, target) in zip(copied.databasePaths, [replacement.chatPath, replacement.agentPath]) {
                try FileManager.default.copyItem(atPath: file, toPath: target)
            }
        }
        if step > 2 { try replacement.commit(.kept, folders: LocalFolders(dataDirectory: home.path).paths) }
        if step > 3 { #expect(rename(replacement.chatPath, databases[0]) == 0) }
        if step > 4 { try replacement.finish() }
        try await takeOverCopy(copied)
        #expect(!copied.hasFiles && !home.fileNames.contains("simplex_v1_replacement"))
        let core = try await home.openCore()
        #expect(try await userNames(core) == ["alice"])
        await core.controller.close()
    }

    @Test(arguments: HostileEdit.all)
    func `A hostile copy of a store is taken over without its hostile parts, or refused with the reason`(
        edit: HostileEdit
    ) async throws {
        let (home, copied) = try await makeCopy()
        try TestStoreFolder.changeDatabase(
            "\(home.path)/simplex_v1_\(edit.database).db",
            TestStoreFolder.databaseKey,
            edit.statements
        )
        try copied.renameToCopied()
        switch edit.outcome {
        case .refused(let reason):
            let failure = await #expect(throws: ChatOpenError.self) { try await takeOverCopy(copied) }
            #expect(failure?.description.contains(reason) == true, "\(String(describing: failure))")
            #expect(
                copied.hasFiles && !home.fileNames.contains("simplex_v1_chat.db")
                    && !home.fileNames.contains("simplex_v1_replacement")
            )
        case .accepted:
            try await takeOverCopy(copied)
            let core = try await home.openCore()
            try await core.controller.start()
            try await core.createUser("next")
            #expect(try await userNames(core) == ["alice", "next"])
            await core.controller.close()
            try await expectNoEditedPaths(in: home)
        }
    }

    @Test
    func `At the takeover of a copied store, the write-ahead log of each database is written into the database`()
        async throws
    {
        let home = try await TestStoreFolder(), folder = home.path + "/copy"
        let core = try await home.openCore()
        try await core.createUser("alice")
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        for name in home.fileNames where name.hasSuffix(".db") || name.hasSuffix(".db-wal") {
            try FileManager.default.copyItem(atPath: home.path + "/" + name, toPath: folder + "/" + name)
        }
        await core.controller.close()
        let copied = CopiedDatabases(folder: folder)
        try copied.renameToCopied()
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: folder).sorted() == [
                "simplex_v1_agent.db.copied", "simplex_v1_chat.db.copied",
            ]
        )
        try await takeOverCopy(copied)
        let names = try await Database.read(at: folder + "/simplex_v1_chat.db", key: TestStoreFolder.databaseKey) {
            try $0.query("SELECT local_display_name FROM users").map { try $0.string(0) }
        }
        #expect(names == ["alice"])
    }

    @Test
    func `An unfinished database replacement in a copied store changes no folder outside of the copy`()
        async throws
    {
        let (home, copied) = try await makeCopy()
        let outside = home.path + "-outside"
        defer { try? FileManager.default.removeItem(atPath: outside) }
        for folder in [
            outside, home.path + "/simplex_v1_replacement/files", home.path + "/simplex_v1_replacement/assets",
        ] {
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        }
        try Data("a".utf8).write(to: URL(filePath: outside + "/a"))
        try Data("b".utf8).write(to: URL(filePath: home.path + "/simplex_v1_replacement/files/b"))
        try Data("k".utf8).write(to: URL(filePath: home.path + "/simplex_v1_paths.key"))
        for what in ["removed", "added"] {
            let order: JSONValue = [
                "replaced": .string(what), "files": .string(outside), "assets": .string(outside), "hasDatabases": true,
            ]
            try FileManager.default.createDirectory(
                atPath: home.path + "/simplex_v1_replacement/files",
                withIntermediateDirectories: true
            )
            try Data(order.encodeText()).write(to: URL(filePath: home.path + "/simplex_v1_replacement/commit"))
            try copied.renameToCopied()
            #expect(try FileManager.default.contentsOfDirectory(atPath: outside) == ["a"])
        }
        #expect(!home.fileNames.contains("simplex_v1_paths.key") && !home.fileNames.contains("simplex_v1_replacement"))
    }

    @Test
    func `A copied store keeps its own keys in the object storage, and drops the keys of other stores`() async throws {
        let (home, copied) = try await makeCopy()
        let (own, other) = (ObjectKey.makeKey(in: "aaaaaaaaaaaaaaa"), ObjectKey.makeKey(in: "bbbbbbbbbbbbbbb"))
        let keys = [
            own, other, "aaaaaaaaaaaaaaa/../bbbbbbbbbbbbbbb/x", "aaaaaaaaaaaaaaa/", own + "/..",
            String(own.dropLast()) + "=", "aaaaaaaaaaaaaaa/" + other,
        ]
        try TestStoreFolder.changeDatabase(
            home.path + "/simplex_v1_chat.db",
            TestStoreFolder.databaseKey,
            keys.map { "INSERT INTO stored_objects (object_key, object_state) VALUES ('\($0)', 2)" }
        )
        try copied.renameToCopied()
        try await takeOverCopy(copied, objects: "aaaaaaaaaaaaaaa")
        #expect(try await home.queryRows("chat", "SELECT object_key FROM stored_objects") == [[.text(own)]])
    }

    @Test
    func `The databases of an app's profile are not accepted as a copy of a store`() async throws {
        let home = try await TestStoreFolder()
        for name in ["chat", "agent"] {
            try Data(Fixture.readContents("apps/\(name)-7.0.db.zst")).write(
                to: URL(filePath: "\(home.path)/simplex_v1_\(name).db")
            )
        }
        let copied = CopiedDatabases(folder: home.path)
        try copied.renameToCopied()
        let failure = await #expect(throws: ChatOpenError.self) { try await takeOverCopy(copied) }
        #expect(failure?.description.contains("a profile of an app") == true)
    }

    @Test
    func `A copy of a store that lacks one of its two databases is refused`() async throws {
        let (home, copied) = try await makeCopy()
        try FileManager.default.removeItem(atPath: home.path + "/simplex_v1_agent.db")
        #expect(throws: ChatOpenError.self) { try copied.renameToCopied() }
    }
}
