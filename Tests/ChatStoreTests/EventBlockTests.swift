import ChatProtocol
import ChatStoreTestSupport
import Foundation
import SQLCipher
import TestSupport
import Testing

@testable import ChatStore

@Suite("Blocks of journal entries")
struct EventBlockTests {
    private static func makeEvent(_ number: Int, _ chat: Int = 1) -> String {
        #"{"type":"newChatItems","chatItems":[{"chatInfo":{"type":"group","groupInfo":{"groupId":\#(chat),"localDisplayName":"quokkas of \#(chat)"}},"#
            + #""chatItem":{"chatDir":{"type":"groupSnd"},"meta":{"itemId":\#(number),"itemText":"wombat \#(number)"},"content":{"type":"sndMsgContent"},"mentions":{},"reactions":[]}}]}"#
    }

    /// Packs repeatedly until no more entries can be packed.
    private func packAll(_ journal: EventJournal) async throws { for _ in 0..<10 { try await journal.packEntries() } }

    private func readTexts(_ database: Database) async throws -> [String] {
        let journal = try await EventJournal.open(on: database, retention: JournalRetention())
        return try await journal.readEntries(after: 0, limit: 1000).map {
            String(decoding: $0.eventJSON, as: UTF8.self)
        }
    }

    private func readUnpackedNumbers(_ database: Database) async throws -> [Int64] {
        try await database.read { db in
            try db.query("SELECT seq FROM events WHERE length(event) > 0 ORDER BY seq").map { try $0.int64("seq") }
        }
    }

