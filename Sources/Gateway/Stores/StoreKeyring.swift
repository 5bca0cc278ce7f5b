internal import ChatCore
internal import SimpleXCrypto
internal import Synchronization

/// The key of an unlocked store: in memory, and in the key file if the store has one.
final class StoreKeyring: DatabaseKeyring {
    private struct State {
        var currentKey: KeyMaterial
        var preparedKey: KeyMaterial?
        /// Whether the key is stored under an app password.
        var isKeyUnderAppPassword: Bool
        var isErased = false
        /// Whether only the file of the prepared key has the key that opens the databases, because the disk was too
        /// full to rename that file.
        var isFileOutdated = false
    }

    enum Refusal: Error, CustomStringConvertible {
        /// The change is refused because the key file cannot be replaced.
        case keyFileNotReplaceable
        /// The change is refused because the key is stored only under the app password. A new key could be stored only
        /// with that password.
        case underAppPassword
        /// The change is refused because it would remove the encryption of a store that opens with a passphrase.
        case notEncrypted

        var description: String {
            switch self {
            case .keyFileNotReplaceable: "the file of the key cannot be replaced"
            case .underAppPassword: "the store has an app password: remove it first"
            case .notEncrypted: "a store that is opened with a passphrase must keep a passphrase"
            }
        }
    }

    private let file: FileKeyring?
    private let state: Mutex<State>

    /// - Parameter file: the key file; `nil` for a store that opens with a passphrase.
    init(_ key: KeyMaterial, file: FileKeyring?, isWrapped: Bool = false) {
        self.file = file
        state = Mutex(State(currentKey: key, isKeyUnderAppPassword: isWrapped))
    }

    /// Returns the key, so that the caller stores it under an app password. After that, the key cannot be changed until
    /// ``allowKeyChanges()``. Returns `nil` while the key is being changed, and after the keys were erased.
    func takeKeyForPassword() -> KeyMaterial? {
        state.withLock { state in
            guard state.preparedKey == nil, !state.isErased else { return nil }
            state.isKeyUnderAppPassword = true
            return state.currentKey
        }
    }

    func allowKeyChanges() { state.withLock { $0.isKeyUnderAppPassword = false } }

    var currentKey: DatabaseKey { .sealed(state.withLock { $0.currentKey }) }

    /// Whether a key equals the current key.
    func isCurrent(_ key: KeyMaterial) -> Bool { state.withLock { !$0.isErased && $0.currentKey.isSame(as: key) } }

    func eraseKeys() {
        state.withLock { state in
            state.currentKey.eraseBytes()
            state.preparedKey?.eraseBytes()
            state.isErased = true
        }
    }

    func makeKey(_ text: String) -> DatabaseKey {
        let key = FileKeyring.makeKey(of: text)
        return (try? KeyMaterial(key)).map { .sealed($0) } ?? key
    }

    func storeNewKey(_ text: String) throws {
        guard file != nil || !text.isEmpty else { throw Refusal.notEncrypted }
        let key = try KeyMaterial(FileKeyring.makeKey(of: text))
        try state.withLock { state in
            guard !state.isKeyUnderAppPassword else { throw Refusal.underAppPassword }
            guard Self.adoptPreparedFile(file, &state) else { throw Refusal.keyFileNotReplaceable }
            state.preparedKey = key
        }
        do { try file?.storeNewKey(text) } catch {
            discardNewKey()
            throw error
        }
    }

    func adoptNewKey() {
        state.withLock { state in
            state.isFileOutdated = true
            _ = Self.adoptPreparedFile(file, &state)
            guard let prepared = state.preparedKey else { return }
            state.currentKey.eraseBytes()
            state.currentKey = prepared
            state.preparedKey = nil
        }
    }

    /// Replaces the key file by the file with the prepared key, if only that file has the key that opens the databases.
    /// - Returns: whether the key file has the key that opens the databases. Another key may be prepared beside the
    ///   file only in this case.
    private static func adoptPreparedFile(_ file: FileKeyring?, _ state: inout State) -> Bool {
        if state.isFileOutdated { state.isFileOutdated = file?.adoptPreparedKey() == false }
        return !state.isFileOutdated
    }

    func discardNewKey() {
        state.withLock { state in
            if !state.isFileOutdated { file?.discardNewKey() }
            state.preparedKey?.eraseBytes()
            state.preparedKey = nil
        }
    }
}
