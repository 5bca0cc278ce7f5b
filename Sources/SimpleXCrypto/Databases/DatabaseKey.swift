/// The key of a database file.
package enum DatabaseKey: Sendable {
    /// Any text except the empty text. SQLCipher derives the key from the text with PBKDF2, which takes 20 to 100 ms
    /// for each connection. To SQLCipher, a text of the form `x'64 hexadecimal digits'` is a raw key.
    case passphrase(String)
    /// 32 random bytes, which are the key itself. Nothing is derived, so the database opens quickly.
    case raw([UInt8])
    /// A passphrase or a raw key in memory that is overwritten when it is released, or when its owner erases it.
    case sealed(KeyMaterial)
    /// The file is not encrypted.
    case none
}
