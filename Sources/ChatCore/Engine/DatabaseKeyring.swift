package import SimpleXCrypto

/// A storage of the key of the databases for the next start.
///
/// A new key is stored as prepared before the databases are encrypted with the new key, and is adopted after that. If a
/// crash happens between these steps, both keys are stored, and one of them opens the databases.
package protocol DatabaseKeyring: Sendable {
    /// Returns the key for the text that a command contains. An empty text means no key.
    func makeKey(_ text: String) -> DatabaseKey
    /// Stores a new key on the disk as the prepared key, in addition to the current key.
    func storeNewKey(_ text: String) throws
    /// Makes the prepared key the key of the databases.
    func adoptNewKey()
    /// Removes the prepared key.
    func discardNewKey()
}

/// A keyring that stores nothing, for callers that have the key when they open the databases. A text in a command is
/// used as a passphrase.
package struct NoKeyring: DatabaseKeyring {
    package init() {}

    package func makeKey(_ text: String) -> DatabaseKey { text.isEmpty ? .none : .passphrase(text) }
    package func storeNewKey(_ text: String) {}
    package func adoptNewKey() {}
    package func discardNewKey() {}
}
