/// The key of a database file.
public enum DatabaseKey: Sendable {
    /// Any text but the empty one; SQLCipher derives the key from it with PBKDF2, which takes a noticeable part of a
    /// second for each connection. A text of the form `x'64 hexadecimal digits'` is a raw key to SQLCipher.
    case passphrase(String)
    /// 32 random bytes, used as they are: nothing is derived, so that opening is quick.
    case raw([UInt8])
    /// Either of these, in memory that is overwritten when it is released, or when its owner erases it.
    case sealed(KeyMaterial)
    /// The file is not encrypted.
    case none
}
