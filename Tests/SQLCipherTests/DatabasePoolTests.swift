import Concurrency
import Foundation
import SimpleXCrypto
import TestSupport
import Testing

@testable import SQLCipher

@Suite struct DatabasePoolTests {
    let folder: TemporaryFolder
    let key = DatabaseKey.raw([UInt8](repeating: 7, count: 32))

    init() throws { folder = try TemporaryFolder() }

    private struct DatabasePair: Sendable {
        let chat: Database
        let agent: Database

        var databases: [Database] { [chat, agent] }
    }

    private func openStore(_ number: Int, in pool: OpenPool) async throws -> DatabasePair {
        let member = OpenPool.PoolMember(of: pool)
        func open(_ name: String) async throws -> Database {
            let database = try await Database.open(at: folder.file("\(number)-\(name).db"), key: key, member: member)
            try await database.write { try $0.execute("CREATE TABLE IF NOT EXISTS notes (text TEXT)") }
            return database
        }
        return DatabasePair(chat: try await open("chat"), agent: try await open("agent"))
    }

    /// Number of descriptors of files in the folder, without those that only hold an identity.
    private func countDescriptors() -> Int {
        let links = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
        return links.count { link in
            let file = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/" + link)
            let facts = try? String(contentsOfFile: "/proc/self/fdinfo/" + link, encoding: .utf8)
            let flags = facts?.split(separator: "\n").first { $0.hasPrefix("flags:") }?.dropFirst(6)
            // The flag O_PATH: the descriptor only holds the identity of its file.
            let isHolding = flags.flatMap { Int($0.trimmingCharacters(in: .whitespaces), radix: 8) }
                .map { $0 & 0o10000000 != 0 }
            return file?.hasPrefix(folder.path) == true && isHolding == false
        }
    }

