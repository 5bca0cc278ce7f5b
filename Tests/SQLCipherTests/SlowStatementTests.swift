import Synchronization
import Testing

@testable import SQLCipher

@Suite struct SlowStatementTests {
    @Test
    func `A slow statement of a database is recorded and reported, and a quick statement is not`() async throws {
        let folder = try TemporaryFolder()
        let database = try await Database.open(
            at: folder.file("a.db"),
            key: .none,
            migrations: [Migration(name: "a", sql: "CREATE TABLE t (n INTEGER)")],
            limit: StatementLimit(.milliseconds(150))
        )
        let reported = Mutex<[String]>([])
        database.slowStatements.setReportFunction { text, _ in reported.withLock { $0.append(text) } }
        let endless = "WITH RECURSIVE c(x) AS (SELECT ? UNION ALL SELECT x + 1 FROM c) SELECT count(*) FROM c"
        for number in 1...2 {
            await #expect(throws: DatabaseError.interrupted) {
                try await database.read { db in try db.execute(endless, Int64(number)) }
            }
        }
        let slow = try #require(database.slowStatements.all.first { $0.text == endless })
        #expect(slow.count == 2 && slow.averageMicroseconds >= 150_000)
        #expect(slow.maxMicroseconds >= slow.averageMicroseconds)
        #expect(reported.withLock { $0.filter { $0 == endless }.count } == 2)
        await database.close()
    }

    @Test
    func `The record of slow statements has at most 100 statements, and keeps the slowest`() {
        let statements = SlowStatements()
        let limit = SlowStatements.maxStatements
        for number in 1...limit {
            statements.recordRun(
                of: "SELECT \(number)",
                nanoseconds: SlowStatements.minNanoseconds + Int64(number) * 1_000
            )
        }
        statements.recordRun(of: "quick", nanoseconds: SlowStatements.minNanoseconds - 1)
        statements.recordRun(of: "shorter than all", nanoseconds: SlowStatements.minNanoseconds)
        statements.recordRun(of: "longest", nanoseconds: SlowStatements.minNanoseconds * 2)
        let texts = statements.all.map(\.text)
        #expect(texts.count == limit && texts.first == "longest")
        #expect(!texts.contains("SELECT 1") && !texts.contains("quick") && !texts.contains("shorter than all"))
        statements.recordRun(of: "longest", nanoseconds: SlowStatements.minNanoseconds)
        let longest = statements.all.first { $0.text == "longest" }
        #expect(longest?.count == 2 && longest?.averageMicroseconds == 150_000 && longest?.maxMicroseconds == 200_000)
    }
}
