import Foundation
import JSON
import NIOPosix
import SimpleXCrypto
import SQLCipher
import TestSupport
import Testing
import ZIP

@testable import ChatCore

@Suite(.socketTimeLimit) struct DatabaseTests {
    /// A store on disk that a test opens, changes and opens again.
    private final class TestStoreFolder: Sendable {
        let path: String
        let world: World

        init() async throws {
            world = try await World()
            path = FileManager.default.temporaryDirectory.appending(path: "store-\(UUID().uuidString)").path
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        }

        deinit { try? FileManager.default.removeItem(atPath: path) }

        func openCore(_ key: DatabaseKey, _ change: (inout ChatConfiguration) -> Void = { _ in }) async throws -> Core {
            var configuration = ChatConfiguration(dataDirectory: path, databaseKey: key, servers: [world.relay.address])
            change(&configuration)
            return Core(
                try await ChatController.open(configuration, group: MultiThreadedEventLoopGroup.singleton),
                in: world
            )
        }

        var fileNames: [String] { (try? FileManager.default.contentsOfDirectory(atPath: path).sorted()) ?? [] }
    }

    private func userNames(_ core: Core) async throws -> [String] {
        try await core.run("/users")["users"]?.arrayValue?.compactMap { $0["user"]?["localDisplayName"]?.stringValue }
            ?? []
    }

    private static let notStoppedError: JSONValue = ["type": "error", "errorType": ["type": "chatNotStopped"]]
    private static let storeChangedError: JSONValue = ["type": "error", "errorType": ["type": "chatStoreChanged"]]

