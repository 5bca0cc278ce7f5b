import ChatAPI
import ChatStoreTestSupport
import SQLCipher
import TestSupport
import Testing

@testable import ChatCore
@testable import ChatStore

@Suite("Searching and showing contacts from partial data")
struct ChatNamesTests {
    @Test
    func `A contact is found by each of its current names after random changes`() async throws {
        let store = try await TemporaryStore()
        try await store.chats.write { tx in try tx.addUsers() }
        var random = SeededRandom(seed: 11)
        for _ in 0..<40 {
            try await store.chats.write { [random] tx in
                var random = random
                for _ in 0..<Int.random(in: 0..<3, using: &random) { try tx.changeContact(&random) }
            }
            _ = random.next()
            try await store.chats.read { [random, names = store.chats.chatNames] db in
                var random = random
                for _ in 0..<5 {
                    let (words, user) = (
                        sampleWords.randomElement(using: &random) ?? "", Int64.random(in: 1...2, using: &random)
                    )
                    let wanted = Array(words.lowercased().utf8)
                    let expected = try ContactRecord.all(user: user, in: db).filter { contact in
                        [
                            contact.localDisplayName, contact.profile.displayName, contact.profile.fullName,
                            contact.profile.shortDescr ?? "", contact.localAlias,
                        ]
                        .contains { name in
                            let name = Array(name.lowercased().utf8)
                            return name.count >= wanted.count
                                && (0...(name.count - wanted.count)).contains { name[$0...].starts(with: wanted) }
                        }
                    }
                    #expect(
                        try names.findChats(named: words, user: user, db)
                            == Set(expected.map { .contact($0.contactId) }),
                        "\(words)"
                    )
                }
            }
        }
    }

    @Test
    func `A search returns at most the requested number of contacts, and begins with the latest active contact`()
        async throws
    {
        let store = try await TemporaryStore()
        try await store.chats.write { tx in
            try tx.addUsers()
            // Several contacts were last active at the same time, so the search must also order contacts with equal
            // times.
            for contact in 4...700 as ClosedRange<Int64> {
                try tx.addContact(contact, named: contact % 3 == 0 ? "Anna" : "Bert", at: contact / 4 * 4)
            }
        }
        try await store.chats.read { [names = store.chats.chatNames] db in
            let user = try #require(try UserRecord.find(1, in: db))
            for (search, count) in [("anna", 10), ("ANN", 5_000), ("bert", 300), ("e", 0), ("x_", 2), ("nobody", 5)] {
                var page = ChatListPage()
                (page.searchText, page.count, page.range) = (search, count, .before(Timestamp(nanoseconds: 600)))
                let found = try ChatList.readContacts(page, user, at: .now, names, db)
                    .sorted { $0.ts > $1.ts }.prefix(count).map(\.ts.nanoseconds)
                let all = try db.query(
                    """
                    SELECT chat_ts FROM contacts WHERE user_id = 1 AND chat_ts < 600 AND instr(lower(local_display_name), lower(?)) > 0
                    ORDER BY chat_ts DESC LIMIT \(count)
                    """,
                    search
                )
                #expect(found == (try all.map { try $0.int64(0) }), "\(search)")
            }
        }
    }

    @Test
    func `A contact is shown with its current data after random changes of contacts`() async throws {
        let store = try await TemporaryStore()
        try await store.chats.write { tx in try tx.addUsers() }
        var random = SeededRandom(seed: 12)
        for _ in 0..<60 {
            try await store.chats.write { [random] tx in
                var random = random
                for _ in 0..<Int.random(in: 0..<3, using: &random) { try tx.changeContact(&random) }
            }
            _ = random.next()
            try await store.chats.read { [cards = store.chats.contactInfoCache] db in
                for id in 1...2 as ClosedRange<Int64> {
                    let user = try #require(try UserRecord.find(id, in: db))
                    let contacts = try ContactRecord.all(user: id, in: db)
                    let infos = try cards.loadInfos(Set(1...200), of: user, db)
                    #expect(infos.count == contacts.count)
                    for contact in contacts { #expect(infos[contact.contactId] == contact.chatInfo(user)) }
                }
            }
        }
    }
}

