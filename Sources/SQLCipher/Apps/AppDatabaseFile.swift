import CSQLCipher
package import Files
import Glibc
package import SimpleXCrypto

/// Operations on the file of a database that an official app has written.
///
/// The apps write the file with SQLCipher 4. An encrypted file is rewritten with a random key in the format of
/// SQLCipher 3, which every version of the SQLCipher library can read. The pages are decrypted and encrypted, but their
/// content is not interpreted.
package enum AppDatabaseFile {
    /// Returns whether the file begins with the header of an unencrypted database.
    package static func isUnencrypted(_ path: String) throws(FileSystemError) -> Bool {
        try readHeader(path) == PageCipher.plainHeader
    }

    private static func readHeader(_ path: String) throws(FileSystemError) -> [UInt8] {
        let file = try OpenFile(path, O_RDONLY | O_NOFOLLOW)
        var header: [UInt8] = []
        while header.count < PageCipher.saltSize {
            let bytes = try file.read(upTo: PageCipher.saltSize - header.count)
            guard !bytes.isEmpty else { return header }
            header += bytes
        }
        return header
    }

    /// Copies an encrypted database into a new file in the format of SQLCipher 3, page by page.
    /// - Parameters:
    ///   - target: the path of the new file. No file may exist there.
    ///   - mayContinue: a function that is called for each page. When it returns false, `rewriteForSQLCipher3` throws.
    /// - Returns: the key of the new file; nil if the passphrase does not open the first page of the file.
    /// - Throws: `.corrupt`, `.interrupted`, `FileSystemError`.
    package static func rewriteForSQLCipher3(
        _ path: String,
        _ passphrase: String,
        to target: String,
        while mayContinue: () -> Bool = { true }
    ) throws -> KeyMaterial? {
        let source = try OpenFile(path, O_RDONLY | O_NOFOLLOW)
        let salt = try readHeader(path)
        guard salt.count == PageCipher.saltSize else { return nil }
        let from = try PageCipher(.sqlCipher4, passphrase: SecretBytes(Array(passphrase.utf8)), salt: salt)
        let secret = SecretBytes.random(count: 32)
        let to = try PageCipher(.sqlCipher3, key: secret, salt: RandomBytes.make(count: PageCipher.saltSize))
        do {
            try convertPages(
                source,
                from,
                try OpenFile(target, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW),
                to,
                while: mayContinue
            )
        } catch DatabaseError.wrongKey {
            DiskFiles.removeFile(target)
            return nil
        }
        return try KeyMaterial.make(.raw(secret.bytes))
    }

    /// Copies the pages of a database file to another file. Decrypts each page with the cipher `from`, and encrypts it
    /// with the cipher `to`. A cipher of nil means no encryption.
    /// - Throws: `.wrongKey` if the first page cannot be decrypted; `.corrupt` for any other damage.
    static func convertPages(
        _ source: borrowing OpenFile,
        _ from: PageCipher?,
        _ target: borrowing OpenFile,
        _ to: PageCipher?,
        while mayContinue: () -> Bool = { true }
    ) throws {
        let size = try source.readSize()
        guard size > 0, size % Int64(PageCipher.pageSize) == 0,
            let count = UInt32(exactly: size / Int64(PageCipher.pageSize))
        else {
            throw DatabaseError.corrupt
        }
        for number in 1...count {
            guard mayContinue() else { throw DatabaseError.interrupted }
            let found = try source.read(PageCipher.pageSize, at: Int64(number - 1) * Int64(PageCipher.pageSize))
            let plain: [UInt8]
            do throws(CryptoError) { plain = try from?.decryptPage(found, number: number) ?? found } catch {
                throw number == 1 ? DatabaseError.wrongKey : DatabaseError.corrupt
            }
            try target.write(try to?.encryptPage(plain, number: number) ?? plain)
        }
    }
}