    @Test
    func `After a change of the database key, only the new key opens the store`() async throws {
        let home = try await TestStoreFolder()
        var core = try await home.openCore(.none)
        try await core.createUser("alice")
        try await core.controller.start()
        #expect(try await core.run(#"/_db encryption {"currentKey":"","newKey":"abc"}"#) == Self.notStoppedError)
        #expect(try await core.run(#"/_db export {"archivePath":"\#(home.path)/x.zip"}"#) == Self.notStoppedError)
        #expect(try await core.run("/_db delete") == Self.notStoppedError)
        try await core.run("/_stop")
        #expect(
            try await core.run(#"/_db encryption {"currentKey":"abc","newKey":"def"}"#)
                == ["type": "errorDatabase", "databaseError": ["type": "errorPlaintext"]]
        )
        #expect(try await core.run(#"/_db encryption {"currentKey":"","newKey":"abc"}"#) == ["type": "cmdOk"])
        #expect(try await core.run("/db test key abc") == ["type": "cmdOk"])
        #expect(
            try await core.run("/db test key wrong")
                == [
                    "type": "errorDatabase",
                    "databaseError": ["type": "errorOpen", "sqliteError": ["type": "errorNotADatabase"]],
                ]
        )
        // A wrong current key is refused, even if the new key is equal to the wrong key.
        for new in ["def", "wrong"] {
            #expect(
                try await core.run(#"/_db encryption {"currentKey":"wrong","newKey":"\#(new)"}"#)
                    == [
                        "type": "errorDatabase",
                        "databaseError": ["type": "errorExport", "sqliteError": ["type": "errorNotADatabase"]],
                    ]
            )
        }
        for new in ["def", ""] {
            #expect(
                try await core.run(#"/_db encryption {"currentKey":"","newKey":"\#(new)"}"#) == [
                    "type": "errorDatabase", "databaseError": ["type": "errorEncrypted"],
                ]
            )
        }
        #expect(try await core.run(#"/_db encryption {"currentKey":"abc","newKey":"abc"}"#) == ["type": "cmdOk"])
        #expect(try await core.run(#"/_db encryption {"currentKey":"abc","newKey":"def"}"#) == ["type": "cmdOk"])
        #expect(try await core.run("/_start main=on") == Self.storeChangedError)
        #expect(try await core.run("/users") == Self.storeChangedError)
        #expect(try await core.run("/_check running") == ["type": "chatStopped"])
        await core.controller.close()
        for wrong in [DatabaseKey.none, .passphrase("abc")] {
            await #expect(throws: ChatOpenError.self) { try await home.openCore(wrong) }
        }
        core = try await home.openCore(.passphrase("def"))
        #expect(try await userNames(core) == ["alice"])
        #expect(try await core.run(#"/_db encryption {"currentKey":"def","newKey":""}"#) == ["type": "cmdOk"])
        await core.controller.close()
        core = try await home.openCore(.none)
        #expect(try await userNames(core) == ["alice"])
        await core.controller.close()
    }

    @Test
    func `An archive that is encrypted with its own passphrase is imported into a store with another key`() async throws
    {
        let home = try await TestStoreFolder()
        let core = try await home.openCore(.raw(Array(repeating: 7, count: 32)))
        try await core.createUser("alice")
        try await core.controller.start()
        let path = home.path + "/export.zip"
        #expect(
            try await core.run(#"/_db export {"archivePath":"\#(path)","passphrase":"moving","whileRunning":true}"#)
                == ["type": "archiveExported", "archiveErrors": []]
        )
        // The chat still accepts commands after the export.
        try await core.createUser("bob")
        await core.controller.close()
        let other = try await TestStoreFolder()
        var imported = try await other.openCore(.passphrase("key"))
        for wrong in ["", #","passphrase":"stolen""#] {
            #expect(
                try await imported.run(#"/_db import {"archivePath":"\#(path)"\#(wrong)}"#)["databaseError"]?["type"]
                    == "errorOpen"
            )
        }
        #expect(
            try await imported.run(#"/_db import {"archivePath":"\#(path)","passphrase":"moving"}"#) == [
                "type": "archiveImported", "archiveErrors": [],
            ]
        )
        await imported.controller.close()
        imported = try await other.openCore(.passphrase("key"))
        #expect(try await userNames(imported) == ["alice"])
        await imported.controller.close()
    }

    @Test
    func `The write-ahead logs of both databases are checkpointed while the chat runs`() async throws {
        let home = try await TestStoreFolder()
        let core = try await home.openCore(.none) { $0.logWriteBackInterval = .milliseconds(20) }
        try await core.createUser("alice")
        try await core.controller.start()
        for name in ["_chat.db", "_agent.db"] {
            try await waitUntil("\(name) is written back") {
                let log = try FileManager.default.attributesOfItem(atPath: home.path + "/simplex_v1\(name)-wal")
                return log[.size] as? Int == 0
            }
        }
        await core.controller.close()
    }

    @Test
    func `The import of an archive replaces the databases and the files of a store`() async throws {
        let home = try await TestStoreFolder()
        var core = try await home.openCore(.passphrase("key"))
        try await core.createUser("alice")
        try FileManager.default.createDirectory(atPath: home.path + "/files", withIntermediateDirectories: true)
        try Data("picture".utf8).write(to: URL(filePath: home.path + "/files/picture.jpg"))
        let path = home.path + "/export.zip"
        #expect(
            try await core.run(#"/_db export {"archivePath":"\#(path)"}"#) == [
                "type": "archiveExported", "archiveErrors": [],
            ]
        )
        #expect(
            try ZIPReader(path: path).entries.map(\.name) == [
                "simplex_v1_chat.db", "simplex_v1_agent.db", "simplex_v1_files/picture.jpg",
            ]
        )
        #expect(try await core.run(#"/_db export {"archivePath":"\#(path)"}"#).errorType == "exception")
        #expect(
            try await core.run(#"/_db export {"archivePath":"/nonexistent/x.zip"}"#)["errorType"]?["message"]
                == "/nonexistent: openBinaryTempFile: does not exist (No such file or directory)"
        )
        #expect(
            try await core.run(#"/_db import {"archivePath":"/nonexistent/x.zip"}"#)["errorType"]?["message"]
                == "/nonexistent/x.zip: withBinaryFile: does not exist (No such file or directory)"
        )
        try FileManager.default.removeItem(atPath: home.path + "/files/picture.jpg")
        try await core.createUser("bob")
        #expect(try await userNames(core) == ["alice", "bob"])
        #expect(
            try await core.run(#"/_db import {"archivePath":"\#(path)"}"#) == [
                "type": "archiveImported", "archiveErrors": [],
            ]
        )
        #expect(try await core.run("/users") == Self.storeChangedError)
        await core.controller.close()
        core = try await home.openCore(.passphrase("key"))
        #expect(try await userNames(core) == ["alice"])
        #expect(try Data(contentsOf: URL(filePath: home.path + "/files/picture.jpg")) == Data("picture".utf8))
        #expect(!home.fileNames.contains("simplex_v1_replacement"))
        await core.controller.close()
    }

    @Test
    func `A deleted store has no files, and can be restored from an archive without a restart`() async throws {
        let home = try await TestStoreFolder()
        var core = try await home.openCore(.passphrase("key"))
        try await core.createUser("alice")
        let path = home.path + "/export.zip"
        try await core.run(#"/_db export {"archivePath":"\#(path)"}"#)
        #expect(try await core.run("/_db delete") == ["type": "cmdOk"])
        #expect(home.fileNames == ["export.zip"])
        #expect(try await core.run("/db test key key")["databaseError"]?["type"] == "errorNoFile")
        #expect(
            try await core.run(#"/_db import {"archivePath":"\#(path)"}"#) == [
                "type": "archiveImported", "archiveErrors": [],
            ]
        )
        await core.controller.close()
        core = try await home.openCore(.passphrase("key"))
        #expect(try await userNames(core) == ["alice"])
        try await core.run("/_db delete")
        await core.controller.close()
        core = try await home.openCore(.passphrase("another"))
        #expect(try await userNames(core).isEmpty)
        await core.controller.close()
    }

    @Test
    func `If the policy forbids creating databases, the deletion of a store leaves empty databases with the same key`()
        async throws
    {
        let home = try await TestStoreFolder()
        await (try await home.openCore(.passphrase("key"))).controller.close()
        var core = try await home.openCore(.passphrase("key")) { $0.missingDatabasePolicy = .refuse }
        try await core.createUser("alice")
        #expect(try await core.run("/_db delete") == ["type": "cmdOk"])
        #expect(home.fileNames == ["simplex_v1_agent.db", "simplex_v1_chat.db"])
        await core.controller.close()
        await #expect(throws: ChatOpenError.self) {
            try await home.openCore(.passphrase("another")) { $0.missingDatabasePolicy = .refuse }
        }
        core = try await home.openCore(.passphrase("key")) { $0.missingDatabasePolicy = .refuse }
        #expect(try await userNames(core).isEmpty)
        try await core.createUser("bob")
        await core.controller.close()
    }

    @Test
    func `An archive that is truncated, invalid, incomplete, of a newer version or with another key is refused`()
        async throws
    {
        let home = try await TestStoreFolder()
        let other = try await TestStoreFolder()
        let core = try await home.openCore(.passphrase("key"))
        try await core.createUser("alice")
        let good = home.path + "/good.zip"
        try await core.run(#"/_db export {"archivePath":"\#(good)"}"#)
        let bytes = try Data(contentsOf: URL(filePath: good))
        try bytes.prefix(bytes.count / 2).write(to: URL(filePath: home.path + "/cut.zip"))
        try Data("no archive".utf8).write(to: URL(filePath: home.path + "/none.zip"))
        let foreign = try await other.openCore(.passphrase("other key"))
        try await foreign.run(#"/_db export {"archivePath":"\#(home.path)/foreign.zip"}"#)
        await foreign.controller.close()
        let newer = try await other.openCore(.passphrase("other key"))
        await newer.controller.close()
        let database = try await Database.open(
            at: other.path + "/simplex_v1_agent.db",
            key: .passphrase("other key"),
            create: false,
            migrates: false
        )
        try await database.write { try $0.execute("INSERT INTO migrations (name) VALUES ('29991231_later')") }
        try await database.rekey(to: .passphrase("key"))
        await database.close()
        // The latest data of the open store are still in the write-ahead log, so the test takes the databases from the
        // archive.
        let exported = home.path + "/exported"
        try FileManager.default.createDirectory(atPath: exported, withIntermediateDirectories: true)
        let zip = try ZIPReader(path: good)
        for entry in zip.entries { try zip.unpackEntry(entry, to: exported + "/" + entry.name) }
        for (name, files) in [("newer", ["chat": exported, "agent": other.path]), ("chat", ["chat": exported])] {
            let sources = files.sorted { $0.key < $1.key }.map { database, folder in
                ZIPWriter.SourceFile(path: "\(folder)/simplex_v1_\(database).db", name: "simplex_v1_\(database).db")
            }
            try ZIPWriter.writeDirectly(sources, to: "\(home.path)/\(name).zip", compressed: true)
        }
        for (name, error) in [
            ("cut", "exception"), ("none", "exception"), ("foreign", "errorOpen"), ("newer", "errorOpen"),
            ("chat", "exception"),
        ] {
            let answer = try await core.run(#"/_db import {"archivePath":"\#(home.path)/\#(name).zip"}"#)
            #expect((answer.errorType ?? answer["databaseError"]?["type"]?.stringValue) == error, "\(name): \(answer)")
            #expect(try await userNames(core) == ["alice"])
            #expect(!home.fileNames.contains("simplex_v1_replacement"))
        }
        #expect(try await core.run("/_start main=on") == ["type": "chatStarted"])
        await core.controller.close()
    }

    @Test
    func `An archive with the chat and agent databases of different stores is refused`() async throws {
        let (home, first, second) = (
            try await TestStoreFolder(), try await TestStoreFolder(), try await TestStoreFolder()
        )
        let core = try await home.openCore(.passphrase("key"))
        try await core.createUser("alice")
        for (store, name, isConnected) in [(first, "bob", true), (second, "carol", false)] {
            let other = try await store.openCore(.passphrase("key"))
            try await other.createUser(name)
            if isConnected {
                try await other.controller.start()
                try await #require(other.run("/_connect 1 incognito=off")["type"] == "invitation")
            }
            await other.controller.close()
        }
        for (name, chat, agent, isTaken) in [
            ("mixed", first, second, false), ("whole", first, first, true), ("empty", second, first, true),
        ] {
            let sources = [("agent", agent), ("chat", chat)].map {
                ZIPWriter.SourceFile(path: "\($1.path)/simplex_v1_\($0).db", name: "simplex_v1_\($0).db")
            }
            try ZIPWriter.writeDirectly(sources, to: "\(home.path)/\(name).zip", compressed: true)
            let answer = try await core.run(#"/_db import {"archivePath":"\#(home.path)/\#(name).zip"}"#)
            if isTaken {
                #expect(answer["type"] == "archiveImported", "\(name): \(answer)")
            } else {
                #expect(
                    answer["errorType"]?["message"]?.stringValue?.contains("databases belong to different stores")
                        == true,
                    "\(name): \(answer)"
                )
                #expect(try await userNames(core) == ["alice"])
            }
        }
        await core.controller.close()
    }

    @Test
    func `An archive with too large contents or a path out of its folder is refused before unpacking`() async throws {
        let home = try await TestStoreFolder()
        let core = try await home.openCore(.passphrase("key"))
        try await core.createUser("alice")
        try Data("x".utf8).write(to: URL(filePath: home.path + "/small"))
        _ = FileManager.default.createFile(atPath: home.path + "/zeros", contents: nil)
        #expect(truncate(home.path + "/zeros", 80 << 20) == 0)
        let databases = ["chat", "agent"].map {
            ZIPWriter.SourceFile(path: "\(home.path)/simplex_v1_\($0).db", name: "simplex_v1_\($0).db")
        }
        for (archive, file, name) in [
            ("bomb", "zeros", "simplex_v1_files/zeros"), ("up", "small", "simplex_v1_files/aa/up"),
        ] {
            try ZIPWriter.writeDirectly(
                databases + [ZIPWriter.SourceFile(path: "\(home.path)/\(file)", name: name)],
                to: "\(home.path)/\(archive).zip",
                compressed: true
            )
        }
        var bytes = [UInt8](try Data(contentsOf: URL(filePath: home.path + "/up.zip")))
        let (name, elsewhere) = (Array("simplex_v1_files/aa/up".utf8), Array("simplex_v1_files/../up".utf8))
        for start in 0...(bytes.count - name.count) where bytes[start..<start + name.count].elementsEqual(name) {
            bytes.replaceSubrange(start..<start + name.count, with: elsewhere)
        }
        try Data(bytes).write(to: URL(filePath: home.path + "/up.zip"))
        let names = home.fileNames
        for (archive, told) in [
            ("bomb", "its unpacked content is too large"),
            ("up", "the name simplex_v1_files/../up leads out of the archive"),
        ] {
            let answer = try await core.run(#"/_db import {"archivePath":"\#(home.path)/\#(archive).zip"}"#)
            #expect(answer["errorType"]?["message"]?.stringValue == "\(home.path)/\(archive).zip: \(told)", "\(answer)")
            #expect(try await userNames(core) == ["alice"])
            #expect(home.fileNames == names)
        }
        await core.controller.close()
    }

    @Test
    func `Unexpected entries of an archive are left out of the import and reported`() async throws {
        let home = try await TestStoreFolder()
        let core = try await home.openCore(.none)
        try await core.createUser("alice")
        await core.controller.close()
        try Data("x".utf8).write(to: URL(filePath: home.path + "/note"))
        let sources =
            ["chat", "agent"].map {
                ZIPWriter.SourceFile(path: "\(home.path)/simplex_v1_\($0).db", name: "simplex_v1_\($0).db")
            }
            + ["readme.txt", "simplex_v1_files/a/b", "simplex_v1_files/kept"].map {
                ZIPWriter.SourceFile(path: home.path + "/note", name: $0)
            }
        try ZIPWriter.writeDirectly(sources, to: home.path + "/a.zip", compressed: true)
        let again = try await home.openCore(.none)
        let answer = try await again.run(#"/_db import {"archivePath":"\#(home.path)/a.zip"}"#)
        #expect(
            answer["archiveErrors"]?.arrayValue?.compactMap { $0["file"]?.stringValue } == [
                "readme.txt", "simplex_v1_files/a/b",
            ],
            "\(answer)"
        )
        #expect(FileManager.default.fileExists(atPath: home.path + "/files/kept"))
        await again.controller.close()
    }

    /// States that a crash can leave: nothing done, everything prepared, the replacement order stored, one database
    /// moved, both moved.
    @Test(arguments: 0..<5)
    func `An interrupted change of the database key is completed or undone at the next start`(
        step: Int
    ) async throws {
        let home = try await TestStoreFolder()
        let core = try await home.openCore(.passphrase("old"))
        try await core.createUser("alice")
        let replacement = core.controller.services.configuration.replacement
        let folders = core.controller.services.folders.paths
        try replacement.createFolder()
        for (path, target) in zip(
            core.controller.services.configuration.databasePaths,
            [replacement.chatPath, replacement.agentPath]
        ) {
            let database = try await Database.open(at: path, key: .passphrase("old"), create: false, migrates: false)
            if step > 0 { try await database.exportContent(to: target, key: .passphrase("new")) }
            await database.close()
        }
        let paths = core.controller.services.configuration.databasePaths
        await core.controller.close()
        if step > 1 { try replacement.commit(.kept, folders: folders) }
        if step > 2 { #expect(rename(replacement.chatPath, paths[0]) == 0) }
        if step > 3 { #expect(rename(replacement.agentPath, paths[1]) == 0) }
        let (right, wrong) = step > 1 ? ("new", "old") : ("old", "new")
        await #expect(throws: ChatOpenError.self) { try await home.openCore(.passphrase(wrong)) }
        let again = try await home.openCore(.passphrase(right))
        #expect(try await userNames(again) == ["alice"])
        #expect(try await again.run("/_start main=on") == ["type": "chatStarted"])
        #expect(!home.fileNames.contains("simplex_v1_replacement"))
        await again.controller.close()
    }
}
