import Clocks
import Foundation
import NIOCore
import SimpleXCrypto
import SQLCipher

/// A store that looks like a store after years of use. Its contacts were really connected, one by one, through the
/// relay. Most messages are inserted directly into the tables, as copies of messages that were really exchanged.
struct GrownStore {
    let folder: String
    let chatCount: Int
    let messageCount: Int

    /// On average, one of this number of messages goes to the first chat. Each other message goes to a random chat. So
    /// the first chat has a little more than a fifth of all messages in a store with many chats, and 28 % with ten
    /// chats.
    static let messagesPerFirstChatMessage = 5
    /// The number of messages that contain the rare word.
    static let rareMessageCount = 10
    static let rareWord = "Quagmirette"
    /// The age of the oldest message, in days.
    private static let ageInDays: Int64 = 1_000

    private var completenessMarkPath: String { folder + ".complete" }

    /// Makes the store if no earlier run has made it.
    func makeStore(port: Int, relayPort: Int, executable: String, group: any EventLoopGroup) async throws {
        guard !FileManager.default.fileExists(atPath: completenessMarkPath) else { return }
        try? FileManager.default.removeItem(atPath: folder)
        let gateway = try await BenchedGateway(
            folder: folder,
            port: port,
            relayPort: relayPort,
            executable: executable,
            group: group
        )
        try await gateway.createUser("alice")
        try await gateway.createUser("bob")
        for _ in 0..<chatCount { try await gateway.connectFirstUsers() }
        for (user, text) in [(1, "sent"), (2, "received")] {
            let cursor = try await gateway.readLatestCursor()
            _ = try await gateway.sendRequest(
                "POST",
                "/v1/users/\(user)/chats/direct/1/messages",
                BenchedGateway.makeTextMessage(text)
            )
            // Waits until the sender has the recipient's receipt.
            try await gateway.followEvents(from: cursor) { $0.isReceipt(of: user) }
        }
        await gateway.stop()
        let database = try await Self.openChatDatabase(in: folder)
        try await fillDatabase(database)
        await database.close()
        try Data().write(to: URL(fileURLWithPath: completenessMarkPath))
    }

    /// Opens the chat database of a gateway that is not running.
    static func openChatDatabase(in folder: String) async throws -> Database {
        let key = try String(contentsOfFile: folder + "/database.key", encoding: .utf8).trimmingCharacters(
            in: .whitespacesAndNewlines
        )
        return try await Database.open(
            at: folder + "/simplex_v1_chat.db",
            key: .raw(Hex.decode(key.utf8) ?? []),
            synchronous: .normal,
            create: false,
            migrates: false
        )
    }

    private func fillDatabase(_ database: Database) async throws {
        let columns = try await database.write { db in
            // The two messages of the first chat are the pattern for all messages.
            try db.executeScript(
                "CREATE TEMP TABLE item_pattern AS SELECT * FROM chat_items WHERE user_id = 1 AND item_text IN ('sent', 'received');"
            )
            return try Self.readColumns(of: "chat_items", in: db)
        }
        let insertItem = Self.makeInsertStatement(
            "chat_items",
            columns,
            [
                "chat_item_id": "NULL", "chat_id": "?1", "item_ts": "?2", "order_ts": "?2", "created_at": "?2",
                "updated_at": "?2",
                "item_text": "?3", "item_content": "?4", "shared_msg_id": "?5", "item_status": "?6",
            ],
            from: "item_pattern",
            where: "item_sent = ?7"
        )
        // The items about the connections are moved to a time before the first message.
        try await database.write { db in
            try db.execute(
                "UPDATE chat_items SET item_ts = item_ts - ?1, order_ts = order_ts - ?1, created_at = created_at - ?1",
                (Self.ageInDays + 1) * 86_400_000_000_000
            )
        }
        try await insertMessages(with: insertItem, database)
        try await Self.countItems(database)
    }

