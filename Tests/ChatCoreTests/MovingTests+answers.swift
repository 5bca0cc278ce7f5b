import JSON
import Testing

@testable import ChatCore

/// Refused archives, and answers that list the data that was left behind.
extension MovingTests {
    @Test
    func `A passphrase for importing an app's unencrypted databases is refused, and the profiles of the store stay`()
        async throws
    {
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
    func `The answer to the import of an app's archive lists the triggers, views and unknown tables of the archive`()
        async throws
    {
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
    func `The answer to the import of an app's archive counts each kind of data that was not imported`() async throws {
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
