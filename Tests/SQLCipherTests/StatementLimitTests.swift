import SimpleXCrypto
import Synchronization
import Testing

@testable import SQLCipher

@Suite("Statements that take too long") struct StatementLimitTests {
    private static let endlessQuery =
        "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT count(*) FROM c"
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func openDatabase(_ limit: StatementLimit = StatementLimit()) async throws -> Database {
        try await Database.open(
            at: folder.file("a.db"),
            key: .none,
            migrations: [Migration(name: "a", sql: "CREATE TABLE t (n INTEGER)")],
            limit: limit
        )
    }

    @Test
    func `A database statement fails at its time limit, and the database stays usable`() async throws {
        let database = try await openDatabase(StatementLimit(.milliseconds(50)))
        await #expect(throws: DatabaseError.interrupted) {
            try await database.read { db in try db.execute(Self.endlessQuery) }
        }
        try await database.write { db in
            try db.executeScript(
                "CREATE TABLE other (n INTEGER); CREATE TRIGGER slow AFTER INSERT ON other BEGIN SELECT (\(Self.endlessQuery)); END"
            )
        }
        await #expect(throws: DatabaseError.interrupted) {
            try await database.write { db in try db.execute("INSERT INTO other VALUES (1)") }
        }
        try await database.write { db in try db.execute("INSERT INTO t VALUES (1)") }
        #expect(
            try await database.read { db in try db.query("SELECT n FROM t UNION ALL SELECT n FROM other").count } == 1
        )
        await database.close()
    }

    @Test
    func `A write that is interrupted at its time limit does not affect the other writes of its shared commit`()
        async throws
    {
        let database = try await openDatabase(StatementLimit(.milliseconds(50)))
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 1...20 {
                group.addTask {
                    try await database.write { db in try db.execute("INSERT INTO t VALUES (?)", Int64(number)) }
                }
            }
            group.addTask {
                await #expect(throws: DatabaseError.interrupted) {
                    try await database.write { db in
                        try db.execute("INSERT INTO t VALUES (0)")
                        try db.execute("INSERT INTO t \(Self.endlessQuery)")
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(
            try await database.read { db in try db.query("SELECT n FROM t ORDER BY n").map { try $0.int64(0) } }
                == Array(1...20)
        )
        await database.close()
    }

    @Test
    func `A database with an endless statement can be closed after the statement is interrupted`() async throws {
        let limit = StatementLimit()
        let database = try await openDatabase(limit)
        let hasBegun = AsyncStream.makeStream(of: Void.self)
        let write = Task {
            try await database.write { db in
                hasBegun.continuation.yield()
                try db.execute(Self.endlessQuery)
            }
        }
        for await _ in hasBegun.stream { break }
        limit.endStatements()
        await database.close()
        await #expect(throws: DatabaseError.interrupted) { try await write.value }
    }

    @Test
    func `A statement that was interrupted succeeds when it runs again after statements are permitted again`()
        async throws
    {
        let limit = StatementLimit()
        let database = try await openDatabase(limit)
        let long =
            "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c WHERE x < 100000) SELECT count(*) FROM c"
        limit.endStatements()
        await #expect(throws: DatabaseError.interrupted) { try await database.read { db in try db.execute(long) } }
        limit.allowStatements()
        #expect(try await database.read { db in try db.firstRow(long)?.int64(0) } == 100_000)
        await database.close()
    }

    @Test
    func `An endless database migration is interrupted, and opening the database fails`() async throws {
        let limit = StatementLimit()
        let opening = Task {
            let migration = Migration(name: "a", sql: "CREATE TABLE t AS \(Self.endlessQuery)")
            return try await Database.open(at: folder.file("a.db"), key: .none, migrations: [migration], limit: limit)
        }
        limit.endStatements()
        await #expect(throws: DatabaseError.interrupted) { try await opening.value }
    }

    @Test
    func `A slow read that exceeds the usual time limit succeeds with the long time limit`()
        async throws
    {
        let limit = StatementLimit(.milliseconds(1))
        let database = try await openDatabase(limit.longLimit)
        let numbers = "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c WHERE x < 100000)"
        let read = numbers + " SELECT count(*) FROM c"
        #expect(try await database.read { db in try db.firstRow(read)?.int64(0) } == 100_000)
        limit.endStatements()
        await #expect(throws: DatabaseError.interrupted) { try await database.read { db in try db.execute(read) } }
        await database.close()
    }
}
