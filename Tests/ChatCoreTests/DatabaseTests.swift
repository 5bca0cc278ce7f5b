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
    private final class Home: Sendable {
        let path: String
        let world: World

        init() async throws {
            world = try await World()
            path = FileManager.default.temporaryDirectory.appending(path: "store-\(UUID().uuidString)").path
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        }

        deinit { try? FileManager.default.removeItem(atPath: path) }

        func open(_ key: DatabaseKey, _ change: (inout ChatConfiguration) -> Void = { _ in }) async throws -> Core {
            var configuration = ChatConfiguration(dataDirectory: path, databaseKey: key, servers: [world.relay.address])
            change(&configuration)
            return Core(
                try await ChatController.open(configuration, group: MultiThreadedEventLoopGroup.singleton),
                in: world
            )
        }

        var names: [String] { (try? FileManager.default.contentsOfDirectory(atPath: path).sorted()) ?? [] }
    }

    private func users(_ core: Core) async throws -> [String] {
        try await core.run("/users")["users"]?.arrayValue?.compactMap { $0["user"]?["localDisplayName"]?.stringValue }
            ?? []
    }

    private static let stopped: JSONValue = ["type": "error", "errorType": ["type": "chatNotStopped"]]
    private static let changed: JSONValue = ["type": "error", "errorType": ["type": "chatStoreChanged"]]

    @Test
    func `After a change of the database key, only the new key opens the store`() async throws {
        let home = try await Home()
        var core = try await home.open(.none)
        try await core.createUser("alice")
        try await core.controller.start()
        #expect(try await core.run(#"/_db encryption {"currentKey":"","newKey":"abc"}"#) == Self.stopped)
        #expect(try await core.run(#"/_db export {"archivePath":"\#(home.path)/x.zip"}"#) == Self.stopped)
        #expect(try await core.run("/_db delete") == Self.stopped)
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
        // A wrong key is refused, also if the new key is the same.
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
        #expect(try await core.run("/_start main=on") == Self.changed)
        #expect(try await core.run("/users") == Self.changed)
        #expect(try await core.run("/_check running") == ["type": "chatStopped"])
        await core.controller.close()
        for wrong in [DatabaseKey.none, .passphrase("abc")] {
            await #expect(throws: ChatOpenError.self) { try await home.open(wrong) }
        }
        core = try await home.open(.passphrase("def"))
        #expect(try await users(core) == ["alice"])
        #expect(try await core.run(#"/_db encryption {"currentKey":"def","newKey":""}"#) == ["type": "cmdOk"])
        await core.controller.close()
        core = try await home.open(.none)
        #expect(try await users(core) == ["alice"])
        await core.controller.close()
    }

    @Test
    func `An archive with its own passphrase is imported into a store with another key`() async throws {
        let home = try await Home()
        let core = try await home.open(.raw(Array(repeating: 7, count: 32)))
        try await core.createUser("alice")
        try await core.controller.start()
        let path = home.path + "/export.zip"
        #expect(
            try await core.run(#"/_db export {"archivePath":"\#(path)","passphrase":"moving","whileRunning":true}"#)
                == ["type": "archiveExported", "archiveErrors": []]
        )
        // The chat continues to work.
        try await core.createUser("bob")
        await core.controller.close()
        let other = try await Home()
        var imported = try await other.open(.passphrase("key"))
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
        imported = try await other.open(.passphrase("key"))
        #expect(try await users(imported) == ["alice"])
        await imported.controller.close()
    }

    @Test
    func `The write-ahead logs are checkpointed while the chat runs`() async throws {
        let home = try await Home()
        let core = try await home.open(.none) { $0.writeBackInterval = .milliseconds(20) }
        try await core.createUser("alice")
        try await core.controller.start()
        for name in ["_chat.db", "_agent.db"] {
            try await eventually("\(name) is written back") {
                let log = try FileManager.default.attributesOfItem(atPath: home.path + "/simplex_v1\(name)-wal")
                return log[.size] as? Int == 0
            }
        }
        await core.controller.close()
    }

    @Test
    func `The import of an archive replaces the store and its files`() async throws {
        let home = try await Home()
        var core = try await home.open(.passphrase("key"))
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
        #expect(try await users(core) == ["alice", "bob"])
        #expect(
            try await core.run(#"/_db import {"archivePath":"\#(path)"}"#) == [
                "type": "archiveImported", "archiveErrors": [],
            ]
        )
        #expect(try await core.run("/users") == Self.changed)
        await core.controller.close()
        core = try await home.open(.passphrase("key"))
        #expect(try await users(core) == ["alice"])
        #expect(try Data(contentsOf: URL(filePath: home.path + "/files/picture.jpg")) == Data("picture".utf8))
        #expect(!home.names.contains("simplex_v1_replacement"))
        await core.controller.close()
    }

    @Test
    func `A deleted store has no files, and can be restored from an archive without a restart`() async throws {
        let home = try await Home()
        var core = try await home.open(.passphrase("key"))
        try await core.createUser("alice")
        let path = home.path + "/export.zip"
        try await core.run(#"/_db export {"archivePath":"\#(path)"}"#)
        #expect(try await core.run("/_db delete") == ["type": "cmdOk"])
        #expect(home.names == ["export.zip"])
        #expect(try await core.run("/db test key key")["databaseError"]?["type"] == "errorNoFile")
        #expect(
            try await core.run(#"/_db import {"archivePath":"\#(path)"}"#) == [
                "type": "archiveImported", "archiveErrors": [],
            ]
        )
        await core.controller.close()
        core = try await home.open(.passphrase("key"))
        #expect(try await users(core) == ["alice"])
        try await core.run("/_db delete")
        await core.controller.close()
        core = try await home.open(.passphrase("another"))
        #expect(try await users(core).isEmpty)
        await core.controller.close()
    }

    @Test
    func `If databases may not be created, deletion leaves empty databases with the same key`() async throws {
        let home = try await Home()
        await (try await home.open(.passphrase("key"))).controller.close()
        var core = try await home.open(.passphrase("key")) { $0.missingDatabasePolicy = .refuse }
        try await core.createUser("alice")
        #expect(try await core.run("/_db delete") == ["type": "cmdOk"])
        #expect(home.names == ["simplex_v1_agent.db", "simplex_v1_chat.db"])
        await core.controller.close()
        await #expect(throws: ChatOpenError.self) {
            try await home.open(.passphrase("another")) { $0.missingDatabasePolicy = .refuse }
        }
        core = try await home.open(.passphrase("key")) { $0.missingDatabasePolicy = .refuse }
        #expect(try await users(core).isEmpty)
        try await core.createUser("bob")
        await core.controller.close()
    }

    @Test
    func `An archive that is truncated, invalid, newer, incomplete or has another key is refused`() async throws {
        let home = try await Home()
        let other = try await Home()
        let core = try await home.open(.passphrase("key"))
        try await core.createUser("alice")
        let good = home.path + "/good.zip"
        try await core.run(#"/_db export {"archivePath":"\#(good)"}"#)
        let bytes = try Data(contentsOf: URL(filePath: good))
        try bytes.prefix(bytes.count / 2).write(to: URL(filePath: home.path + "/cut.zip"))
        try Data("no archive".utf8).write(to: URL(filePath: home.path + "/none.zip"))
        let foreign = try await other.open(.passphrase("other key"))
        try await foreign.run(#"/_db export {"archivePath":"\#(home.path)/foreign.zip"}"#)
        await foreign.controller.close()
        let newer = try await other.open(.passphrase("other key"))
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
        // The data of the open store are still in its write-ahead log.
        let exported = home.path + "/exported"
        try FileManager.default.createDirectory(atPath: exported, withIntermediateDirectories: true)
        let zip = try ZIPReader(path: good)
        for entry in zip.entries { try zip.unpack(entry, to: exported + "/" + entry.name) }
        for (name, files) in [("newer", ["chat": exported, "agent": other.path]), ("chat", ["chat": exported])] {
            let sources = files.sorted { $0.key < $1.key }.map { database, folder in
                ZIPWriter.Source(path: "\(folder)/simplex_v1_\(database).db", name: "simplex_v1_\(database).db")
            }
            try ZIPWriter.write(sources, to: "\(home.path)/\(name).zip", compressed: true)
        }
        for (name, error) in [
            ("cut", "exception"), ("none", "exception"), ("foreign", "errorOpen"), ("newer", "errorOpen"),
            ("chat", "exception"),
        ] {
            let answer = try await core.run(#"/_db import {"archivePath":"\#(home.path)/\#(name).zip"}"#)
            #expect((answer.errorType ?? answer["databaseError"]?["type"]?.stringValue) == error, "\(name): \(answer)")
            #expect(try await users(core) == ["alice"])
            #expect(!home.names.contains("simplex_v1_replacement"))
        }
        #expect(try await core.run("/_start main=on") == ["type": "chatStarted"])
        await core.controller.close()
    }

    @Test
    func `An archive with the chat and agent databases of different stores is refused`() async throws {
        let (home, first, second) = (try await Home(), try await Home(), try await Home())
        let core = try await home.open(.passphrase("key"))
        try await core.createUser("alice")
        for (store, name, isConnected) in [(first, "bob", true), (second, "carol", false)] {
            let other = try await store.open(.passphrase("key"))
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
                ZIPWriter.Source(path: "\($1.path)/simplex_v1_\($0).db", name: "simplex_v1_\($0).db")
            }
            try ZIPWriter.write(sources, to: "\(home.path)/\(name).zip", compressed: true)
            let answer = try await core.run(#"/_db import {"archivePath":"\#(home.path)/\#(name).zip"}"#)
            if isTaken {
                #expect(answer["type"] == "archiveImported", "\(name): \(answer)")
            } else {
                #expect(
                    answer["errorType"]?["message"]?.stringValue?.contains("databases belong to different stores")
                        == true,
                    "\(name): \(answer)"
                )
                #expect(try await users(core) == ["alice"])
            }
        }
        await core.controller.close()
    }

    @Test
    func `An archive with too large contents or a path out of its folder is refused before unpacking`() async throws {
        let home = try await Home()
        let core = try await home.open(.passphrase("key"))
        try await core.createUser("alice")
        try Data("x".utf8).write(to: URL(filePath: home.path + "/small"))
        _ = FileManager.default.createFile(atPath: home.path + "/zeros", contents: nil)
        #expect(truncate(home.path + "/zeros", 80 << 20) == 0)
        let databases = ["chat", "agent"].map {
            ZIPWriter.Source(path: "\(home.path)/simplex_v1_\($0).db", name: "simplex_v1_\($0).db")
        }
        for (archive, file, name) in [
            ("bomb", "zeros", "simplex_v1_files/zeros"), ("up", "small", "simplex_v1_files/aa/up"),
        ] {
            try ZIPWriter.write(
                databases + [ZIPWriter.Source(path: "\(home.path)/\(file)", name: name)],
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
        let names = home.names
        for (archive, told) in [
            ("bomb", "its unpacked content is too large"),
            ("up", "the name simplex_v1_files/../up leads out of the archive"),
        ] {
            let answer = try await core.run(#"/_db import {"archivePath":"\#(home.path)/\#(archive).zip"}"#)
            #expect(answer["errorType"]?["message"]?.stringValue == "\(home.path)/\(archive).zip: \(told)", "\(answer)")
            #expect(try await users(core) == ["alice"])
            #expect(home.names == names)
        }
        await core.controller.close()
    }

    @Test
    func `Unexpected entries of an archive are left out and reported`() async throws {
        let home = try await Home()
        let core = try await home.open(.none)
        try await core.createUser("alice")
        await core.controller.close()
        try Data("x".utf8).write(to: URL(filePath: home.path + "/note"))
        let sources =
            ["chat", "agent"].map {
                ZIPWriter.Source(path: "\(home.path)/simplex_v1_\($0).db", name: "simplex_v1_\($0).db")
            }
            + ["readme.txt", "simplex_v1_files/a/b", "simplex_v1_files/kept"].map {
                ZIPWriter.Source(path: home.path + "/note", name: $0)
            }
        try ZIPWriter.write(sources, to: home.path + "/a.zip", compressed: true)
        let again = try await home.open(.none)
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
    func `A change of the database key that was interrupted at any step is completed or undone at the next start`(
        step: Int
    ) async throws {
        let home = try await Home()
        let core = try await home.open(.passphrase("old"))
        try await core.createUser("alice")
        let replacement = core.controller.services.configuration.replacement
        let folders = core.controller.services.folders.paths
        try replacement.begin()
        for (path, target) in zip(
            core.controller.services.configuration.databasePaths,
            [replacement.chatPath, replacement.agentPath]
        ) {
            let database = try await Database.open(at: path, key: .passphrase("old"), create: false, migrates: false)
            if step > 0 { try await database.export(to: target, key: .passphrase("new")) }
            await database.close()
        }
        let paths = core.controller.services.configuration.databasePaths
        await core.controller.close()
        if step > 1 { try replacement.commit(.added, folders: folders) }
        if step > 2 { #expect(rename(replacement.chatPath, paths[0]) == 0) }
        if step > 3 { #expect(rename(replacement.agentPath, paths[1]) == 0) }
        let (right, wrong) = step > 1 ? ("new", "old") : ("old", "new")
        await #expect(throws: ChatOpenError.self) { try await home.open(.passphrase(wrong)) }
        let again = try await home.open(.passphrase(right))
        #expect(try await users(again) == ["alice"])
        #expect(try await again.run("/_start main=on") == ["type": "chatStarted"])
        #expect(!home.names.contains("simplex_v1_replacement"))
        await again.controller.close()
    }
}
