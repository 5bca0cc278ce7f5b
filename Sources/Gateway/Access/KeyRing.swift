internal import SimpleXCrypto
internal import Synchronization

/// The keys of all stores, in memory.
public final class KeyRing: Sendable {
    private struct State {
        /// By store; `nil` is the first one.
        var files: [String?: KeyFile] = [:]
        var records: [String?: [KeyRecord]] = [:]
        /// Versions of the key files as they were last read. A file with another version has changed since.
        var versions: [String?: FileVersion] = [:]
        /// Owners by the hash of the key. Looking up a hash reveals nothing about keys by its duration: an attacker cannot choose the hash of a
        /// guess.
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
    private let rereading = Mutex(RateLimit(perSecond: 20))
    private let listeners = Mutex<[@Sendable (String?, Set<String>) -> Void]>([])

    /// - Parameter file: the keys of the first store.
    public init(file: KeyFile) throws(KeyFileError) {
        try add(nil, file: file)
    }

    /// Knows the keys of a store from now on.
    func add(_ store: String?, file: KeyFile) throws(KeyFileError) {
        let version = FileVersion(of: file.path)
        let records = try file.load()
        state.withLock { state in
            state.files[store] = file
            state.versions[store] = version
            state.replace(records, of: store)
        }
    }

    /// Removes a store's keys: they authorize nothing any more.
    func remove(_ store: String) {
        state.withLock { state in
            state.replace([], of: store)
            state.files[store] = nil
            state.versions[store] = nil
            state.records[store] = nil
        }
    }

    /// The owner of a key. If the key is unknown, changed key files are read again, since it may have been added a moment ago.
    public func principal(for text: some StringProtocol) -> Principal? {
        guard let hash = APIKey.hash(of: text) else { return nil }
        if let owner = state.withLock({ $0.owners[hash] }) { return owner }
        // Guessing keys must not keep the disk busy.
        guard rereading.withLock({ $0.take(at: MonotonicClock.microseconds()) }) else { return nil }
        for (store, file) in state.withLock({ $0.files }) {
            let version = FileVersion(of: file.path)
            if state.withLock({ $0.versions[store] != version }) { reload(store) }
        }
        return state.withLock { $0.owners[hash] }
    }

    func contains(id: String, of store: String?) -> Bool {
        state.withLock { $0.records[store]?.contains { $0.id == id } ?? false }
    }

    /// Reads the key file of a store again. An unreadable file changes nothing: a torn write must neither add nor revoke keys.
    public func reload(_ store: String? = nil) {
        // One at a time, or an older reading could be stored after a newer one.
        reloading.withLock { _ in
            guard let file = state.withLock({ $0.files[store] }) else { return }
            let version = FileVersion(of: file.path)
            guard let loaded = try? file.load() else { return }
            let valid = Set(loaded.map(\.id))
            state.withLock { state in
                guard state.files[store] != nil else { return }
                state.versions[store] = version
                state.replace(loaded, of: store)
            }
            for listener in listeners.withLock({ $0 }) { listener(store, valid) }
        }
    }

    /// Calls the listener with the ids of all valid keys of a store whenever its key file has changed.
    func onChange(_ listener: @escaping @Sendable (String?, Set<String>) -> Void) {
        listeners.withLock { $0.append(listener) }
    }
}