    /// Inserts messages with times from the oldest day to now.
    /// - Parameter insertItem: the SQL statement that inserts one message.
    private func insertMessages(with insertItem: String, _ database: Database) async throws {
        let (chats, messages) = (chatCount, messageCount)
        let end = WallClock.seconds() * 1_000_000_000
        let step = Self.ageInDays * 86_400_000_000_000 / Int64(messages)
        for start in stride(from: 0, to: messages, by: 20_000) {
            try await database.write { db in
                var sentenceMaker = SentenceMaker(seed: UInt64(start) &+ 1)
                for index in start..<min(start + 20_000, messages) {
                    let isFirst = sentenceMaker.randomNumber(Self.messagesPerFirstChatMessage) == 0
                    let contact = isFirst ? 1 : 1 + sentenceMaker.randomNumber(chats)
                    let isSent = sentenceMaker.randomNumber(2) == 0
                    // Unread items are only at the end of chats: a few items in each tenth chat.
                    let isUnread = !isSent && contact % 10 == 2 && index >= messages - chats * 20
                    var text = sentenceMaker.makeSentence()
                    if index % (messages / Self.rareMessageCount) == 7 { text += " " + Self.rareWord }
                    let content = #"{"type":"text","text":"\#(text)"}"#
                    let time = end - Int64(messages - index) * step
                    try db.execute(
                        insertItem,
                        Int64(contact),
                        time,
                        text,
                        #"{"type":"\#(isSent ? "sndMsgContent" : "rcvMsgContent")","msgContent":\#(content)}"#,
                        sentenceMaker.randomBytes(12),
                        isSent ? "sndRcvd ok complete" : isUnread ? "rcvNew" : "rcvRead",
                        isSent
                    )
                }
            }
        }
    }

    /// Writes the counts of items and unread items to the tables, as the gateway does with each new item.
    private static func countItems(_ database: Database) async throws {
        try await database.write { db in
            try db.executeScript(
                """
                UPDATE contacts SET chat_ts = coalesce((SELECT max(created_at) FROM chat_items i
                  WHERE i.user_id = contacts.user_id AND i.chat_type = 0 AND i.chat_id = contacts.contact_id), chat_ts) WHERE user_id = 1;
                -- What the core counts with each new item.
                DELETE FROM chat_item_days;
                INSERT INTO chat_item_days SELECT user_id, chat_type, chat_id, created_at / 86400000000000, count(*),
                  total(item_status = 'rcvNew') FROM chat_items GROUP BY 1, 2, 3, 4;
                UPDATE contacts SET unread_count = coalesce((SELECT sum(d.unread) FROM chat_item_days d
                  WHERE d.user_id = contacts.user_id AND d.chat_type = 0 AND d.chat_id = contacts.contact_id), 0);
                """
            )
        }
    }

    static func readColumns(of table: String, in db: DatabaseConnection) throws -> [String] {
        try db.query("PRAGMA table_info(\(table))").map { try $0.string("name") }
    }

    static func makeInsertStatement(
        _ table: String,
        _ columns: [String],
        _ values: [String: String],
        from pattern: String,
        where condition: String
    ) -> String {
        let taken = columns.map { values[$0] ?? $0 }.joined(separator: ", ")
        return
            "INSERT INTO \(table) (\(columns.joined(separator: ", "))) SELECT \(taken) FROM temp.\(pattern) WHERE \(condition) LIMIT 1"
    }
}

extension GrownStore {
    /// Makes sentences of invented words, and random numbers and bytes. A few words are frequent and most are rare,
    /// like in a natural language.
    struct SentenceMaker {
        private var state: UInt64

        init(seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 }

        mutating func nextNumber() -> UInt64 {
            state &+= 0x9E37_79B9_7F4A_7C15
            var z = state
            z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
            z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
            return z ^ (z >> 31)
        }

        mutating func randomNumber(_ bound: Int) -> Int { Int(nextNumber() % UInt64(bound)) }

        mutating func randomBytes(_ count: Int) -> [UInt8] {
            (0..<count).map { _ in UInt8(truncatingIfNeeded: nextNumber() >> 24) }
        }

        mutating func makeSentence() -> String {
            (0..<3 + randomNumber(15)).map { _ in
                // The fourth power makes words at the beginning of the list far more frequent than other words.
                let place = Double(randomNumber(1 << 20)) / Double(1 << 20)
                return SentenceMaker.makeWord(Int(place * place * place * place * 20_000))
            }.joined(separator: " ")
        }

        /// Returns the word at a position in the list of invented words. The first words are short and the most
        /// frequent.
        static func makeWord(_ index: Int) -> String {
            let onsets = [
                "", "b", "c", "ch", "d", "f", "g", "gr", "h", "j", "k", "l", "m", "n", "p", "pl", "qu", "r", "s", "sh",
                "st", "t", "th", "tr", "v", "w", "y",
            ]
            let vowels = ["a", "e", "i", "o", "u", "ai", "ea", "oo", "ou", "ie"]
            let codas = ["", "", "", "n", "r", "s", "t", "l", "nd", "ng", "ck", "m", "st"]
            var letters = SentenceMaker(seed: UInt64(index) &+ 77)
            let syllables = index < 100 ? 1 : 1 + letters.randomNumber(3)
            return (0..<syllables).map { _ in
                onsets[letters.randomNumber(onsets.count)] + vowels[letters.randomNumber(vowels.count)]
                    + codas[letters.randomNumber(codas.count)]
            }.joined()
        }
    }
}
