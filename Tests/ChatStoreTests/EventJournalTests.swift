import Foundation
import SQLCipher
import Synchronization
import Testing

@testable import ChatStore

@Suite struct EventJournalTests {
    @Test
    func `Journal entries are numbered without gaps and published in the order of their numbers`() async throws {
        let store = try await JournalStore()
        let seen = Mutex<[UInt64]>([])
        store.journal.onPublish { entries in seen.withLock { $0 += entries.map(\.cursor.seq) } }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<200 { group.addTask { try await store.commitAndPublish("\(number)") } }
            try await group.waitForAll()
        }
        #expect(seen.withLock { $0 } == Array(1...200))
        let entries = try await store.journal.readEntries(after: 0, limit: 1000)
        #expect(entries.map(\.cursor.seq) == Array(1...200))
        #expect(Set(entries.map(\.eventJSON)).count == 200)
        #expect(try await store.journal.readEntries(after: 198, limit: 1).map(\.cursor.seq) == [199])
        #expect(try await store.journal.readEntries(after: 200, limit: 10).isEmpty)
    }

    @Test
    func `A failed transaction leaves neither an entry in the journal nor a gap in its numbers`() async throws {
        struct Failure: Error {}
        let store = try await JournalStore()
        try await store.commitAndPublish("a")
        let journal = store.journal
        await #expect(throws: Failure.self) {
            try await store.database.write { db in
                _ = try journal.append([1], userId: nil, time: .now, in: db)
                throw Failure()
            }
        }
        try await store.commitAndPublish("b")
        #expect(try await journal.readEntries(after: 0, limit: 10).map(\.cursor.seq) == [1, 2])
    }

    @Test
    func `The numbers of journal entries continue after a restart`() async throws {
        let store = try await JournalStore()
        try await store.commitAndPublish("a")
        try await store.commitAndPublish("b")
        let again = try await EventJournal.open(on: store.database, retention: JournalRetention())
        #expect(again.epoch == store.journal.epoch)
        #expect((again.oldestSeq, again.latestSeq) == (1, 2))
        #expect(try await again.readEntries(after: 1, limit: 10).map(\.eventJSON) == [Array("b".utf8)])
    }

    @Test
    func `A long event is stored compressed in the journal and read back unchanged`() async throws {
        let store = try await JournalStore()
        let text = #"{"type":"newChatItems","text":""# + String(repeating: "all the same ", count: 400) + #""}"#
        try await store.commitAndPublish(text)
        let stored = try await store.database.read { db in
            try db.firstRow("SELECT length(event) AS size FROM events")?.int64("size")
        }
        #expect(try #require(stored) < 200)
        let again = try await EventJournal.open(on: store.database, retention: JournalRetention())
        #expect(try await again.readEntries(after: 0, limit: 10).map(\.eventJSON) == [Array(text.utf8)])
    }

    @Test
    func `The journal's retention removes the oldest entries, and their numbers are not used again`() async throws {
        let store = try await JournalStore(retention: JournalRetention(count: 3, age: 3600))
        for number in 0..<10 { try await store.commitAndPublish("\(number)") }
        try await store.journal.trimEntries(now: .now)
        #expect((store.journal.oldestSeq, store.journal.latestSeq) == (8, 10))
        #expect(try await store.journal.readEntries(after: 0, limit: 10).map(\.cursor.seq) == [8, 9, 10])
        try await store.journal.trimEntries(now: .now.adding(seconds: 7200))
        #expect((store.journal.oldestSeq, store.journal.latestSeq) == (11, 10))
        let again = try await EventJournal.open(on: store.database, retention: JournalRetention())
        #expect((again.oldestSeq, again.latestSeq) == (11, 10))
        #expect(try await store.journal.readEntries(after: 0, limit: 10).isEmpty)
    }

    @Test
    func `A journal above its limit of bytes deletes its oldest entries until it is within the limit`() async throws {
        let store = try await JournalStore(retention: JournalRetention(bytes: 1000))
        let text = String(repeating: "x", count: 100)
        for _ in 0..<10 { try await store.commitAndPublish(text) }
        try await store.journal.trimEntries(now: .now)
        #expect(store.journal.oldestSeq == 1)
        for _ in 0..<27 { try await store.commitAndPublish(text) }
        try await store.journal.trimEntries(now: .now)
        #expect((store.journal.oldestSeq, store.journal.latestSeq) == (28, 37))
        try await store.commitAndPublish(text + "x")
        try await store.journal.trimEntries(now: .now)
        #expect(store.journal.oldestSeq == 30)
        let size = try await store.database.read { db in
            try db.firstRow("SELECT sum(length(event)) AS size FROM events")?.int64("size")
        }
        #expect(size == 901)
    }

    @Test
    func `A large journal entry triggers a check of the journal's size limit`() async throws {
        let store = try await JournalStore(retention: JournalRetention(bytes: 1 << 20))
        #expect(!store.journal.beginTrimIfNeeded())
        try await store.commitAndPublish(String(repeating: "x", count: 1 << 16))
        #expect(store.journal.beginTrimIfNeeded())
        #expect(!store.journal.beginTrimIfNeeded())
    }

    @Test(.timeLimit(.minutes(1)))
    func `A committed journal entry whose commit was not reported is published once, before later entries`()
        async throws
    {
        let (gate, patience) = AsyncStream.makeStream(of: Void.self)
        let store = try await JournalStore(gapPatience: { for await _ in gate { return } })
        let (published, told) = AsyncStream.makeStream(of: [JournalEntry].self)
        store.journal.onPublish { told.yield($0) }
        let first = try await store.commitEntry("first")
        store.journal.publish([try await store.commitEntry("second")])
        #expect(store.journal.latestSeq == 0)
        patience.yield()
        var seen: [JournalEntry] = []
        for await entries in published {
            seen += entries
            if seen.count == 2 { break }
        }
        #expect(seen.map { String(decoding: $0.eventJSON, as: UTF8.self) } == ["first", "second"])
        // A late report about a published entry has no effect.
        store.journal.publish([first])
        try await store.commitAndPublish("third")
        for await entries in published {
            seen += entries
            break
        }
        #expect(seen.map(\.cursor.seq) == [1, 2, 3])
        #expect(try await store.journal.readEntries(after: 0, limit: 10).map(\.cursor.seq) == [1, 2, 3])
    }

    @Test(.timeLimit(.minutes(1)))
    func `A journal entry that was deleted before its publication does not stop the publication of later ones`()
        async throws
    {
        let (gate, patience) = AsyncStream.makeStream(of: Void.self)
        let store = try await JournalStore(gapPatience: { for await _ in gate { return } })
        let (published, told) = AsyncStream.makeStream(of: [JournalEntry].self)
        store.journal.onPublish { told.yield($0) }
        _ = try await store.commitEntry("gone")
        try await store.database.write { try $0.execute("DELETE FROM events") }
        store.journal.publish([try await store.commitEntry("second")])
        patience.yield()
        for await entries in published {
            #expect(entries.map(\.cursor.seq) == [2])
            break
        }
        #expect(store.journal.latestSeq == 2)
    }

    @Test
    func `If a journal entry is changed before its publication, readers get the changed entry`() async throws {
        let store = try await JournalStore()
        let entry = try await store.commitEntry("secret")
        try await store.database.write { db in
            var texts = EventTexts(db)
            _ = try texts.rewriteText(1) { _ in Array("nothing".utf8) }
        }
        store.journal.dropFromMemory(upTo: 1)
        store.journal.publish([entry])
        #expect(try await store.journal.readEntries(after: 0, limit: 1).map(\.eventJSON) == [Array("nothing".utf8)])
    }

    @Test
    func `Cursors of journal entries are parsed from text, and invalid cursors are refused`() {
        let cursor = EventCursor(epoch: "0123456789ab", seq: 42)
        #expect(EventCursor(parsing: cursor.text) == cursor)
        for text in ["", "-", "a-", "-1", "a-b", "a-1-", "é-1", "a-99999999999999999999999", "now"] {
            #expect(EventCursor(parsing: text) == nil, "\(text)")
        }
    }
}

/// A journal in a separate database.
final class JournalStore: Sendable {
    let directory: URL
    let database: Database
    let journal: EventJournal

    init(
        retention: JournalRetention = JournalRetention(),
        gapPatience: @escaping @Sendable () async -> Void = { try? await Task.sleep(for: .seconds(10)) }
    ) async throws {
        directory = FileManager.default.temporaryDirectory.appending(path: "journal-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        database = try await Database.open(
            at: directory.appending(path: "chat.db").path,
            key: .none,
            migrations: ChatSchema.migrations
        )
        journal = try await EventJournal.open(on: database, retention: retention, gapPatience: gapPatience)
    }

    deinit { try? FileManager.default.removeItem(at: directory) }

    func commitAndPublish(_ text: String) async throws { journal.publish([try await commitEntry(text)]) }

    /// Commits an entry without reporting it.
    func commitEntry(_ text: String) async throws -> JournalEntry {
        let journal = journal
        return try await database.write { db in try journal.append(Array(text.utf8), userId: 1, time: .now, in: db) }
    }
}