    @Test
    func `Older journal entries are packed into blocks and read back unchanged`() async throws {
        let store = try await JournalStore()
        for number in 1...200 { try await store.commitAndPublish(Self.makeEvent(number)) }
        let before = try await store.database.read { db in
            try db.firstRow("SELECT sum(length(event)) AS size FROM events WHERE seq <= 128")?.int64("size") ?? 0
        }
        try await packAll(store.journal)
        #expect(try await readUnpackedNumbers(store.database) == Array(129...200))
        let after = try await store.database.read { db in
            try db.firstRow("SELECT sum(length(texts)) AS size FROM event_blocks")?.int64("size") ?? 0
        }
        #expect(after > 0 && after < before / 3)
        #expect(try await readTexts(store.database) == (1...200).map { Self.makeEvent($0) })
        let journal = try await EventJournal.open(on: store.database, retention: JournalRetention())
        #expect(
            try await journal.readEntries(after: 62, limit: 4).map { String(decoding: $0.eventJSON, as: UTF8.self) }
                == (63...66).map { Self.makeEvent($0) }
        )
    }

    @Test
    func `The journal requests no second packing into blocks while entries are being packed`() async throws {
        let store = try await JournalStore()
        #expect(!store.journal.beginPackingIfNeeded())
        for number in 1...64 { try await store.commitAndPublish(Self.makeEvent(number)) }
        #expect(store.journal.beginPackingIfNeeded())
        // While entries are being packed, the journal requests no second packing.
        for number in 65...192 { try await store.commitAndPublish(Self.makeEvent(number)) }
        #expect(!store.journal.beginPackingIfNeeded())
        try await store.journal.packEntries()
        #expect(store.journal.beginPackingIfNeeded())
    }

    @Test
    func `A store packs its journal entries into blocks without a request, and readers get unchanged entries`()
        async throws
    {
        let store = try await TemporaryStore()
        for _ in 1...200 { try await store.chats.write { tx in try tx.emit(.chatSuspended, user: nil) } }
        try await waitUntil("older entries are together") {
            try await readUnpackedNumbers(store.chats.database).count < 200
        }
        #expect(try await readTexts(store.chats.database) == Array(repeating: #"{"type":"chatSuspended"}"#, count: 200))
    }

    @Test
    func `A journal entry that is too long for a block stays outside of blocks`() async throws {
        let store = try await JournalStore()
        let long = String(repeating: "wombat ", count: EventBlock.maxTextBytes / 4)
        let texts = (1...200).map { $0 == 30 ? long : Self.makeEvent($0) }
        for text in texts { try await store.commitAndPublish(text) }
        try await packAll(store.journal)
        #expect(try await readUnpackedNumbers(store.database) == Array(95...200))
        #expect(try await readTexts(store.database) == texts)
    }

    @Test
    func `A new block of journal entries is discarded if one of its entries changes before the block is stored`()
        async throws
    {
        let store = try await JournalStore()
        for number in 1...64 { try await store.commitAndPublish(Self.makeEvent(number)) }
        let draft = try #require(try await store.database.read { db in try EventBlock.Draft(upTo: 64, db) })
        try await store.database.write { db in
            var texts = EventTexts(db)
            _ = try texts.rewriteText(7) { _ in EventRedaction.redactedEvent }
        }
        #expect(try await store.database.write { db in try draft.store(db) } == false)
        #expect(try await readTexts(store.database)[6] == #"{"type":"redacted"}"#)
        let again = try #require(try await store.database.read { db in try EventBlock.Draft(upTo: 64, db) })
        #expect(try await store.database.write { db in try again.store(db) })
        #expect(try await readTexts(store.database)[6] == #"{"type":"redacted"}"#)
        #expect(try await readUnpackedNumbers(store.database).isEmpty)
        #expect(try await store.database.write { db in try again.store(db) } == false)
    }

    @Test
    func `The journal's retention deletes the texts of expired entries from their blocks`() async throws {
        let store = try await JournalStore(retention: JournalRetention(count: 100, age: 3600))
        for number in 1...200 { try await store.commitAndPublish(Self.makeEvent(number)) }
        try await packAll(store.journal)
        try await store.journal.trimEntries(now: .now)
        #expect(try await readTexts(store.database) == (101...200).map { Self.makeEvent($0) })
        #expect(try await readBlocks(store.database).map(\.key).sorted() == Array(101...128))
        try await store.journal.trimEntries(now: .now.adding(seconds: 7200))
        #expect(try await readBlocks(store.database).isEmpty)
    }

    private func readBlocks(_ database: Database) async throws -> [Int64: [UInt8]] {
        try await database.read { db in
            var texts: [Int64: [UInt8]] = [:]
            for row in try db.query("SELECT last_seq FROM event_blocks") {
                let block = try #require(try EventBlock.find(row.int64("last_seq"), db))
                texts.merge(block.texts) { $1 }
            }
            return texts
        }
    }

    /// Makes a journal of two users with messages in chats 1 and 2 of each, and packs the older entries.
    private func makeStore() async throws -> TemporaryStore {
        let store = try await TemporaryStore()
        for number in 1...200 {
            let (user, chat) = (Int64(1 + number % 2), 1 + number / 2 % 2)
            let entry = try await store.chats.database.write { [journal = store.chats.journal] db in
                try journal.append(
                    Array(Self.makeEvent(number, chat).utf8),
                    userId: user,
                    subjects: [EventSubject(chatText: "#\(chat)", itemId: Int64(number))],
                    time: .now,
                    in: db
                )
            }
            store.chats.journal.publish([entry])
        }
        try await packAll(store.chats.journal)
        #expect(try await readUnpackedNumbers(store.chats.database) == Array(129...200))
        return store
    }

    @Test(arguments: [[4], [4, 8, 72, 132]])
    func `Deleting a message removes only its own text from its block of journal entries`(deleted: [Int64]) async throws
    {
        let store = try await makeStore()
        try await store.chats.write { tx in
            for item in deleted { tx.redactions.addItem(item, of: .init(userId: 1, subjectText: "#1")) }
        }
        let texts = try await readTexts(store.chats.database)
        for (index, text) in texts.enumerated() {
            let number = Int64(index + 1)
            #expect(text.contains("wombat \(number)\"") != deleted.contains(number), "\(number): \(text)")
        }
        #expect(deleted.allSatisfy { texts[Int($0) - 1].contains(#""type":"sndDeleted""#) })
        let kept = try await readBlocks(store.chats.database)
        #expect(kept.count == 128 - deleted.count { $0 <= 128 })
        #expect(
            try await store.chats.journal.readEntries(after: 0, limit: 1000).map {
                String(decoding: $0.eventJSON, as: UTF8.self)
            } == texts
        )
    }

    @Test(arguments: [true, false])
    func `Clearing or deleting a chat redacts only the events of this chat in blocks of journal entries`(
        isCleared: Bool
    ) async throws {
        let store = try await makeStore()
        try await store.chats.write { tx in
            let chat = Redactions.Chat(userId: 1, subjectText: "#1")
            if isCleared { tx.redactions.addAllItems(of: chat) } else { tx.redactions.addChat(chat) }
        }
        let texts = try await readTexts(store.chats.database)
        for (index, text) in texts.enumerated() {
            let number = index + 1
            let isDeleted = number % 2 == 0 && number / 2 % 2 == 0
            #expect(text == (isDeleted ? #"{"type":"redacted"}"# : Self.makeEvent(number, 1 + number / 2 % 2)))
        }
        #expect(try await readBlocks(store.chats.database).count == 96)
    }

    @Test
    func `Journal entries of a deleted user are removed from their blocks`() async throws {
        let store = try await makeStore()
        try await store.chats.write { tx in try tx.deleteEvents(of: 1) }
        #expect(
            try await readTexts(store.chats.database)
                == stride(from: 1, through: 199, by: 2).map { Self.makeEvent($0, 1 + $0 / 2 % 2) }
        )
        #expect(try await readBlocks(store.chats.database).count == 64)
        // After the removal, packing still succeeds and loses no entry.
        try await store.chats.journal.packEntries()
        #expect(try await readTexts(store.chats.database).count == 100)
    }

    @Test
    func `A damaged block of journal entries is reported, and not read as events`() async throws {
        let store = try await JournalStore()
        for number in 1...128 { try await store.commitAndPublish(Self.makeEvent(number)) }
        try await packAll(store.journal)
        let bytes = try await store.database.read { db in
            try db.firstRow("SELECT texts FROM event_blocks")?.blob("texts") ?? []
        }
        for damaged in [
            [], [1, 2, 3], Array(bytes.dropLast(3)),
            EventCompression.blockDictionary.compress([0, 0, 0, 0, 255, 255, 255, 255, 1]) ?? [],
            EventCompression.blockDictionary.compress([0, 0]) ?? [],
        ] {
            try await store.database.write { db in try db.execute("UPDATE event_blocks SET texts = ?", damaged) }
            await #expect(throws: ChatProtocolError.self) { try await readTexts(store.database) }
        }
    }
}
