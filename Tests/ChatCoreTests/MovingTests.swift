import ChatProtocol
import ChatStore
import Foundation
import JSON
import NIOPosix
import SimpleXCrypto
import TestSupport
import Testing
import ZIP

@testable import ChatCore
@testable import SQLCipher

/// Profiles of the official apps. The databases are those of clients 7.0.0.6 and 6.4.5.
@Suite(.socketTimeLimit) struct MovingTests {
    fileprivate final class AppFolder: Sendable {
        let path = FileManager.default.temporaryDirectory.appending(path: "moving-\(UUID().uuidString)").path
        let world: World

        init(_ version: String = "7.0") async throws {
            world = try await World()
            try FileManager.default.createDirectory(atPath: path + "/app", withIntermediateDirectories: true)
            for name in ["chat", "agent"] {
                try Data(Fixture.readContents("apps/\(name)-\(version).db.zst")).write(
                    to: URL(filePath: "\(path)/app/\(name).db")
                )
            }
            try Data("pictures".utf8).write(to: URL(filePath: path + "/app/pic.txt"))
        }

        deinit { try? FileManager.default.removeItem(atPath: path) }

        func openCore(badgeKeys: BadgeKeys = .publicNetwork) async throws -> Core {
            var configuration = ChatConfiguration(
                dataDirectory: path,
                databaseKey: .raw([UInt8](repeating: 5, count: 32)),
                servers: [world.relay.address]
            )
            configuration.badgeKeys = badgeKeys
            return Core(
                try await ChatController.open(configuration, group: MultiThreadedEventLoopGroup.singleton),
                in: world
            )
        }

        /// Changes one of the app's databases.
        func changeDatabase(_ name: String, _ sql: String) throws {
            let database = try AppFolder.openWithoutStrict(
                "\(path)/app/\(name).db",
                FileKey(material: KeyMaterial(.none))
            )
            try database.execute("PRAGMA foreign_keys = OFF")
            try database.executeScript(sql)
        }

        /// Opens an app's database after removing the triggers and the words of the schema that this version of SQLite
        /// does not know.
        static func openWithoutStrict(_ path: String, _ key: FileKey) throws -> DatabaseConnection {
            let database = try DatabaseConnection(
                path: path,
                key: key,
                access: .rewriting,
                synchronous: .normal,
                cacheKiB: 64
            )
            try database.execute("PRAGMA foreign_keys = OFF")
            try database.execute("DELETE FROM sqlite_master WHERE type = 'trigger'")
            for row in try database.query("SELECT rowid AS id, sql FROM sqlite_master WHERE type = 'table'") {
                guard let plain = try row.stringOrNil("sql").flatMap(StrictTables.withoutStrict) else { continue }
                try database.execute("UPDATE sqlite_master SET sql = ? WHERE rowid = ?", plain, try row.int64("id"))
            }
            return try DatabaseConnection(path: path, key: key, access: .copying, synchronous: .normal, cacheKiB: 64)
        }

        /// - Parameter wallpapers: the contents of the wallpapers, by their names.
        func makeArchive(_ name: String, wallpapers: [String: [UInt8]] = [:]) throws -> String {
            var sources = ["chat", "agent"].map {
                ZIPWriter.SourceFile(path: "\(path)/app/\($0).db", name: "simplex_v1_\($0).db")
            }
            for (wallpaper, content) in wallpapers {
                let file = "\(path)/app/\(wallpaper)"
                try Data(content).write(to: URL(filePath: file))
                sources.append(ZIPWriter.SourceFile(path: file, name: "simplex_v1_assets/wallpapers/\(wallpaper)"))
            }
            try ZIPWriter.writeDirectly(
                sources + [ZIPWriter.SourceFile(path: path + "/app/pic.txt", name: "simplex_v1_files/pic.txt")],
                to: "\(path)/\(name).zip",
                compressed: true
            )
            return "\(path)/\(name).zip"
        }
    }

