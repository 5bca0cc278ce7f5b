public import SQLCipher

/// Where the key of the databases is kept, for who opens them next.
///
/// A new key is prepared before the databases get it and becomes the key after: a crash in between leaves both, and one of them opens
/// the databases.
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

/// Keeps nothing: who opens the databases knows their key. Texts are passphrases.
public struct NoKeyring: DatabaseKeyring {
    public init() {}

    public func key(_ text: String) -> DatabaseKey { text.isEmpty ? .none : .passphrase(text) }
    public func prepare(_ text: String) {}
    public func adopt() {}
    public func discard() {}
}
