import Testing

@testable import SQLCipher

@Suite struct StatementTests {
    let folder: TemporaryFolder
    let database: Database

    init() async throws {
        folder = try TemporaryFolder()
        database = try await Database.open(
            at: folder.file("a.db"),
            key: .raw([UInt8](repeating: 7, count: 32)),
            migrations: [Migration(name: "notes", sql: "CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT)")]
        )
    }

    @Test
    func `A full cache of prepared statements drops the least recently used statement`() async throws {
        let capacity = DatabaseConnection.maxCachedStatements
        let (count, kept, forgotten) = try await database.write { connection in
            for number in 0..<capacity {
                try connection.execute("SELECT \(number)")
                try connection.execute("SELECT 0")
            }
            for number in capacity..<(capacity + 10) { try connection.execute("SELECT \(number)") }
            return (
                connection.statements.count, connection.statements.contains("SELECT 0"),
                connection.statements.contains("SELECT 1")
            )
        }
        #expect(count == capacity && kept && !forgotten)
    }

    @Test
    func `A statement that failed can run again, without the parameter values of the failed run`() async throws {
        let rows = try await database.write { connection in
            let sql = "INSERT INTO notes (id, text) VALUES (?, ?)"
            try connection.execute(sql, 1, "a")
            #expect(throws: DatabaseError.self) { try connection.execute(sql, 1, "b") }
            try connection.execute(sql, 2, nil)
            return try connection.query("SELECT text FROM notes ORDER BY id").map { try $0.stringOrNil("text") }
        }
        #expect(rows == ["a", nil])
    }

    @Test
    func `A statement with too few or too many parameter values causes an error`() async throws {
        try await database.write { connection in
            #expect(throws: DatabaseError.self) { try connection.execute("SELECT ?, ?", 1) }
            #expect(throws: DatabaseError.self) { try connection.execute("SELECT ?", 1, 2) }
        }
    }

    @Test
    func `An SQL text with two statements, no statement or a syntax error is refused`() async throws {
        try await database.write { connection in
            #expect(throws: DatabaseError.self) { try connection.execute("SELECT 1; DELETE FROM notes") }
            #expect(throws: DatabaseError.self) { try connection.execute("") }
            #expect(throws: DatabaseError.self) { try connection.execute("SELEKT") }
            try connection.execute("SELECT 1; -- one")
        }
    }

    @Test
    func `A cached statement returns the columns of a schema that was changed after its preparation`() async throws {
        let row = try await database.write { connection in
            try connection.execute("INSERT INTO notes (text) VALUES ('a')")
            _ = try connection.query("SELECT * FROM notes")
            try connection.execute("ALTER TABLE notes ADD COLUMN extra TEXT DEFAULT 'e'")
            return try connection.firstRow("SELECT * FROM notes")
        }
        #expect(try row?.string("extra") == "e")
    }

    @Test
    func `Extreme values are stored in a database and read unchanged`() async throws {
        let blob = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        let values: [DatabaseValue] = [
            .text("a\0b\0"), .blob(blob), .integer(.min), .integer(.max), .real(-0.0), .null, .text(""),
        ]
        let back = try await database.write { connection in
            try connection.execute("CREATE TABLE any_values (id INTEGER PRIMARY KEY, value)")
            for value in values { try connection.execute("INSERT INTO any_values (value) VALUES (?)", value) }
            return try connection.query("SELECT value FROM any_values ORDER BY id").map(\.values)
        }
        #expect(back == values.map { [$0] })
    }

    @Test
    func `'forEachBlob' passes the row id and the bytes of each row to its caller`() async throws {
        let rows = try await database.write { connection in
            try connection.execute("CREATE TABLE blobs (id INTEGER PRIMARY KEY, bytes BLOB)")
            for size in [0, 1, 5_000] {
                try connection.execute("INSERT INTO blobs VALUES (?, ?)", size, [UInt8](repeating: 9, count: size))
            }
            try connection.execute("INSERT INTO blobs VALUES (?, NULL)", 6_000)
            var rows: [String] = []
            try connection.forEachBlob("SELECT id, bytes FROM blobs WHERE id >= ? ORDER BY id", arguments: [0]) {
                number,
                bytes in
                var sum = 0
                for index in bytes.indices { sum += Int(bytes[index]) }
                rows.append("\(number) \(bytes.count) \(sum)")
            }
            for sql in ["SELECT id FROM blobs", "SELECT id, bytes, 1 FROM blobs"] {
                #expect(throws: DatabaseError.self) { try connection.forEachBlob(sql, arguments: []) { _, _ in } }
            }
            return rows
        }
        #expect(rows == ["0 0 0", "1 1 9", "5000 5000 45000", "6000 0 0"])
    }

    @Test
    func `Columns of a row are read by index, and a wrong index causes an error`() async throws {
        let row = try #require(try await database.read { try $0.firstRow("SELECT 1, 'a', x'02', 0.5, NULL") })
        #expect(
            try row.int64(0) == 1 && row.bool(0) && row.string(1) == "a" && row.blob(2) == [2] && row.double(3) == 0.5
        )
        #expect(try row.stringOrNil(4) == nil)
        #expect(throws: DatabaseError.invalidColumn("4")) { try row.string(4) }
        #expect(throws: DatabaseError.invalidColumn("5")) { try row.int64OrNil(5) }
        #expect(throws: DatabaseError.invalidColumn("-1")) { try row.int64(-1) }
    }

    @Test
    func `A connection for reads stays usable after a read that throws an error or ends the transaction`() async throws
    {
        struct Stop: Error {}
        for _ in 0..<4 {
            await #expect(throws: Stop.self) { try await database.read { _ in throw Stop() } }
            try await database.read { try $0.execute("COMMIT") }
        }
        #expect(try await database.read { try $0.firstRow("SELECT 1")?.int64(0) } == 1)
    }

    @Test
    func `A statement that writes fails with the error readOnly inside a read`() async throws {
        await #expect(throws: DatabaseError.readOnly) {
            try await database.read { try $0.execute("DELETE FROM notes") }
        }
    }

    @Test
    func `Many database reads finish while one read is slow`() async throws {
        let gate = Gate()
        let slow = Task { [database] in try await database.read { _ in gate.waitUntilOpen() } }
        await gate.waitUntilReached()
        for number in 0..<50 {
            #expect(try await database.read { try $0.firstRow("SELECT ?", number)?.int64(0) } == Int64(number))
        }
        gate.open()
        try await slow.value
    }
}
