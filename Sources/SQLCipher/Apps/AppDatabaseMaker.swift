import CSQLCipher
import Files
import Glibc
import SimpleXCrypto

/// Makes a database of the official apps: encrypted as SQLCipher 4 does it, with tables that are strict. See ``AppDatabase`` for why that takes a detour.
///
/// An instance is used by one thread; its calls block.
public final class AppDatabaseMaker {
    /// The connection for filling the tables. Foreign keys are checked at the end.
    public var connection: Connection {
        get throws(DatabaseError) {
            guard let open else { throw .closed }
            return open
        }
    }
    private var open: Connection?
    private let scratch: String
    private let key: FileKey
    private let cipher: PageCipher
    private let tables: [String]

    /// - Parameters:
    ///   - scratch: where the database is filled, encrypted with a random key; there is no file yet.
    ///   - tables: statements that make them, as the file is to have them.
    public init(scratch: String, tables: [String]) throws {
        self.scratch = scratch
        self.tables = tables
        let secret = SecretBytes.random(count: 32)
        cipher = try PageCipher(.three, key: secret, salt: RandomBytes.make(count: PageCipher.saltSize))
        key = FileKey(material: try KeyMaterial.of(.raw(secret.bytes)), isVersion3: true)
        try OpenFile(scratch, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW).write(cipher.encrypt(Self.emptyDatabase, number: 1))
        let connection = try Connection(path: scratch, key: key, access: .copying, synchronous: .normal, cacheKiB: 4096)
        try connection.execute("PRAGMA foreign_keys = OFF")
        try connection.execute("BEGIN")
        for table in tables { try connection.execute(StrictTables.withoutStrict(table) ?? table) }
        open = connection
    }

    /// Writes the database to `target`, where there is no file yet.
    /// - Parameter rest: statements for indices and triggers.
    public func finish(_ rest: [String], to target: String, passphrase: String) throws {
        let connection = try connection
        for statement in rest { try connection.execute(statement) }
        try connection.execute("COMMIT")
        if let row = try connection.first("PRAGMA foreign_key_check") {
            throw DatabaseError.other(code: SQLITE_CONSTRAINT, message: "a row of \(try row.stringOrNil(0) ?? "") refers to none of \(try row.stringOrNil(2) ?? "")")
        }
        open = nil
        try writeStatementsAsTheyAre()
        let salt = RandomBytes.make(count: PageCipher.saltSize)
        let new = try PageCipher(.four, passphrase: SecretBytes(Array(passphrase.utf8)), salt: salt)
        let file = try OpenFile(target, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW)
        try AppDatabaseFile.convert(OpenFile(scratch, O_RDONLY), cipher, file, new)
        try file.sync()
    }

    private func writeStatementsAsTheyAre() throws {
        let connection = try Connection(path: scratch, key: key, access: .rewriting, synchronous: .full, cacheKiB: 1024)
        try connection.execute("BEGIN")
        for table in tables {
            guard let plain = StrictTables.withoutStrict(table) else { continue }
            try connection.execute("UPDATE sqlite_master SET sql = ? WHERE type = 'table' AND sql = ?", table, plain)
            guard connection.changes == 1 else { throw DatabaseError.corrupt }
        }
        try connection.execute("COMMIT")
    }

    /// The first page of a database without tables, which leaves as many bytes of each page as version 4 needs (SQLite file format, "The Database Header").
    private static var emptyDatabase: [UInt8] {
        var page = [UInt8](repeating: 0, count: PageCipher.pageSize)
        func put(_ bytes: [UInt8], _ offset: Int) { page.replaceSubrange(offset..<offset + bytes.count, with: bytes) }
        let reserved = PageCipher.Version.four.reserved, end = PageCipher.pageSize - reserved
        put(PageCipher.plainHeader, 0)
        // The size of pages, no write-ahead log, what is reserved, and the fractions of payload, which are fixed.
        put([0x10, 0x00, 1, 1, UInt8(reserved), 64, 32, 32], 16)
        // The number of changes, and of pages.
        put([0, 0, 0, 1, 0, 0, 0, 1], 24)
        // The format of the schema; UTF-8.
        put([0, 0, 0, 4], 44)
        put([0, 0, 0, 1], 56)
        // The number of changes again, and the version of SQLite that it is for.
        put([0, 0, 0, 1, 0x00, 0x2e, 0x05, 0xb2], 92)
        // A leaf without rows.
        put([0x0d, 0, 0, 0, 0, UInt8(end >> 8), UInt8(end & 0xff), 0], 100)
        return page
    }
}
