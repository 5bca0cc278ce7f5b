internal import ChatCore
internal import SimpleXCrypto
internal import Synchronization

/// The key of an unlocked store: in memory, and in the key file if the store has one.
final class StoreKeyring: DatabaseKeyring {
    private struct State {
        var currentKey: KeyMaterial
        var preparedKey: KeyMaterial?
        /// Whether the key is stored under an app password.
        var isUnderAppPassword: Bool
        var isErased = false
        /// Whether only the file of the prepared key has the key that opens the databases, because the disk was too
        /// full to rename that file.
        var isFileOutdated = false
    }

    enum Refusal: Error, CustomStringConvertible {
        /// The change is refused because the key file cannot be replaced.
        case keyFile
        /// The change is refused because the key is stored only under the app password. A new key could be stored only
        /// with that password.
        case appPassword
        /// The change to an unencrypted store is refused because only its passphrase protects the store.
        case notEncrypted

        var description: String {
            switch self {
            case .keyFile: "the file of the key cannot be replaced"
            case .appPassword: "the store has an app password: remove it first"
            case .notEncrypted: "a store that is opened with a passphrase must keep a passphrase"
            }
        }
    }

    private let file: FileKeyring?
    private let state: Mutex<State>

    /// - Parameter file: the key file; `nil` for a store that opens with a passphrase.
    init(_ key: KeyMaterial, file: FileKeyring?, isWrapped: Bool = false) {
        self.file = file
        state = Mutex(State(currentKey: key, isUnderAppPassword: isWrapped))
    }

    /// Returns the key, so that the caller stores it under an app password. After that, the key cannot be changed.
    /// `nil` while the key is being changed.
    func takeKeyForPassword() -> KeyMaterial? {
        state.withLock { state in
            guard state.preparedKey == nil, !state.isErased else { return nil }
            state.isUnderAppPassword = true
            return state.currentKey
        }
    }

    func endPasswordUse() { state.withLock { $0.isUnderAppPassword = false } }

    var current: DatabaseKey { .sealed(state.withLock { $0.currentKey }) }

    /// Whether a key equals the current key.
    func isCurrent(_ key: KeyMaterial) -> Bool { state.withLock { !$0.isErased && $0.currentKey.isSame(as: key) } }

    func erase() {
        state.withLock { state in
            state.currentKey.erase()
            state.preparedKey?.erase()
            state.isErased = true
        }
    }

    func key(_ text: String) -> DatabaseKey {
        let key = FileKeyring.key(of: text)
        return (try? KeyMaterial(key)).map { .sealed($0) } ?? key
    }

    func prepare(_ text: String) throws {
        guard file != nil || !text.isEmpty else { throw Refusal.notEncrypted }
        let key = try KeyMaterial(FileKeyring.key(of: text))
        try state.withLock { state in
            guard !state.isUnderAppPassword else { throw Refusal.appPassword }
            guard Self.adoptPreparedFile(file, &state) else { throw Refusal.keyFile }
            state.preparedKey = key
        }
        do { try file?.prepare(text) } catch {
            discard()
            throw error
        }
    }

    func adopt() {
        state.withLock { state in
            state.isFileOutdated = true
            _ = Self.adoptPreparedFile(file, &state)
            guard let prepared = state.preparedKey else { return }
            state.currentKey.erase()
            state.currentKey = prepared
            state.preparedKey = nil
        }
    }

    /// Adopts the prepared key in the key file, if an earlier attempt has failed.
    /// - Returns: whether the key file has the key that opens the databases. Only then may another key be prepared
    ///   beside the file.
    private static func adoptPreparedFile(_ file: FileKeyring?, _ state: inout State) -> Bool {
        if state.isFileOutdated { state.isFileOutdated = file?.adoptPrepared() == false }
        return !state.isFileOutdated
    }

    func discard() {
        state.withLock { state in
            if !state.isFileOutdated { file?.discard() }
            state.preparedKey?.erase()
            state.preparedKey = nil
        }
    }
}
