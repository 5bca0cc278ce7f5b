import Foundation
import SimpleXCrypto
import Testing

@testable import SQLCipher

@Suite struct DerivedKeyTests {
    let folder: TemporaryFolder
    init() throws { folder = try TemporaryFolder() }

    @Test
    func `The database key is derived from a passphrase once for each salt and SQLCipher version`() throws {
        let passphrase = try KeyMaterial(.passphrase("words"))
        let salt = [UInt8](repeating: 1, count: PageCipher.saltSize)
        let derived = try passphrase.deriveFileKey(.sqlCipher3, salt: salt)
        #expect(try passphrase.deriveFileKey(.sqlCipher3, salt: salt) === derived)
        #expect(try passphrase.deriveFileKey(.sqlCipher4, salt: salt) !== derived)
        #expect(try passphrase.deriveFileKey(.sqlCipher3, salt: salt.map { $0 + 1 }) !== derived)
        #expect(try derived.deriveFileKey(.sqlCipher3, salt: salt) === derived)
        let raw = try KeyMaterial(.raw([UInt8](repeating: 7, count: 32)))
        #expect(try raw.deriveFileKey(.sqlCipher3, salt: salt) === raw)
    }

    @Test
    func `Erasing a passphrase from memory erases the database keys derived from it`() throws {
        let passphrase = try KeyMaterial(.passphrase("words"))
        let salt = [UInt8](repeating: 1, count: PageCipher.saltSize)
        let derived = try passphrase.deriveFileKey(.sqlCipher3, salt: salt)
        passphrase.eraseBytes()
        let isErased = derived.withSQLCipherForm { form in !form.contains { $0 != 0 } }
        #expect(isErased)
        #expect(throws: CryptoError.invalidKey) { try passphrase.deriveFileKey(.sqlCipher3, salt: salt) }
    }

    @Test
    func `A passphrase still opens a database after writes with the key derived from it`() async throws {
        let path = folder.file("a.db")
        let file = try DatabaseFile(path: path, key: .passphrase("words"), synchronous: .full)
        _ = FileManager.default.createFile(atPath: path, contents: nil)
        // A new file has no salt yet, so SQLCipher derives the key of this file by itself.
        try file.openWriter().executeScript("CREATE TABLE notes (text TEXT); INSERT INTO notes VALUES ('first')")
        #expect(file.key.deriveKey(for: path).material !== file.key.material)
        let database = try await Database.open(at: path, key: .passphrase("words"))
        try await database.write { try $0.execute("INSERT INTO notes VALUES ('second')") }
        await database.close()
        let plain = try DatabaseConnection(
            path: path,
            key: file.key,
            access: .reading,
            synchronous: .full,
            cacheKiB: 64
        )
        #expect(try plain.query("SELECT text FROM notes").map { try $0.string(0) } == ["first", "second"])
    }
}