    @Test
    func `If only two stores can be open at a time, ten stores write and read in turn, and lose no change`()
        async throws
    {
        let pool = OpenPool(.init(open: 2))
        var stores: [DatabasePair] = []
        for number in 0..<10 { stores.append(try await openStore(number, in: pool)) }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for store in stores {
                group.addTask {
                    for round in 0..<5 {
                        for database in store.databases {
                            try await database.write {
                                try $0.execute("INSERT INTO notes (text) VALUES (?)", "\(round)")
                            }
                        }
                        let counts = [
                            try await store.chat.read { try $0.query("SELECT text FROM notes").count },
                            try await store.agent.read { try $0.query("SELECT text FROM notes").count },
                        ]
                        #expect(counts == [round + 1, round + 1])
                    }
                }
            }
            try await group.waitForAll()
        }
        let figures = pool.figures
        #expect(figures.waitCount > 0 && figures.refusalCount == 0 && figures.openCount <= 2)
        // At most two stores are open, with two databases each. A database has at most three connections with two files
        // each, and a shared index.
        #expect(countDescriptors() <= 2 * 14)
        for store in stores { for database in store.databases { await database.close() } }
        #expect(pool.figures.openCount == 0 && countDescriptors() == 0)
    }

    @Test
    func `If only one store can be open, a long read keeps it open, and a request for a second one is refused`()
        async throws
    {
        let clock = ManualClock()
        let pool = OpenPool(.init(open: 1), clock: clock)
        let (one, two) = (try await openStore(1, in: pool), try await openStore(2, in: pool))
        let gate = Gate()
        let read = Task {
            try await one.chat.read { connection in
                gate.waitUntilOpen()
                return try connection.query("SELECT text FROM notes").count
            }
        }
        await gate.waitUntilReached()
        let refused = Task {
            try await PoolRequest.runAsRequest {
                try await two.chat.write { try $0.execute("INSERT INTO notes (text) VALUES ('a')") }
            }
        }
        try await waitUntil("the request waits") { pool.figures.waitingCount == 1 && clock.sleeperCount == 1 }
        clock.advance(by: pool.limits.maxFirstWait)
        await #expect(throws: DatabaseError.poolExhausted(isFirst: true)) { try await refused.value }
        // The busy store uses its other database without a wait.
        try await one.agent.write { try $0.execute("INSERT INTO notes (text) VALUES ('b')") }
        gate.open()
        #expect(try await read.value == 0)
        #expect(try await two.chat.read { try $0.query("SELECT text FROM notes").count } == 0)
        for store in [one, two] { for database in store.databases { await database.close() } }
    }

    @Test
    func `A store whose writes are suspended can be closed for a second store, and its write is done later`()
        async throws
    {
        let pool = OpenPool(.init(open: 1))
        let (one, two) = (try await openStore(1, in: pool), try await openStore(2, in: pool))
        try await one.chat.write { try $0.execute("INSERT INTO notes (text) VALUES ('a')") }
        let hold = try await one.chat.holdWrites()
        try await two.chat.write { try $0.execute("INSERT INTO notes (text) VALUES ('b')") }
        let write = Task { try await one.chat.write { try $0.execute("INSERT INTO notes (text) VALUES ('c')") } }
        #expect(try await one.chat.read { try $0.query("SELECT text FROM notes").count } == 1)
        hold.endHold()
        try await write.value
        #expect(try await one.chat.read { try $0.query("SELECT text FROM notes").count } == 2)
        for store in [one, two] { for database in store.databases { await database.close() } }
    }

    @Test
    func `A suspended write does not keep its store open, so a second store can be opened meanwhile`() async throws {
        let pool = OpenPool(.init(open: 1))
        let (one, two) = (try await openStore(1, in: pool), try await openStore(2, in: pool))
        let (waits, isWaiting) = AsyncStream.makeStream(of: Void.self)
        let hold = try await one.chat.holdWrites { isWaiting.finish() }
        let write = Task { try await one.chat.write { try $0.execute("INSERT INTO notes (text) VALUES ('a')") } }
        for await _ in waits {}
        try await two.chat.write { try $0.execute("INSERT INTO notes (text) VALUES ('b')") }
        #expect(try await one.chat.read { try $0.query("SELECT text FROM notes").count } == 0)
        #expect(try await two.chat.read { try $0.query("SELECT text FROM notes").count } == 1)
        hold.endHold()
        try await write.value
        #expect(try await one.chat.read { try $0.query("SELECT text FROM notes").count } == 1)
        for store in [one, two] { for database in store.databases { await database.close() } }
    }

    @Test
    func `If writes of a store are suspended when it is opened for a write, a second store can be opened`()
        async throws
    {
        let pool = OpenPool(.init(open: 1))
        let (one, two) = (try await openStore(1, in: pool), try await openStore(2, in: pool))
        let gate = Gate()
        let read = Task {
            try await two.chat.read { _ in gate.waitUntilOpen() }
        }
        await gate.waitUntilReached()
        let write = Task { try await one.chat.write { try $0.execute("INSERT INTO notes (text) VALUES ('a')") } }
        try await waitUntil("the write waits for the other store") { pool.figures.waitingCount == 1 }
        let (waits, isWaiting) = AsyncStream.makeStream(of: Void.self)
        let hold = try await one.chat.holdWrites { isWaiting.finish() }
        gate.open()
        try await read.value
        for await _ in waits {}
        #expect(try await two.chat.read { try $0.query("SELECT text FROM notes").count } == 0)
        hold.endHold()
        try await write.value
        #expect(try await one.chat.read { try $0.query("SELECT text FROM notes").count } == 1)
        for store in [one, two] { for database in store.databases { await database.close() } }
    }

    @Test
    func `A suspended write is refused when its database is closed`() async throws {
        let one = try await openStore(1, in: OpenPool(.init(open: 1)))
        let (waits, isWaiting) = AsyncStream.makeStream(of: Void.self)
        let hold = try await one.chat.holdWrites { isWaiting.finish() }
        let write = Task { try await one.chat.write { try $0.execute("INSERT INTO notes (text) VALUES ('a')") } }
        for await _ in waits {}
        let closing = Task { await one.chat.close() }
        await #expect(throws: DatabaseError.closed) { try await write.value }
        hold.endHold()
        await closing.value
        await one.agent.close()
    }

    @Test
    func `During a copy of its database, a store can be closed for a second store, and no change is lost`()
        async throws
    {
        let pool = OpenPool(.init(open: 1))
        let (one, two) = (try await openStore(1, in: pool), try await openStore(2, in: pool))
        try await one.chat.write { try $0.execute("INSERT INTO notes (text) VALUES ('a')") }
        let gate = Gate()
        // The copying of a database reads with the same function.
        let copying = Task { [key, path = one.chat.path] in
            try await Database.read(at: path, key: key) { connection in
                let count = try connection.query("SELECT text FROM notes").count
                gate.waitUntilOpen()
                return count
            }
        }
        await gate.waitUntilReached()
        try await one.chat.write { try $0.execute("INSERT INTO notes (text) VALUES ('b')") }
        let rests = one.chat.idleCloseCount
        #expect(try await two.chat.read { try $0.query("SELECT text FROM notes").count } == 0)
        #expect(pool.figures.openCount == 1 && one.chat.idleCloseCount == rests + 1)
        #expect(FileManager.default.fileExists(atPath: one.chat.path + "-wal"))
        gate.open()
        #expect(try await copying.value == 1)
        #expect(try await one.chat.read { try $0.query("SELECT text FROM notes").count } == 2)
        for store in [one, two] { for database in store.databases { await database.close() } }
    }

    @Test
    func `If its write-ahead log is unreadable, a store can be closed for a second store, and loses no change`()
        async throws
    {
        let pool = OpenPool(.init(open: 1))
        let (one, two) = (try await openStore(1, in: pool), try await openStore(2, in: pool))
        try await one.chat.write { try $0.execute("INSERT INTO notes (text) VALUES ('a')") }
        let log = one.chat.path + "-wal"
        let content = try Data(contentsOf: URL(fileURLWithPath: log))
        // SQLite gets an input error for each page of the log. A full disk has the same consequence.
        #expect(content.count > 32 && truncate(log, 32) == 0)
        let rests = one.chat.idleCloseCount
        #expect(try await two.chat.read { try $0.query("SELECT text FROM notes").count } == 0)
        #expect(pool.figures.openCount == 1 && one.chat.idleCloseCount == rests + 1)
        try content.write(to: URL(fileURLWithPath: log))
        #expect(try await one.chat.read { try $0.query("SELECT text FROM notes").count } == 1)
        for store in [one, two] { for database in store.databases { await database.close() } }
    }

    @Test
    func `A checkpoint of a store whose databases are closed does not open the databases`() async throws {
        let pool = OpenPool(.init(open: 1))
        let (one, two) = (try await openStore(1, in: pool), try await openStore(2, in: pool))
        let closes = pool.figures.closeCount
        try await one.chat.checkpoint()
        #expect(pool.figures.closeCount == closes)
        for store in [one, two] { for database in store.databases { await database.close() } }
    }
}