    @Test(arguments: ["7.0", "6.4"])
    func `An app's profile is imported with contacts, group, items, reactions, files and connections`(
        version: String
    ) async throws {
        let home = try await AppFolder(version)
        var core = try await home.openCore()
        try await core.createUser("replaced")
        #expect(
            try await core.run(#"/_db import {"archivePath":"\#(home.makeArchive("app"))"}"#) == [
                "type": "archiveImported", "archiveErrors": [],
            ]
        )
        await core.controller.close()
        core = try await home.openCore()
        try await core.controller.start()
        let users = try await core.run("/users")["users"]?.arrayValue
        #expect(users?.map { $0["user"]?["localDisplayName"]?.stringValue } == ["alice"])
        let contacts = try await core.run("/_contacts 1")["contacts"]?.arrayValue ?? []
        #expect(Set(contacts.compactMap { $0["localDisplayName"]?.stringValue }) == ["bob", "carol"])
        #expect(contacts.first { $0["localDisplayName"] == "bob" }?["activeConn"]?["connStatus"]?["type"] == "ready")
        let items = try await core.run("/_get chat @4 count=100")["chat"]?["chatItems"]?.arrayValue ?? []
        func item(_ text: String) -> JSONValue? { items.first { $0["meta"]?["itemText"]?.stringValue == text } }
        #expect(item("hello bob!")?["meta"]?["itemEdited"] == true)
        #expect(item("hello bob!")?["meta"]?["itemStatus"]?["type"] == "sndRcvd")
        #expect(item("hello bob!")?["reactions"]?[0]?["totalReacted"] == 1)
        #expect(item("hi alice")?["quotedItem"]?["content"]?["text"] == "hello bob")
        #expect(item("hi alice")?["quotedItem"]?["itemId"] == item("hello bob!")?["meta"]?["itemId"])
        #expect(item("a file")?["file"]?["fileStatus"]?["type"] == "sndComplete")
        #expect(item("a file back")?["file"]?["fileStatus"]?["type"] == "rcvComplete")
        #expect(FileManager.default.contents(atPath: home.path + "/files/pic.txt") == Data("pictures".utf8))
        let members = try await core.run("/_members #1")["group"]?["members"]?.arrayValue ?? []
        #expect(members.compactMap { $0["localDisplayName"]?.stringValue } == ["bob", "carol"])
        let group = try await core.run("/_get chat #1 count=100")["chat"]?["chatItems"]?.arrayValue ?? []
        let said = group.first { $0["meta"]?["itemText"] == "bob in team" }
        #expect(said?["chatDir"]?["groupMember"]?["localDisplayName"] == "bob")
        #expect(said?["quotedItem"]?["content"]?["text"] == "hello team")
        #expect(group.first { $0["meta"]?["itemText"] == "hello team" }?["reactions"]?[0]?["reaction"]?["emoji"] == "👍")
        let notes = try await core.run("/_get chat *1 count=10")["chat"]?["chatItems"]?.arrayValue ?? []
        #expect(notes.map { $0["meta"]?["itemText"]?.stringValue } == ["a note"])
        #expect(
            try await core.run("/_show_address 1")["contactLink"]?["connLinkContact"]?["connFullLink"]?.stringValue?
                .hasPrefix("simplex:/contact") == true
        )
        // Both databases have the same users and connections, and new rows get new numbers.
        let diff = try await core.run("/_connections diff")
        #expect(diff["connIds"] == ["missingIds": [], "extraIds": []])
        #expect(diff["userIds"] == ["missingIds": [], "extraIds": []])
        #expect(!home.names.contains("simplex_v1_replacement"))
        await core.controller.close()
    }

    @Test
    func `The result of an app's check of a badge is not imported`() async throws {
        let home = try await AppFolder()
        try home.changeDatabase(
            "chat",
            """
            UPDATE contact_profiles SET badge_proof = x'00', badge_pres_header = x'5400', badge_type = 'legend',
              badge_extra = '', badge_key_idx = 1, badge_verified = 1 WHERE display_name = 'bob'
            """
        )
        var core = try await home.openCore()
        try await core.run(#"/_db import {"archivePath":"\#(home.makeArchive("app"))"}"#)
        await core.controller.close()
        core = try await home.openCore()
        try await core.controller.start()
        let contacts = try await core.run("/_contacts 1")["contacts"]?.arrayValue ?? []
        let bob = try #require(contacts.first { $0["localDisplayName"] == "bob" })
        #expect(bob["profile"]?["localBadge"]?["badge"]?["badgeType"] == "legend")
        #expect(bob["profile"]?["localBadge"]?["status"] == "unknownKey")
        await core.controller.close()
    }

    @Test
    func `A badge of an app is imported into the profile of a user, and not into the profile of a peer`() async throws {
        let home = try await AppFolder()
        let issuer = try BadgeTests.Issuer()
        let credential = try issuer.makeCredential()
        func hex(_ text: String) throws -> String { "x'" + Hex.encode(try Base64URL.decode(text)) + "'" }
        try home.changeDatabase(
            "chat",
            """
            UPDATE contact_profiles SET badge_type = 'supporter', badge_extra = '', badge_expiry = NULL,
              badge_key_idx = \(credential.badgeKeyIdx), badge_master_key = \(try hex(credential.masterKey)),
              badge_signature = \(try hex(credential.signature))
            """
        )
        var core = try await home.openCore(badgeKeys: issuer.badgeKeys)
        try await core.run(#"/_db import {"archivePath":"\#(home.makeArchive("app"))"}"#)
        await core.controller.close()
        core = try await home.openCore(badgeKeys: issuer.badgeKeys)
        try await core.controller.start()
        #expect(try await core.run("/u")["user"]?["profile"]?["localBadge"]?["status"] == "active")
        let (users, peers) = try await core.controller.store.read { db in
            func count(_ condition: String) throws -> Int {
                try db.query(
                    """
                    SELECT 1 FROM contact_profiles WHERE badge_credential IS NOT NULL
                      AND contact_profile_id \(condition) (SELECT contact_profile_id FROM users)
                    """
                ).count
            }
            return (try count("IN"), try count("NOT IN"))
        }
        #expect(users > 0 && peers == 0)
        await core.controller.close()
    }

    @Test
    func `A passphrase for an app's databases without encryption is refused, and the profiles stay`() async throws {
        let home = try await AppFolder()
        let core = try await home.openCore()
        try await core.createUser("kept")
        let archive = try home.makeArchive("app")
        let refused = try await core.run(#"/_db import {"archivePath":"\#(archive)","passphrase":"wrong"}"#)
        let error = refused["databaseError"]
        #expect(error?["type"] == "errorOpen" && error?["sqliteError"]?["type"] == "errorNotADatabase", "\(refused)")
        #expect(!home.names.contains("simplex_v1_replacement"))
        let users = try await core.run("/users")["users"]?.arrayValue
        #expect(users?.map { $0["user"]?["localDisplayName"]?.stringValue } == ["kept"])
        let taken = try await core.run(#"/_db import {"archivePath":"\#(archive)","passphrase":""}"#)
        #expect(taken["type"] == "archiveImported", "\(taken)")
        await core.controller.close()
    }

    @Test
    func `An imported app profile is exported unchanged, but only with a passphrase and after the chat is stopped`()
        async throws
    {
        let home = try await AppFolder()
        var core = try await home.openCore()
        try await core.run(#"/_db import {"archivePath":"\#(home.makeArchive("app"))"}"#)
        await core.controller.close()
        core = try await home.openCore()
        let path = home.path + "/out.zip"
        let export =
            #"/_db export {"archivePath":"\#(path)","format":"app","passphrase":"other words","whileRunning":true}"#
        try await core.controller.start()
        let before = try await Self.contents(core)
        #expect(before.count == 4)
        #expect(try await core.run(export) == ["type": "error", "errorType": ["type": "chatNotStopped"]])
        try await core.run("/_stop")
        for passphrase in ["", #","passphrase":"""#] {
            #expect(
                try await core.run(#"/_db export {"archivePath":"\#(path)","format":"app"\#(passphrase)}"#).errorType
                    == "commandError"
            )
        }
        func serve(_ status: String) async throws {
            try await core.controller.store.write { tx in
                try tx.db.execute("UPDATE groups SET relay_own_status = \(status)", [])
            }
        }
        // The move would end the user's duties in a channel, so it is refused.
        try await serve("'active'")
        #expect(try await core.run(export).errorType == "commandError")
        try await serve("NULL")
        #expect(try await core.run(export) == ["type": "archiveExported", "archiveErrors": []])
        let zip = try ZIPReader(path: path)
        #expect(
            Set(zip.entries.map(\.name)) == ["simplex_v1_chat.db", "simplex_v1_agent.db", "simplex_v1_files/pic.txt"]
        )
        // Encrypted pages do not show the kind of their contents.
        for entry in zip.entries where entry.name.hasSuffix(".db") {
            try zip.unpackEntry(entry, to: home.path + "/page")
            #expect(
                try Data(contentsOf: URL(filePath: home.path + "/page")).range(of: Data("CREATE TABLE".utf8)) == nil
            )
            if entry.name.contains("agent") { try Self.checkCounters(home.path + "/page", passphrase: "other words") }
            try FileManager.default.removeItem(atPath: home.path + "/page")
        }
        await core.controller.close()
        let other = try await AppFolder()
        var again = try await other.openCore()
        #expect(
            try await again.run(#"/_db import {"archivePath":"\#(path)","passphrase":"wrong words"}"#)[
                "databaseError"
            ]?["type"] == "errorOpen"
        )
        #expect(
            try await again.run(#"/_db import {"archivePath":"\#(path)","passphrase":"other words"}"#) == [
                "type": "archiveImported", "archiveErrors": [],
            ]
        )
        await again.controller.close()
        again = try await other.openCore()
        try await again.controller.start()
        #expect(try await Self.contents(again) == before)
        #expect(try await again.run("/_connections diff")["connIds"] == ["missingIds": [], "extraIds": []])
        await again.controller.close()
    }

    @Test
    func `Wallpapers of an app move into the chat database, and back into an archive for the app`() async throws {
        let home = try await AppFolder()
        let picture: [UInt8] = [0xFF, 0xD8, 0xFF] + Array("a picture".utf8)
        func themes(_ name: String) -> String {
            #"{"light":{"mode":"light","colors":{},"wallpaper":{"imageFile":"\#(name)"}}}"#
        }
        try home.changeDatabase(
            "chat",
            "UPDATE users SET ui_themes = '\(themes("own.jpg"))'; UPDATE contacts SET ui_themes = '\(themes("text.jpg"))'"
        )
        let archive = try home.makeArchive(
            "app",
            wallpapers: [
                "own.jpg": picture, "app.jpg": picture, "text.jpg": Array("a text".utf8),
                "large.jpg": picture + [UInt8](repeating: 0, count: ChatWallpapers.maxBytes), "a b.jpg": picture,
            ]
        )
        var core = try await home.openCore()
        let answer = try await core.run(#"/_db import {"archivePath":"\#(archive)"}"#)
        let refused = answer["archiveErrors"]?.arrayValue?.compactMap { $0["file"]?.stringValue } ?? []
        #expect(Set(refused) == ["text.jpg", "large.jpg", "a b.jpg"], "\(answer)")
        await core.controller.close()
        core = try await home.openCore()
        let wallpapers = core.controller.chatWallpapers
        #expect(try await wallpapers.readPicture("own.jpg", user: 1).content == picture)
        for other in ["app.jpg", "text.jpg"] {
            await #expect(throws: ChatWallpapers.Refusal.notFound) {
                _ = try await wallpapers.readPicture(other, user: 1)
            }
        }
        // Settings of the app may name the other picture, which the store keeps for the app.
        let folder = home.path + "/assets/wallpapers"
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["app.jpg"])
        let out = home.path + "/out.zip"
        #expect(
            try await core.run(#"/_db export {"archivePath":"\#(out)","format":"app","passphrase":"other words"}"#) == [
                "type": "archiveExported", "archiveErrors": [],
            ]
        )
        let zip = try ZIPReader(path: out)
        let names = ["own.jpg", "app.jpg"].map { "simplex_v1_assets/wallpapers/" + $0 }
        for entry in zip.entries where names.contains(entry.name) {
            try zip.unpackEntry(entry, to: home.path + "/unpacked")
            #expect(try [UInt8](Data(contentsOf: URL(filePath: home.path + "/unpacked"))) == picture)
            try FileManager.default.removeItem(atPath: home.path + "/unpacked")
        }
        #expect(Set(zip.entries.map(\.name)).isSuperset(of: names))
        await core.controller.close()
    }

    @Test
    func `Uploaded wallpapers that no theme names are left out of archives for the apps, and of imports`() async throws
    {
        let home = try await AppFolder()
        let pictures: [[UInt8]] = (0..<3).map { [0xFF, 0xD8, 0xFF] + Array("picture \($0)".utf8) }
        let names = try pictures.map { try ChatWallpapers.makeName(of: $0) }
        let settings =
            #"{"uiThemes":[{"themeId":"1","base":"LIGHT","colors":{},"wallpaper":{"imageFile":"\#(names[1])"}}]}"#
        try home.changeDatabase(
            "chat",
            "DELETE FROM app_settings; INSERT INTO app_settings (app_settings) VALUES ('\(settings)')"
        )
        let archive = try home.makeArchive("app", wallpapers: [names[0]: pictures[0], names[1]: pictures[1]])
        var core = try await home.openCore()
        let answer = try await core.run(#"/_db import {"archivePath":"\#(archive)"}"#)
        #expect(answer == ["type": "archiveImported", "archiveErrors": []])
        await core.controller.close()
        let folder = home.path + "/assets/wallpapers"
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == [names[1]])
        core = try await home.openCore()
        for picture in [pictures[0], pictures[2]] {
            try await core.controller.chatWallpapers.storePicture(picture, user: 1)
        }
        try await core.run(
            #"/_set theme user 1 {"dark":{"mode":"dark","colors":{},"wallpaper":{"imageFile":"\#(names[2])"}}}"#
        )
        let out = home.path + "/out.zip"
        try await core.run(#"/_db export {"archivePath":"\#(out)","format":"app","passphrase":"other words"}"#)
        let prefix = "simplex_v1_assets/wallpapers/"
        let exported = try ZIPReader(path: out).entries.map(\.name).filter { $0.hasPrefix(prefix) }
        #expect(Set(exported) == [prefix + names[1], prefix + names[2]])
        await core.controller.close()
    }

    @Test
    func `An accepted invitation is exported as pending if the acceptance has not reached the inviter`() async throws {
        let world = try await World()
        let (alice, bob) = try await world.makeConnectedCores()
        try await alice.createGroup()
        try await alice.run("/_add #1 1 member")
        try await bob.wait(for: "receivedGroupInvitation")
        try await bob.controller.store.write { tx in
            try tx.db.execute(
                "UPDATE group_members SET member_status = 'accepted' WHERE member_category IN ('user', 'host')"
            )
            try tx.db.execute(
                "UPDATE chat_items SET item_content = replace(item_content, '\"pending\"', '\"accepted\"')"
            )
        }
        try await bob.run("/_stop")
        let path = world.directory.path + "/out.zip"
        #expect(
            try await bob.run(#"/_db export {"archivePath":"\#(path)","format":"app","passphrase":"some words"}"#) == [
                "type": "archiveExported", "archiveErrors": [],
            ]
        )
        let home = try await AppFolder()
        var core = try await home.openCore()
        try await core.run(#"/_db import {"archivePath":"\#(path)","passphrase":"some words"}"#)
        await core.controller.close()
        core = try await home.openCore()
        let (statuses, items) = try await core.controller.store.read { db in
            (
                try db.query("SELECT member_status FROM group_members").map { try $0.string("member_status") },
                try db.query("SELECT item_content FROM chat_items WHERE item_content LIKE '%rcvGroupInvitation%'").map {
                    try $0.string("item_content")
                }
            )
        }
        #expect(statuses == ["invited", "invited"])
        #expect(items.count == 1 && items.allSatisfy { $0.contains("\"pending\"") && !$0.contains("\"accepted\"") })
        for other in [alice, bob, core] { await other.controller.close() }
    }

    /// Checks the row that the app needs for its counters.
    private static func checkCounters(_ path: String, passphrase: String) throws {
        let rewritten = path + ".rewritten"
        defer { try? FileManager.default.removeItem(atPath: rewritten) }
        let key = try #require(try AppDatabaseFile.rewriteAsVersion3(path, passphrase, to: rewritten))
        let database = try AppFolder.openWithoutStrict(rewritten, FileKey(material: key, isVersion3: true))
        #expect(try database.query("SELECT servers_stats_id FROM servers_stats").map { try $0.int64(0) } == [1])
    }

    /// Returns the contents of the chats, without the connection states.
    private static func contents(_ core: Core) async throws -> [String: JSONValue] {
        var contents: [String: JSONValue] = [:]
        for chat in ["@4", "#1", "*1"] {
            contents[chat] = try await core.run("/_get chat \(chat) count=100")["chat"]?["chatItems"]
        }
        contents["address"] = try await core.run("/_show_address 1")["contactLink"]
        return contents
    }

    @Test(arguments: ["gateway", "app"])
    func `A business chat moves with the claimed name of the business, in an app's archive without the name`(
        format: String
    ) async throws {
        let home = try await AppFolder()
        let core = try await home.openCore()
        try await core.createUser("alice")
        try await core.run("/_start main=on")
        let made = try await core.run(#"/_group 1 incognito=off {"displayName":"shop","fullName":""}"#)
        try #require(made["type"] == "groupCreated", "\(made)")
        let business = #"{"chatType":"business","businessId":"AAAA","customerId":"BBBB"}"#
        let named = business.dropLast() + #","businessDomain":{"domain":"shop.simplex"}}"#
        try await core.controller.store.write { tx in
            try tx.db.execute("UPDATE groups SET business = ?", [String(named)])
        }
        try await core.run("/_stop")
        let path = home.path + "/shop.zip"
        let exported = try await core.run(
            #"/_db export {"archivePath":"\#(path)","format":"\#(format)","passphrase":"some words"}"#
        )
        try #require(exported["type"] == "archiveExported", "\(exported)")
        await core.controller.close()
        let other = try await AppFolder()
        var moved = try await other.openCore()
        let imported = try await moved.run(#"/_db import {"archivePath":"\#(path)","passphrase":"some words"}"#)
        try #require(imported["type"] == "archiveImported", "\(imported)")
        await moved.controller.close()
        moved = try await other.openCore()
        try await moved.run("/_start main=on")
        let chat = try await moved.run("/_get chat #1 count=1")["chat"]?["chatInfo"]?["groupInfo"]?["businessChat"]
        #expect(chat?["chatType"] == "business" && chat?["businessId"] == "AAAA" && chat?["customerId"] == "BBBB")
        #expect(chat?["businessDomain"]?["domain"] == (format == "app" ? nil : "shop.simplex"))
        await moved.controller.close()
    }

    @Test
    func `The answer to an import lists the triggers, views and unknown tables of the app's archive`() async throws {
        let home = try await AppFolder()
        try home.changeDatabase("chat", "CREATE TABLE other (a)")
        try home.changeDatabase(
            "agent",
            "CREATE VIEW seen AS SELECT 1; CREATE TRIGGER first AFTER INSERT ON users BEGIN SELECT 1; END"
        )
        let core = try await home.openCore()
        let answer = try await core.run(#"/_db import {"archivePath":"\#(home.makeArchive("app"))"}"#)
        let told = answer["archiveErrors"]?.arrayValue?.compactMap { $0["importError"]?.stringValue } ?? []
        #expect(
            Set(told) == ["left behind: table other", "left behind: view seen", "left behind: trigger first"],
            "\(answer)"
        )
        await core.controller.close()
    }

    @Test
    func `The answer to an import contains the number of each kind of data that was not imported`() async throws {
        let home = try await AppFolder()
        let core = try await home.openCore()
        try home.changeDatabase(
            "chat",
            """
            UPDATE groups SET use_relays = 1, relay_own_status = 'active';
            INSERT INTO calls (contact_id, shared_call_id, chat_item_id, call_state, call_ts, user_id) VALUES (4, x'01', 15, '', '2026-01-01 00:00:00', 1);
            UPDATE files SET ci_file_status = 'rcv_transfer 1 2' WHERE file_id = 2;
            UPDATE chat_items SET item_content = 'no json' WHERE chat_item_id = 15;
            """
        )
        let answer = try await core.run(#"/_db import {"archivePath":"\#(home.makeArchive("app"))"}"#)
        let told = answer["archiveErrors"]?.arrayValue?.compactMap { $0["importError"]?.stringValue } ?? []
        for what in [
            "1 × channels that the user owns or serves", "1 × calls", "1 × files that were being received",
            "1 × items whose content cannot be read", "2 × connections without a contact, member or link",
        ] {
            #expect(told.contains { $0.hasPrefix("left behind: \(what)") }, "\(what): \(told)")
        }
        await core.controller.close()
        let again = try await home.openCore()
        try await again.controller.start()
        let items = try await again.run("/_get chat @4 count=100")["chat"]?["chatItems"]?.arrayValue ?? []
        #expect(items.contains { $0["content"]?["type"] == "invalidJSON" })
        #expect(
            items.first { $0["meta"]?["itemText"] == "a file back" }?["file"]?["fileStatus"]?["type"] == "rcvInvitation"
        )
        await again.controller.close()
    }

    @Test(arguments: [
        (
            "chat", "INSERT INTO migrations (name, ts) VALUES ('29991231_later', '2999-12-31 00:00:00')",
            "a later version of the app"
        ),
        (
            "agent", "INSERT INTO migrations (name, ts) VALUES ('m29991231_later', '2999-12-31 00:00:00')",
            "a later version of the app"
        ),
        ("chat", "DELETE FROM migrations WHERE name > '2024'", "an app before version 6.4"),
        ("chat", "DELETE FROM contact_profiles WHERE contact_profile_id = 4", "a row refers to a missing row"),
        ("agent", "UPDATE ratchets SET ratchet_state = x'7b7d'", "a key or a queue of the app cannot be read"),
        ("agent", "UPDATE rcv_queues SET rcv_private_key = x'00'", "a key or a queue of the app cannot be read"),
        ("agent", "UPDATE servers SET key_hash = x'ff00'", "a key or a queue of the app cannot be read"),
        ("chat", "DROP TABLE groups", ""),
    ])
    func `An app archive that is too new, too old, inconsistent or damaged is refused, and the store is unchanged`(
        database: String,
        change: String,
        told: String
    ) async throws {
        let home = try await AppFolder()
        let core = try await home.openCore()
        try await core.createUser("kept")
        try home.changeDatabase(database, change)
        let answer = try await core.run(#"/_db import {"archivePath":"\#(home.makeArchive("bad"))"}"#)
        #expect(["error", "errorDatabase"].contains(answer["type"]?.stringValue), "\(answer)")
        #expect(told.isEmpty || "\(answer)".contains(told), "\(answer)")
        #expect(!home.names.contains("simplex_v1_replacement"))
        #expect(try await core.run("/users")["users"]?[0]?["user"]?["localDisplayName"] == "kept")
        #expect(try await core.run("/_start main=on") == ["type": "chatStarted"])
        await core.controller.close()
    }
}

extension MovingTests.AppFolder {
    fileprivate var names: [String] { (try? FileManager.default.contentsOfDirectory(atPath: path).sorted()) ?? [] }
}
