import CSQLCipher
public import Files
import Glibc
import SimpleXCrypto
import Synchronization

/// A database of the official apps, opened to be read.
///
/// They write it with SQLCipher 4 and a later SQLite. So an encrypted one is first written anew, in the format of version 3 under a random key, which every
/// version of the library reads; and the words of its schema that an earlier SQLite does not know are taken out.
public final class AppDatabase: Sendable {
    private let connection: Mutex<Connection>

    /// Whether the file begins as one that is not encrypted.
    public static func isPlain(_ path: String) throws(FileSystemError) -> Bool { try header(path) == PageCipher.plainHeader }

    /// Opens the database; nil where it is none of the apps, which is left as it is. Blocks for as long as reading all of it takes. The file of the apps at
    /// `path` is changed.
    /// - Parameters:
    ///   - passphrase: nil where it is not encrypted.
    ///   - scratch: where an encrypted one is written anew; there is no file yet.
    /// - Throws: `.corrupt`, `.foreignKeyViolation`; and what the files give.
    public init?(_ path: String, passphrase: String?, scratch: String) throws {
        var key = FileKey(material: try KeyMaterial.of(.none))
        var file = path
        if try !Self.isPlain(path) {
            guard let passphrase else { return nil }
            do { key = try Self.rewrite(path, passphrase, to: scratch) } catch DatabaseError.wrongKey {
                DiskFiles.removeFile(scratch)
                return nil
            }
            file = scratch
        }
        guard try Self.takesOutUnknownWords(file, key) else {
            DiskFiles.removeFile(scratch)
            return nil
        }
        let connection = try Connection(path: file, key: key, access: .reading, synchronous: .normal, cacheKiB: 4096)
        guard try connection.first("PRAGMA quick_check(1)")?.string(0) == "ok" else { throw DatabaseError.corrupt }
        guard try connection.first("PRAGMA foreign_key_check") == nil else { throw DatabaseError.foreignKeyViolation }
        self.connection = Mutex(connection)
    }

    public func query(_ sql: String, _ arguments: (any DatabaseBindable)?...) throws -> [AppRow] {
        try connection.withLock { try $0.query(sql, arguments: arguments).map(AppRow.init) }
    }

    /// The rows of a table in pieces, in the order of an integer column, which names each row.
    /// - Parameter condition: which rows, nil for all.
    public func forEach(_ table: String, by id: String, where condition: String? = nil, _ body: (AppRow) throws -> Void) throws {
        var last: Int64 = -1
        while true {
            let rows = try query(
                "SELECT * FROM \(table) WHERE \(id) > ? \(condition.map { "AND (\($0)) " } ?? "")ORDER BY \(id) LIMIT 500", last)
            for row in rows { try body(row) }
            guard let next = rows.last?.int(id) else { return }
            last = next
        }
    }

    public func count(_ table: String, where condition: String = "1") throws -> Int {
        Int(try query("SELECT count(*) AS n FROM \(table) WHERE \(condition)").first?.int("n") ?? 0)
    }

    // MARK: The file

    private static func header(_ path: String) throws(FileSystemError) -> [UInt8] {
        let file = try OpenFile(path, O_RDONLY)
        var header: [UInt8] = []
        while header.count < PageCipher.saltSize {
            let bytes = try file.read(upTo: PageCipher.saltSize - header.count)
            guard !bytes.isEmpty else { return header }
            header += bytes
        }
        return header
    }

    /// Writes the file anew in the format of version 3.
    /// - Returns: the key of the new file.
    private static func rewrite(_ path: String, _ passphrase: String, to target: String) throws -> FileKey {
        let source = try OpenFile(path, O_RDONLY)
        let salt = try header(path)
        guard salt.count == PageCipher.saltSize else { throw DatabaseError.wrongKey }
        let from = try PageCipher(.four, passphrase: SecretBytes(Array(passphrase.utf8)), salt: salt)
        let secret = SecretBytes.random(count: 32)
        let to = try PageCipher(.three, key: secret, salt: RandomBytes.make(count: PageCipher.saltSize))
        try convert(source, from, try OpenFile(target, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW), to)
        return FileKey(material: try KeyMaterial.of(.raw(secret.bytes)), isVersion3: true)
    }

    /// Writes the pages of one file to another, under another cipher; nil for none.
    static func convert(_ source: borrowing OpenFile, _ from: PageCipher?, _ target: borrowing OpenFile, _ to: PageCipher?) throws {
        let size = try source.size()
        guard size > 0, size % Int64(PageCipher.pageSize) == 0, let count = UInt32(exactly: size / Int64(PageCipher.pageSize)) else {
            throw DatabaseError.corrupt
        }
        for number in 1...count {
            let found = try page(number, of: source)
            let plain: [UInt8]
            do throws(CryptoError) { plain = try from?.decrypt(found, number: number) ?? found } catch {
                throw number == 1 ? DatabaseError.wrongKey : DatabaseError.corrupt
            }
            try target.write(try to?.encrypt(plain, number: number) ?? plain)
        }
    }

    private static func page(_ number: UInt32, of file: borrowing OpenFile) throws(FileSystemError) -> [UInt8] {
        var page = [UInt8](repeating: 0, count: PageCipher.pageSize)
        var failure: FileSystemError?
        page.withUnsafeMutableBytes { buffer in
            do throws(FileSystemError) { try file.read(into: buffer, at: Int64(number - 1) * Int64(PageCipher.pageSize)) } catch { failure = error }
        }
        if let failure { throw failure }
        return page
    }

    // MARK: The schema

    /// `STRICT` is younger than the SQLite that this program may run on. Triggers, views and modules of the archive's maker are not run.
    /// - Returns: whether it is a database of the apps; otherwise it is left as it is.
    private static func takesOutUnknownWords(_ path: String, _ key: FileKey) throws -> Bool {
        let connection = try Connection(path: path, key: key, access: .rewriting, synchronous: .normal, cacheKiB: 1024)
        // This program's own table of the name has another column for the time.
        let migrations = try connection.first("SELECT sql FROM sqlite_master WHERE type = 'table' AND name = 'migrations'")?.stringOrNil("sql")
        guard let migrations, !migrations.contains("applied_at") else { return false }
        try connection.execute("BEGIN")
        try connection.execute("DELETE FROM sqlite_master WHERE type NOT IN ('table', 'index')")
        for row in try connection.query("SELECT rowid AS id, sql FROM sqlite_master WHERE type = 'table'") {
            guard let sql = try row.stringOrNil("sql") else { continue }
            let head = sql.prefix(24).uppercased()
            if head.hasPrefix("CREATE VIRTUAL") {
                try connection.execute("DELETE FROM sqlite_master WHERE rowid = ?", try row.int64("id"))
            } else if let plain = StrictTables.withoutStrict(sql) {
                try connection.execute("UPDATE sqlite_master SET sql = ? WHERE rowid = ?", plain, try row.int64("id"))
            }
        }
        try connection.execute("COMMIT")
        return true
    }
}
