internal import SimpleXCrypto
internal import Synchronization

/// The keys of all stores, in memory.
public final class KeyRing: Sendable {
    private struct State {
        /// By store; `nil` is the first one.
        var files: [String?: KeyFile] = [:]
        var records: [String?: [KeyRecord]] = [:]
        /// Found by the hash of a key, so that time tells nothing about a key: nobody can choose the hash of what he guesses.
        var owners: [[UInt8]: Principal] = [:]

        mutating func replace(_ new: [KeyRecord], of store: String?) {
            for record in records[store] ?? [] { owners[record.hash] = nil }
            records[store] = new
            for record in new {
                owners[record.hash] = Principal(keyID: record.id, scopes: record.scopes, userId: record.userId, store: store)
            }
        }
    }

    private let state = Mutex(State())
    private let reloading = Mutex(())
    private let listeners = Mutex<[@Sendable (String?, Set<String>) -> Void]>([])

    /// - Parameter file: the keys of the first store.
    public init(file: KeyFile) throws(KeyFileError) {
        try add(nil, file: file)
    }

    /// Knows the keys of a store from now on.
    func add(_ store: String?, file: KeyFile) throws(KeyFileError) {
        let records = try file.load()
        state.withLock { state in
            state.files[store] = file
            state.replace(records, of: store)
        }
    }

    /// The keys of a store that is gone open nothing.
    func remove(_ store: String) {
        state.withLock { state in
            state.replace([], of: store)
            state.files[store] = nil
            state.records[store] = nil
        }
    }

    /// The owner of a key.
    public func principal(for text: some StringProtocol) -> Principal? {
        guard let hash = APIKey.hash(of: text) else { return nil }
        return state.withLock { $0.owners[hash] }
    }

    func contains(id: String, of store: String?) -> Bool {
        state.withLock { $0.records[store]?.contains { $0.id == id } ?? false }
    }

    /// Reads the file of a store again. One that cannot be read changes nothing: a torn write must not open or close doors.
    public func reload(_ store: String? = nil) {
        // One at a time, or an older reading could be stored after a newer one.
        reloading.withLock { _ in
            guard let file = state.withLock({ $0.files[store] }), let loaded = try? file.load() else { return }
            let valid = Set(loaded.map(\.id))
            state.withLock { state in
                if state.files[store] != nil { state.replace(loaded, of: store) }
            }
            for listener in listeners.withLock({ $0 }) { listener(store, valid) }
        }
    }

    /// Tells which keys of a store are valid whenever its file has changed.
    func onChange(_ listener: @escaping @Sendable (String?, Set<String>) -> Void) {
        listeners.withLock { $0.append(listener) }
    }
}
