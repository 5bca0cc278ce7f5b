import ChatStore
import Foundation
import JSON
import SQLCipher
import SimpleXCrypto
import TestSupport
import Testing

@testable import ChatCore

/// Profiles of the official apps. The databases are those of clients 7.0.0.6 and 6.4.5.
@Suite(.socketTimeLimit) struct MovingTests {
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
    func `The answer to the import of an app's profile counts the imported files`() async throws {
        let home = try await AppFolder("7.0")
        var core = try await home.openCore()
        try await core.createUser("replaced")
        try await core.run(#"/_db import {"archivePath":"\#(home.makeArchive("app"))"}"#)
        await core.controller.close()
        core = try await home.openCore()
        let (counted, recounted) = try await core.controller.store.write { tx in
            func readTotals() throws -> [Int64] {
                try tx.db.query("SELECT files, bytes FROM file_totals").flatMap {
                    try [$0.int64("files"), $0.int64("bytes")]
                }
            }
            let counted = try readTotals()
            try FileTotals.recountFiles(in: tx.db)
            return (counted, try readTotals())
        }
        #expect(counted == recounted && counted != [0, 0])
        await core.controller.close()
    }

    @Test
    func `The import of an app's profile does not take over the app's result of a badge check`() async throws {
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
    func `The import of an app's data gives a badge to the profile of a user, and not to the profile of a peer`()
        async throws
    {
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
}
