public import SimpleXCrypto

/// Stores the key of the databases for the next start.
///
/// A new key is stored as prepared before the databases are encrypted with it, and becomes the key afterwards: after a crash in between both are
/// stored, and one of them opens the databases.
public protocol DatabaseKeyring: Sendable {
    /// The key that a text in a command is; an empty one is none.
    func key(_ text: String) -> DatabaseKey
    /// Keeps the new key beside the present one, on the disk.
    func prepare(_ text: String) throws
    /// The prepared key is the key of the databases from now on.
    func adopt()
    /// The prepared key is not needed.
    func discard()
}

/// Stores nothing: the caller that opens the databases has their key. Texts are passphrases.
public struct NoKeyring: DatabaseKeyring {
    public init() {}

    public func key(_ text: String) -> DatabaseKey { text.isEmpty ? .none : .passphrase(text) }
    public func prepare(_ text: String) {}
    public func adopt() {}
    public func discard() {}
}
