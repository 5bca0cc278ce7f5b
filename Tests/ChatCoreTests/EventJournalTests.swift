import Foundation
import SQLCipher
import Synchronization
import Testing

@testable import ChatCore

@Suite struct EventJournalTests {
    @Test("Entries are numbered without gaps, published in order, and read back the same")
    func order() async throws {
        let store = try await JournalStore()
        let seen = Mutex<[UInt64]>([])
        store.journal.onPublish { entries in seen.withLock { $0 += entries.map(\.cursor.seq) } }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<200 { group.addTask { try await store.tell("\(number)") } }
            try await group.waitForAll()
        }
        #expect(seen.withLock { $0 } == Array(1...200))
        let entries = try await store.journal.entries(after: 0, limit: 1000)
        #expect(entries.map(\.cursor.seq) == Array(1...200))
        #expect(Set(entries.map(\.event)).count == 200)
        #expect(try await store.journal.entries(after: 198, limit: 1).map(\.cursor.seq) == [199])
        #expect(try await store.journal.entries(after: 200, limit: 10).isEmpty)
    }

    @Test("A transaction that fails leaves no entry and no gap")
    func rollback() async throws {
        struct Failure: Error {}
        let store = try await JournalStore()
        try await store.tell("a")
        let journal = store.journal
        await #expect(throws: Failure.self) {
            try await store.database.write { db in
                _ = try journal.append([1], userId: nil, time: .now, in: db)
                throw Failure()
            }
        }
        try await store.tell("b")
        #expect(try await journal.entries(after: 0, limit: 10).map(\.cursor.seq) == [1, 2])
    }

    @Test("After a restart numbers go on, and older entries are read from the database")
    func restart() async throws {
        let store = try await JournalStore()
        try await store.tell("a")
        try await store.tell("b")
        let again = try await EventJournal.open(on: store.database, retention: JournalRetention())
        #expect(again.epoch == store.journal.epoch)
        #expect((again.oldest, again.latest) == (1, 2))
        #expect(try await again.entries(after: 1, limit: 10).map(\.event) == [Array("b".utf8)])
    }

    @Test("A long event is kept small and read back as it was told")
    func compression() async throws {
        let store = try await JournalStore()
        let text = #"{"type":"newChatItems","text":""# + String(repeating: "all the same ", count: 400) + #""}"#
        try await store.tell(text)
        let stored = try await store.database.read { db in try db.first("SELECT length(event) AS size FROM events")?.int64("size") }
        #expect(try #require(stored) < 200)
        let again = try await EventJournal.open(on: store.database, retention: JournalRetention())
        #expect(try await again.entries(after: 0, limit: 10).map(\.event) == [Array(text.utf8)])
    }

    @Test("Retention removes the oldest entries and their numbers are not used again")
    func retention() async throws {
        let store = try await JournalStore(retention: JournalRetention(count: 3, age: 3600))
        for number in 0..<10 { try await store.tell("\(number)") }
        try await store.journal.trim(now: .now)
        #expect((store.journal.oldest, store.journal.latest) == (8, 10))
        #expect(try await store.journal.entries(after: 0, limit: 10).map(\.cursor.seq) == [8, 9, 10])
        try await store.journal.trim(now: .now.adding(seconds: 7200))
        #expect((store.journal.oldest, store.journal.latest) == (11, 10))
        let again = try await EventJournal.open(on: store.database, retention: JournalRetention())
        #expect((again.oldest, again.latest) == (11, 10))
        #expect(try await store.journal.entries(after: 0, limit: 10).isEmpty)
    }

    @Test("Cursors are read from their text, and what is none is refused")
    func cursors() {
        let cursor = EventCursor(epoch: "0123456789ab", seq: 42)
        #expect(EventCursor(parsing: cursor.text) == cursor)
        for text in ["", "-", "a-", "-1", "a-b", "a-1-", "é-1", "a-99999999999999999999999", "now"] {
            #expect(EventCursor(parsing: text) == nil, "\(text)")
        }
    }
}

/// A journal in a database of its own.
final class JournalStore: Sendable {
    let directory: URL
    let database: Database
    let journal: EventJournal

    init(retention: JournalRetention = JournalRetention()) async throws {
        directory = FileManager.default.temporaryDirectory.appending(path: "journal-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        database = try await Database.open(
            at: directory.appending(path: "chat.db").path, key: .none, migrations: [JournalSchema.migration])
        journal = try await EventJournal.open(on: database, retention: retention)
    }

    deinit { try? FileManager.default.removeItem(at: directory) }

    func tell(_ text: String) async throws {
        let journal = journal
        let entry = try await database.write { db in
            try journal.append(Array(text.utf8), userId: 1, time: .now, in: db)
        }
        journal.publish([entry])
    }
}
