internal import ChatCore
internal import SimpleXCrypto
internal import Synchronization

/// The key of an unlocked store: in memory, and in its file where the store has one.
final class StoreKeyring: DatabaseKeyring {
    private struct State {
        var current: KeyMaterial
        var prepared: KeyMaterial?
        /// Whether an app password has the key in its keeping.
        var isWrapped: Bool
        var isErased = false
        /// The key of the databases is still in the file of the prepared key: there was no disk space to rename that file.
        var isFileBehind = false
    }

    enum Refusal: Error, CustomStringConvertible {
        /// The key file cannot be replaced.
        case keyFile
        /// The key is stored only under the password, so that another one can be stored only with the password.
        case appPassword
        /// Nothing but the passphrase keeps the store closed.
        case notEncrypted

        var description: String {
            switch self {
            case .keyFile: "the file of the key cannot be replaced"
            case .appPassword: "the store has an app password, which has to be removed before"
            case .notEncrypted: "a store that is opened with a passphrase must have one"
            }
        }
    }

    private let file: KeyFileRing?
    private let state: Mutex<State>

    /// - Parameter file: where the key is kept on the disk; `nil` for a passphrase.
    init(_ key: KeyMaterial, file: KeyFileRing?, isWrapped: Bool = false) {
        self.file = file
        state = Mutex(State(current: key, isWrapped: isWrapped))
    }

    /// The key, for an app password; it cannot be changed from here on. `nil` while it is being changed.
    func wrap() -> KeyMaterial? {
        state.withLock { state in
            guard state.prepared == nil, !state.isErased else { return nil }
            state.isWrapped = true
            return state.current
        }
    }

    func unwrap() { state.withLock { $0.isWrapped = false } }

    var current: DatabaseKey { .sealed(state.withLock { $0.current }) }

    /// Whether a text is the key.
    func isCurrent(_ key: KeyMaterial) -> Bool { state.withLock { !$0.isErased && $0.current.isSame(as: key) } }

    func erase() {
        state.withLock { state in
            state.current.erase()
            state.prepared?.erase()
            state.isErased = true
        }
    }

    func key(_ text: String) -> DatabaseKey {
        let key = KeyFileRing.key(of: text)
        return (try? KeyMaterial(key)).map { .sealed($0) } ?? key
    }

    func prepare(_ text: String) throws {
        guard file != nil || !text.isEmpty else { throw Refusal.notEncrypted }
        let key = try KeyMaterial(KeyFileRing.key(of: text))
        try state.withLock { state in
            guard !state.isWrapped else { throw Refusal.appPassword }
            guard Self.isUpToDate(file, &state) else { throw Refusal.keyFile }
            state.prepared = key
        }
        do { try file?.prepare(text) } catch {
            discard()
            throw error
        }
    }

    func adopt() {
        state.withLock { state in
            state.isFileBehind = true
            _ = Self.isUpToDate(file, &state)
            guard let prepared = state.prepared else { return }
            state.current.erase()
            state.current = prepared
            state.prepared = nil
        }
    }

    /// Whether the file has the key that opens the databases, so that another one may be prepared beside it.
    private static func isUpToDate(_ file: KeyFileRing?, _ state: inout State) -> Bool {
        if state.isFileBehind { state.isFileBehind = file?.isAdopted() == false }
        return !state.isFileBehind
    }

    func discard() {
        state.withLock { state in
            if !state.isFileBehind { file?.discard() }
            state.prepared?.erase()
            state.prepared = nil
        }
    }
}
