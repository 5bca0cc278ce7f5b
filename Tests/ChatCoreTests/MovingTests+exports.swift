import ChatStore
import Foundation
import JSON
import SimpleXCrypto
import TestSupport
import Testing
import ZIP

@testable import ChatCore
@testable import SQLCipher

/// Archives for the apps and for gateways, and what an import finds in them.
extension MovingTests {
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
        // The databases are encrypted, so their pages must not contain text of SQL.
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
    func `An import puts wallpapers of an app into the chat database, and an export puts them into the archive`()
        async throws
    {
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
                "large.jpg": picture + [UInt8](repeating: 0, count: ChatWallpapers.maxPictureBytes), "a b.jpg": picture,
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
    func `Uploaded wallpapers that no theme uses are left out of archives for the apps, and of imports`() async throws {
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
        try await core.controller.start()
        for picture in [pictures[0], pictures[2]] {
            try await core.controller.chatWallpapers.storePicture(picture, user: 1)
        }
        try await core.run(
            #"/_set theme user 1 {"dark":{"mode":"dark","colors":{},"wallpaper":{"imageFile":"\#(names[2])"}}}"#
        )
        try await core.run("/_stop")
        let out = home.path + "/out.zip"
        try await core.run(#"/_db export {"archivePath":"\#(out)","format":"app","passphrase":"other words"}"#)
        let prefix = "simplex_v1_assets/wallpapers/"
        let exported = try ZIPReader(path: out).entries.map(\.name).filter { $0.hasPrefix(prefix) }
        #expect(Set(exported) == [prefix + names[1], prefix + names[2]])
        await core.controller.close()
    }

    @Test
    func `An accepted invitation is exported as pending if the inviter has not received the acceptance`() async throws {
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

    @Test(arguments: ["gateway", "app"])
    func `A business chat that moves in an archive keeps its claimed name, except in an archive in the format of apps`(
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

    /// Checks the row that the app needs for its counters.
    private static func checkCounters(_ path: String, passphrase: String) throws {
        let rewritten = path + ".rewritten"
        defer { try? FileManager.default.removeItem(atPath: rewritten) }
        let key = try #require(try AppDatabaseFile.rewriteForSQLCipher3(path, passphrase, to: rewritten))
        let database = try AppFolder.openWithoutStrict(rewritten, FileKey(material: key, usesSQLCipher3: true))
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
}
