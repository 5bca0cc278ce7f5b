import CSQLCipher
import Files
import Glibc
import SimpleXCrypto

/// Creates a database of the official apps: encrypted in the format of SQLCipher 4, with STRICT tables.
///
/// The SQLCipher library of this program may support neither this format nor STRICT tables. So the tables are first
/// filled without STRICT in a file of the format of SQLCipher 3. Then the statements in the schema are replaced by
/// statements with STRICT, and the pages are encrypted again.
///
/// One thread uses an instance, and its calls block this thread.
package final class AppDatabaseMaker {
    /// The connection that fills the tables. It does not check foreign keys;
    /// ``writeFinishedDatabase(_:to:passphrase:)`` checks them.
    package var connection: DatabaseConnection {
        get throws(DatabaseError) {
            guard let openConnection else { throw .closed }
            return openConnection
        }
    }
    private var openConnection: DatabaseConnection?
    private let scratchPath: String
    private let key: FileKey
    private let cipher: PageCipher
    private let tables: [String]

    /// Creates the unfinished database with its tables.
    /// - Parameters:
    ///   - scratch: the path of the unfinished database, which has a random key. No file may exist there.
    ///   - tables: the statements that create the tables of the finished database.
    package init(scratch: String, tables: [String]) throws {
        self.scratchPath = scratch
        self.tables = tables
        let secret = SecretBytes.random(count: 32)
        cipher = try PageCipher(.sqlCipher3, key: secret, salt: RandomBytes.make(count: PageCipher.saltSize))
        key = FileKey(material: try KeyMaterial.make(.raw(secret.bytes)), usesSQLCipher3: true)
        try OpenFile(scratch, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW).write(
            cipher.encryptPage(Self.emptyDatabasePage, number: 1)
        )
        let connection = try DatabaseConnection(
            path: scratch,
            key: key,
            access: .copying,
            synchronous: .normal,
            cacheKiB: 4096
        )
        try connection.execute("PRAGMA foreign_keys = OFF")
        try connection.execute("BEGIN")
        for table in tables { try connection.execute(StrictTables.removeStrictKeyword(table) ?? table) }
        openConnection = connection
    }

    /// Writes the finished database to `target`. No file may exist there.
    /// - Parameter indicesAndTriggers: statements for indices and triggers.
    package func writeFinishedDatabase(_ indicesAndTriggers: [String], to target: String, passphrase: String) throws {
        let connection = try connection
        for statement in indicesAndTriggers { try connection.execute(statement) }
        try connection.execute("COMMIT")
        if let row = try connection.firstRow("PRAGMA foreign_key_check") {
            let (table, parent) = (try row.stringOrNil("table") ?? "", try row.stringOrNil("parent") ?? "")
            throw DatabaseError.other(
                code: SQLITE_CONSTRAINT,
                message: "a row of \(table) refers to a missing row of \(parent)"
            )
        }
        openConnection = nil
        try restoreStrictTables()
        let salt = RandomBytes.make(count: PageCipher.saltSize)
        let new = try PageCipher(.sqlCipher4, passphrase: SecretBytes(Array(passphrase.utf8)), salt: salt)
        let file = try OpenFile(target, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW)
        try AppDatabaseFile.convertPages(OpenFile(scratchPath, O_RDONLY), cipher, file, new)
        try file.sync()
    }

    private func restoreStrictTables() throws {
        let connection = try DatabaseConnection(
            path: scratchPath,
            key: key,
            access: .rewriting,
            synchronous: .full,
            cacheKiB: 1024
        )
        try connection.execute("BEGIN")
        for table in tables {
            guard let plain = StrictTables.removeStrictKeyword(table) else { continue }
            try connection.execute(
                "UPDATE sqlite_master SET sql = :new_sql WHERE type = 'table' AND sql = :sql",
                ["new_sql": table, "sql": plain]
            )
            guard connection.changeCount == 1 else { throw DatabaseError.corrupt }
        }
        try connection.execute("COMMIT")
    }

    /// The first page of a database without tables. Each page reserves the bytes that SQLCipher 4 needs (SQLite file
    /// format, "The Database Header").
    private static var emptyDatabasePage: [UInt8] {
        var page = [UInt8](repeating: 0, count: PageCipher.pageSize)
        func put(_ bytes: [UInt8], _ offset: Int) { page.replaceSubrange(offset..<offset + bytes.count, with: bytes) }
        let reserved = PageCipher.Version.sqlCipher4.reservedBytes, end = PageCipher.pageSize - reserved
        put(PageCipher.plainHeader, 0)
        // Offset 16: the page size, the format without a write-ahead log, the number of reserved bytes, and the fixed
        // fractions of payload.
        put([0x10, 0x00, 1, 1, UInt8(reserved), 64, 32, 32], 16)
        // Offset 24: the change counter, and the number of pages.
        put([0, 0, 0, 1, 0, 0, 0, 1], 24)
        // Offset 44: the format number of the schema. Offset 56: the encoding UTF-8.
        put([0, 0, 0, 4], 44)
        put([0, 0, 0, 1], 56)
        // Offset 92: the value of the change counter for which the version number is valid, and the number of a version
        // of SQLite.
        put([0, 0, 0, 1, 0x00, 0x2e, 0x05, 0xb2], 92)
        // Offset 100, after the file header: the header of an empty leaf page of a table.
        put([0x0d, 0, 0, 0, 0, UInt8(end >> 8), UInt8(end & 0xff), 0], 100)
        return page
    }
}
