import Foundation
import SimpleXCrypto
import Testing

@testable import ForeignData
@testable import SQLCipher

@Suite struct ForeignDatabaseTests {
    @Test(arguments: [DatabaseKey.none, .passphrase("words"), .raw([UInt8](repeating: 7, count: 32))])
    func `Values of all SQLite types are read from a foreign database with each kind of database key`(
        key: DatabaseKey
    ) async throws {
        let hostile = try await HostileDatabase(key: key)
        try hostile.runStatements(
            "INSERT INTO people VALUES (3, 'Ann', x'00ff', 1.5, NULL, 'a/b', 12, 'a'), (9, '', x'', -2, 3, NULL, 0, NULL)",
            "INSERT INTO words VALUES ('one'), ('two')"
        )
        let (database, others) = try hostile.readRows()
        #expect(others == [])
        let people = try database.query("SELECT * FROM people ORDER BY person_id").map(\.values)
        #expect(
            people == [
                [
                    .integer(3), .text("Ann"), .blob([0, 255]), .real(1.5), .null, .text("a/b"), .integer(12),
                    .text("a"),
                ],
                [.integer(9), .text(""), .blob([]), .real(-2), .integer(3), .null, .integer(0), .null],
            ]
        )
        #expect(try database.queryTexts("SELECT word FROM words") == ["one", "two"])
        #expect(try database.queryNumber("SELECT seq FROM sqlite_sequence WHERE name = 'people'") == 9)
    }

    @Test
    func `Triggers and unknown views and tables of a foreign database are reported and not copied`() async throws {
        let hostile = try await HostileDatabase()
        try hostile.runStatements(
            "CREATE TRIGGER zz AFTER INSERT ON people BEGIN SELECT rtreenode(1, x'000003e8'); END",
            "CREATE VIEW spy AS SELECT fts3_tokenizer('simple')",
            "CREATE VIRTUAL TABLE letters USING fts3(a)",
            "CREATE TABLE \"odd \"\" name\" (\"a \"\" b\")",
            "CREATE INDEX odd ON words (abs(length(word)))",
            "INSERT INTO people (name) VALUES ('Ann')"
        )
        let (database, others) = try hostile.readRows()
        #expect(Set(others).isSuperset(of: ["trigger zz", "view spy", "table letters", "table odd \" name"]))
        #expect(try database.queryTexts("SELECT name FROM sqlite_master WHERE type = 'trigger'") == ["people_seen"])
        // The trigger ran when the row was created. It does not run for copied rows, and runs again for later rows.
        #expect(try database.queryNumber("SELECT n FROM seen") == 1)
        try database.execute("INSERT INTO people (name) VALUES ('Bob')")
        #expect(try database.queryNumber("SELECT n FROM seen") == 2)
    }

    @Test(arguments: [
        "CREATE VIEW words AS SELECT 'a' AS word", "CREATE VIRTUAL TABLE words USING fts3(word)",
    ])
    func `A foreign database is refused if a view or virtual table has the name of a required table`(
        statement: String
    ) async throws {
        let hostile = try await HostileDatabase()
        try hostile.runStatements("DROP TABLE words", statement)
        #expect(throws: ForeignDataError.missingPart("the table words")) { try hostile.readRows() }
    }

    @Test
    func `A foreign database without a required column is refused`() async throws {
        let hostile = try await HostileDatabase()
        try hostile.runStatements("DROP TABLE words", "CREATE TABLE words (other)")
        #expect(throws: ForeignDataError.missingPart("words.word")) { try hostile.readRows() }
        #expect(
            try hostile.readRows(DatabaseRules(columns: [:], mayLack: true)).database.queryTexts(
                "SELECT word FROM words"
            ) == []
        )
    }

    @Test
    func `A foreign database with statistics that make SQLite 3.15 divide by zero is read`() async throws {
        let hostile = try await HostileDatabase()
        try hostile.runStatements(
            "INSERT INTO people (name) VALUES ('Ann')",
            "CREATE INDEX names ON people (name)",
            "ANALYZE",
            "UPDATE sqlite_stat1 SET stat = stat || ' sz=0'",
            "INSERT INTO sqlite_stat1 VALUES ('people', NULL, 'sz=0'), ('words', NULL, 'sz=0')"
        )
        #expect(try hostile.readRows().database.queryTexts("SELECT name FROM people") == ["Ann"])
    }

    @Test(
        arguments: [
            (-1, 5), (Int64.max, ForeignDatabase.maxCounter), (Int64.min, 5), (70, 70),
        ] as [(Int64, Int64)]
    )
    func `An impossible counter of row ids in a foreign database is replaced by a valid counter`(
        told: Int64,
        kept: Int64
    ) async throws {
        let hostile = try await HostileDatabase()
        try hostile.runStatements(
            "INSERT INTO people (person_id, name) VALUES (5, 'Ann')",
            "UPDATE sqlite_sequence SET seq = \(told)",
            "INSERT INTO sqlite_sequence VALUES ('words', 9), ('none', 9), ('people', 'text'), (x'00', 1.5)"
        )
        let database = try hostile.readRows().database
        #expect(
            try database.query("SELECT name, seq FROM sqlite_sequence").map(\.values) == [
                [.text("people"), .integer(kept)]
            ]
        )
    }

    @Test(arguments: [
        ("person_id", "9223372036854775807", "is not from 0 to 562949953421312"),
        ("person_id", "-1", "is not from 0 to 562949953421312"),
        ("friend_id", "-5", "is not from 0 to 562949953421312"),
        ("friend_id", "x'00'", "has a value of another type"),
        ("weight", "9e999", "has a value of another type"), ("picture", "7", "has a value of another type"),
        ("kind", "'c'", "is not a valid kind of a person"),
    ])
    func `An invalid value in a foreign database is refused with the name of its column`(
        column: String,
        value: String,
        reason: String
    ) async throws {
        let hostile = try await HostileDatabase()
        try hostile.runStatements("INSERT INTO people (name) VALUES ('Ann')", "UPDATE people SET \(column) = \(value)")
        #expect(throws: ForeignDataError.badValue(column: "people.\(column)", reason: reason)) {
            try hostile.readRows()
        }
    }

    @Test
    func `A missing required value and a dangling reference in a foreign database are refused`() async throws {
        var hostile = try await HostileDatabase()
        try hostile.runStatements(
            "DROP TABLE words",
            "CREATE TABLE words (word TEXT)",
            "INSERT INTO words VALUES (NULL)"
        )
        #expect(throws: ForeignDataError.badValue(column: "words.word", reason: "is missing")) {
            try hostile.readRows()
        }
        hostile = try await HostileDatabase()
        try hostile.runStatements("INSERT INTO people (name, friend_id) VALUES ('Ann', 77)")
        #expect(throws: DatabaseError.foreignKeyViolation) { try hostile.readRows() }
    }

    @Test(
        arguments: [
            ("/etc/passwd", nil), ("../up", nil), ("a/../../b", nil), ("a//b", nil), (".", nil), ("", nil),
            ("a/./b", nil), ("kept", "kept"), ("..kept/b", "..kept/b"),
        ] as [(String, String?)]
    )
    func `In foreign data, a path out of its folder is dropped, and a too late time is limited`(
        path: String,
        taken: String?
    ) async throws {
        let hostile = try await HostileDatabase()
        try hostile.runStatements(
            "INSERT INTO people (name, file_path, joined_at) VALUES ('Ann', '\(path)', 9223372036854775807)"
        )
        let row = try #require(try hostile.readRows().database.firstRow("SELECT file_path, joined_at FROM people"))
        #expect(try row.stringOrNil(0) == taken)
        #expect(try row.int64(1) == 1000)
    }

    @Test
    func `Text of a foreign database that is not valid UTF-8 is converted to valid text`() async throws {
        let hostile = try await HostileDatabase()
        try hostile.runStatements("INSERT INTO people (name) VALUES (CAST(x'41ff42' AS TEXT))")
        #expect(try hostile.readRows().database.queryTexts("SELECT name FROM people") == ["A\u{FFFD}B"])
    }

    @Test
    func `A foreign database with a table that is declared STRICT is read`() async throws {
        let hostile = try await HostileDatabase()
        try hostile.runStatements("INSERT INTO words VALUES ('one')")
        try hostile.runStatements(
            "UPDATE sqlite_master SET sql = sql || ', STRICT' WHERE name = 'words'",
            rewrites: true
        )
        #expect(try hostile.readRows().database.queryTexts("SELECT word FROM words") == ["one"])
    }

    @Test
    func `A foreign database is refused if the key is wrong or the contents are damaged`() async throws {
        let hostile = try await HostileDatabase(key: .passphrase("words"))
        let whole = try Data(contentsOf: URL(filePath: hostile.path))
        let other = ForeignDatabase(
            hostile.path,
            key: try KeyMaterial(.passphrase("other")),
            program: .installedProgram
        )
        #expect(throws: ForeignDataError.wrongKey) { try other.readMigrations() }
        for content in [
            whole.prefix(whole.count / 2), Data("no database".utf8), Data(repeating: 0, count: 9000),
            whole.prefix(5000) + Data(repeating: 1, count: whole.count - 5000),
        ] {
            try content.write(to: URL(filePath: hostile.path))
            #expect(throws: ForeignDataError.self) { try hostile.readRows() }
        }
    }

    @Test
    func `A symbolic link at the path of a foreign database is not followed`() async throws {
        let hostile = try await HostileDatabase()
        let link = hostile.folder.file("link.db")
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: hostile.path)
        #expect(throws: (any Error).self) {
            try ForeignDatabase(link, key: KeyMaterial(.none), program: .installedProgram).readMigrations()
        }
    }

    @Test
    func `A foreign database with a value above the limit of bytes is refused`() async throws {
        let hostile = try await HostileDatabase()
        try hostile.runStatements(
            "INSERT INTO people (name, picture) VALUES ('Ann', zeroblob(\(ForeignLimits.maxValueBytes + 1)))"
        )
        #expect { try hostile.readRows() } throws: { error in
            if case ForeignDataError.tooLarge = error { true } else { false }
        }
    }

    /// The file refers to the same pages repeatedly, so the rows of one page would be read about 500 * 500 times.
    @Test
    func `A small foreign database whose pages would give endless rows is refused`() async throws {
        let hostile = try await HostileDatabase()
        try hostile.runStatements(
            "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 250) INSERT INTO people (name) SELECT '' FROM n",
            "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1800) INSERT INTO people (name, picture) SELECT '', zeroblob(3900) FROM n"
        )
        var bytes = [UInt8](try Data(contentsOf: URL(filePath: hostile.path)))
        let size = 4096
        func number(_ offset: Int) -> Int { bytes[offset..<offset + 4].reduce(0) { $0 << 8 | Int($1) } }
        func cells(_ page: Int) -> [Int] {
            let start = (page - 1) * size, count = Int(bytes[start + 3]) << 8 | Int(bytes[start + 4])
            return (0..<count).map { start + (Int(bytes[start + 12 + 2 * $0]) << 8 | Int(bytes[start + 13 + 2 * $0])) }
        }
        func isInner(_ page: Int) -> Bool { bytes[(page - 1) * size] == 5 }
        let connection = try DatabaseConnection(
            path: hostile.path,
            key: FileKey(material: KeyMaterial(.none)),
            access: .reading,
            synchronous: .normal,
            cacheKiB: 64
        )
        let root = Int(
            try #require(try connection.queryNumber("SELECT rootpage FROM sqlite_master WHERE name = 'people'"))
        )
        let inner = cells(root).map(number)
        try #require(inner.count > 2 && inner.allSatisfy(isInner))
        // All entries of an inner page lead to another inner page, and all entries of that page lead to the page with
        // most rows.
        func lead(_ page: Int, to target: Int) {
            for cell in cells(page) {
                bytes.replaceSubrange(
                    cell..<cell + 4,
                    with: (0..<4).map { UInt8(truncatingIfNeeded: target >> (24 - 8 * $0)) }
                )
            }
        }
        let leaf = number(cells(inner[0])[0])
        for page in inner.dropFirst(2) { lead(page, to: inner[1]) }
        lead(inner[0], to: inner[1])
        lead(inner[1], to: leaf)
        lead(root, to: inner[0])
        try Data(bytes).write(to: URL(filePath: hostile.path))
        var rows = try ForeignRows(
            hostile.path,
            key: KeyMaterial(.none),
            [ForeignTable("people", ["picture"])],
            program: .installedProgram
        )
        var failure: ForeignDataError?
        do throws(ForeignDataError) { while try rows.readNextItem() != nil {} } catch { failure = error }
        #expect(failure == .tooLarge("its rows"))
    }
}
