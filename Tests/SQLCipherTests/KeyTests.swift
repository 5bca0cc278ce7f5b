import Foundation
import SimpleXCrypto
import Testing

@testable import SQLCipher

private let notes = Migration(
    name: "notes",
    sql: "CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE)"
)

@Suite struct KeyTests {
    let folder: TemporaryFolder
    let key = DatabaseKey.raw([UInt8](repeating: 7, count: 32))
    init() throws { folder = try TemporaryFolder() }

    func readBytes(_ name: String) throws -> Data { try Data(contentsOf: URL(fileURLWithPath: folder.file(name))) }

    @Test(arguments: [0, 1, 31, 33, 64])
    func `A raw database key of a wrong length or an empty passphrase is refused, and no file is created`(
        count: Int
    ) async throws {
        for key in [DatabaseKey.raw([UInt8](repeating: 7, count: count)), .passphrase("")] {
            await #expect(throws: DatabaseError.invalidKey) {
                _ = try await Database.open(at: folder.file("a.db"), key: key)
            }
        }
        #expect(!FileManager.default.fileExists(atPath: folder.file("a.db")))
    }

    @Test(arguments: [1, 15, 16, 100, 1_024, 4_095, 4_096, 5_000])
    func `A file that is not a database is refused with a key and stays unchanged`(count: Int) async throws {
        let garbage = Data((0..<count).map { UInt8(truncatingIfNeeded: $0 &* 131 &+ 17) })
        try garbage.write(to: URL(fileURLWithPath: folder.file("a.db")))
        for key in [key, .passphrase("x"), .none] {
            await #expect(throws: DatabaseError.wrongKey, "\(key)") {
                _ = try await Database.open(at: folder.file("a.db"), key: key)
            }
        }
        #expect(try readBytes("a.db") == garbage)
    }

    @Test
    func `An unencrypted database file is refused with a key and stays unchanged`() async throws {
        await (try Database.open(at: folder.file("a.db"), key: .none, migrations: [notes])).close()
        let before = try readBytes("a.db")
        await #expect(throws: DatabaseError.wrongKey) { _ = try await Database.open(at: folder.file("a.db"), key: key) }
        #expect(try readBytes("a.db") == before)
    }

    @Test
    func `A failed opening with a wrong key after a crash keeps the database's log usable`() async throws {
        let database = try await Database.open(at: folder.file("a.db"), key: key, migrations: [notes])
        try await database.write { try $0.execute("INSERT INTO notes (text) VALUES ('kept')") }
        for suffix in ["", "-wal"] {
            try FileManager.default.copyItem(atPath: folder.file("a.db\(suffix)"), toPath: folder.file("b.db\(suffix)"))
        }
        await #expect(throws: DatabaseError.wrongKey) {
            _ = try await Database.open(at: folder.file("b.db"), key: .raw([UInt8](repeating: 8, count: 32)))
        }
        let copy = try await Database.open(at: folder.file("b.db"), key: key, migrations: [notes], create: false)
        #expect(try await copy.read { try $0.firstRow("SELECT text FROM notes")?.string("text") } == "kept")
    }

    @Test
    func `A changed page of a database causes the error corrupt, not the error wrongKey`() async throws {
        let database = try await Database.open(at: folder.file("a.db"), key: key, migrations: [notes])
        try await database.write { connection in
            for number in 0..<2_000 {
                try connection.execute("INSERT INTO notes (text) VALUES (?)", "some text \(number)")
            }
        }
        await database.close()
        var file = try readBytes("a.db")
        for page in 4..<(file.count / 4_096) { file[page * 4_096 + 99] ^= 1 }
        try file.write(to: URL(fileURLWithPath: folder.file("a.db")))
        let changed = try await Database.open(at: folder.file("a.db"), key: key, migrations: [notes])
        await #expect(throws: DatabaseError.corrupt) {
            try await changed.read { try $0.query("SELECT * FROM notes").count }
        }
    }

    @Test
    func `A database key is passed to SQLCipher in the form that SQLCipher expects`() throws {
        let raw = try KeyMaterial(.raw((0..<32).map { UInt8($0 * 8 + 7) }))
        #expect(
            raw.withSQLCipherForm { String(decoding: $0, as: UTF8.self) }
                == "x'070f171f272f373f474f575f676f777f878f979fa7afb7bfc7cfd7dfe7eff7ff'"
        )
        #expect(
            try KeyMaterial(.passphrase("ключ")).withSQLCipherForm { String(decoding: $0, as: UTF8.self) } == "ключ"
        )
        #expect(try !KeyMaterial(.none).isEncrypting)
    }
}