private let sampleWords = [
    "anna", "Bertha", "ÄPFEL", "äpfel", "straße", "привет", "\"q\"", "it's", "100%", "_", "na b", "ann", "z", "\\",
    "fullname",
]

extension Transaction {
    fileprivate func addContact(_ contact: Int64, named name: String, at time: Int64) throws {
        try db.execute(
            "INSERT INTO contact_profiles (user_id, display_name, profile, created_at, updated_at) VALUES (1, ?, ?, 0, 0)",
            name,
            "{\"displayName\":\"\(name)\",\"fullName\":\"\"}"
        )
        try db.execute(
            """
            INSERT INTO contacts (user_id, contact_id, contact_profile_id, local_display_name, created_at, updated_at, chat_ts)
            VALUES (1, ?, ?, ?, 0, 0, ?)
            """,
            contact,
            db.lastInsertRowID,
            "\(name)_\(contact)",
            time
        )
    }

    /// Changes a random property of a contact: a name, a connection, a tag, or the contact itself.
    fileprivate func changeContact(_ random: inout SeededRandom) throws {
        let (user, contact) = (Int64.random(in: 1...2, using: &random), Int64.random(in: 1...3, using: &random))
        let name =
            "\(sampleWords.randomElement(using: &random) ?? "") \(sampleWords.randomElement(using: &random) ?? "")"
        let place = "user_id = \(user) AND contact_id = \(contact)"
        switch Int.random(in: 0..<12, using: &random) {
        case 0, 1:
            let profile = Profile(displayName: name, fullName: sampleWords.randomElement(using: &random) ?? "")
            try db.execute(
                "UPDATE contact_profiles SET profile = ? WHERE contact_profile_id = (SELECT contact_profile_id FROM contacts WHERE \(place))",
                try StoredJSON.encode(profile)
            )
        case 2:
            try db.execute(
                "UPDATE contact_profiles SET local_alias = ? WHERE contact_profile_id = (SELECT contact_profile_id FROM contacts WHERE \(place))",
                name
            )
        case 3: try db.execute("UPDATE contacts SET local_display_name = ? WHERE \(place)", name)
        case 4: try db.execute("UPDATE contacts SET chat_ts = chat_ts + 1, favorite = 1 - favorite WHERE \(place)")
        case 5:
            try db.execute(
                """
                INSERT INTO connections (user_id, contact_id, agent_conn_id, conn_status, chat_version, created_at, updated_at)
                SELECT user_id, contact_id, hex(randomblob(8)), 'ready', 1, ?, 0 FROM contacts WHERE \(place)
                """,
                Int64.random(in: 0...9, using: &random)
            )
        case 6:
            try db.execute(
                "UPDATE connections SET auth_err_counter = auth_err_counter + 1, local_alias = ? WHERE \(place)",
                name
            )
        case 7: try db.execute("UPDATE connections SET contact_id = NULL WHERE \(place)")
        case 8:
            try db.execute(
                "INSERT OR IGNORE INTO chat_tags (user_id, chat_tag_text, tag_order) VALUES (?, 'tag', 1)",
                user
            )
            try db.execute(
                """
                INSERT OR IGNORE INTO chat_tags_chats (user_id, chat_type, chat_id, chat_tag_id)
                SELECT c.user_id, 0, c.contact_id, t.chat_tag_id FROM contacts c JOIN chat_tags t ON t.user_id = c.user_id
                WHERE c.user_id = ? AND c.contact_id = ?
                """,
                user,
                contact
            )
        case 9: try db.execute("DELETE FROM chat_tags WHERE user_id = ?", user)
        case 10: try db.execute("DELETE FROM contacts WHERE \(place)")
        default:
            try db.execute(
                """
                UPDATE contact_profiles SET profile = '{"displayName":"user","fullName":"\(Int.random(in: 0...9, using: &random))",
                  "preferences":{"voice":{"allow":"\(Bool.random(using: &random) ? "no" : "yes")"}}}'
                WHERE contact_profile_id = (SELECT contact_profile_id FROM users WHERE user_id = ?)
                """,
                user
            )
        }
    }
}
