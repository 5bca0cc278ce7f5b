public import SimpleXCrypto

/// Stores the key of the databases for the next start.
///
/// A new key is stored as prepared before the databases are encrypted with it, and adopted afterwards: after a crash in
/// between both keys are stored, and one of them opens the databases.
public protocol DatabaseKeyring: Sendable {
    /// The key for a text in a command; an empty text means no key.
    func key(_ text: String) -> DatabaseKey
    /// Stores the new key beside the current one, on the disk.
    func prepare(_ text: String) throws
    /// Makes the prepared key the key of the databases.
    func adopt()
    /// Removes the prepared key.
    func discard()
}

/// A keyring that stores nothing: the caller that opens the databases has the key. Texts are passphrases.
public struct NoKeyring: DatabaseKeyring {
    public init() {}

    public func key(_ text: String) -> DatabaseKey { text.isEmpty ? .none : .passphrase(text) }
    public func prepare(_ text: String) {}
    public func adopt() {}
    public func discard() {}
}
