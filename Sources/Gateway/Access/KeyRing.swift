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
        /// When keys have let somebody in last, by store and id, in seconds since 1970.
        var used: [String?: [String: Int64]] = [:]
        /// Owners by the hash of the key. Looking up a hash reveals nothing about keys by its duration: an attacker cannot choose the hash of a
        /// guess.
        var owners: [[UInt8]: Owner] = [:]

        mutating func replace(_ new: [KeyRecord], of store: String?) {
            for record in records[store] ?? [] {
                owners[record.hash] = nil
                if let previous = record.previous { owners[previous.hash] = nil }
            }
            records[store] = new
            for record in new {
                let principal = Principal(keyID: record.id, scopes: record.scopes, userId: record.userId, store: store, chats: record.chats)
                let expires = record.expires ?? .max
                owners[record.hash] = Owner(principal: principal, until: expires)
                if let previous = record.previous { owners[previous.hash] = Owner(principal: principal, until: min(expires, previous.until)) }
            }
            let ids = Set(new.map(\.id))
            used[store] = used[store]?.filter { ids.contains($0.key) }
        }

        /// The owner of a key that is good now.
        mutating func owner(_ hash: [UInt8]) -> Principal? {
            let now = WallClock.seconds()
            guard let owner = owners[hash], now < owner.until else { return nil }
            used[owner.principal.store, default: [:]][owner.principal.keyID] = now
            return owner.principal
        }

        /// The next moment at which a key ends to be one.
        var nextEnd: Int64? { records.values.joined().compactMap(\.expires).filter { $0 > WallClock.seconds() }.min() }
    }

    private struct Owner {
        let principal: Principal
        /// Seconds since 1970.
        let until: Int64
    }

    private let state = Mutex(State())
    private let reloading = Mutex(())
    private let expiry = Mutex<Task<Void, Never>?>(nil)
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
        watchExpiry()
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
        if let owner = state.withLock({ $0.owner(hash) }) { return owner }
        // Guessing keys must not keep the disk busy.
        guard rereading.withLock({ $0.take(at: MonotonicClock.microseconds()) }) else { return nil }
        for (store, file) in state.withLock({ $0.files }) {
            let version = FileVersion(of: file.path)
            if state.withLock({ $0.versions[store] != version }) { reload(store) }
        }
        return state.withLock { $0.owner(hash) }
    }

    /// Whether there is such a key, and it has not expired.
    func contains(id: String, of store: String?) -> Bool {
        let now = WallClock.seconds()
        return state.withLock { $0.records[store]?.contains { $0.id == id && $0.isValid(at: now) } ?? false }
    }

    /// The keys of a store, and when each was used last since the start.
    func keys(of store: String?) -> [(record: KeyRecord, used: Int64?)] {
        state.withLock { state in (state.records[store] ?? []).map { ($0, state.used[store]?[$0.id]) } }
    }

    func file(of store: String?) -> KeyFile? { state.withLock { $0.files[store] } }

    /// Ends what follows with a key when the key expires.
    private func watchExpiry() {
        guard let end = state.withLock({ $0.nextEnd }) else { return }
        expiry.withLock { expiry in
            expiry?.cancel()
            expiry = Task { [weak self] in
                guard (try? await Task.sleep(for: .seconds(max(0, end - WallClock.seconds())))) != nil else { return }
                self?.dropExpired()
            }
        }
    }

    private func dropExpired() {
        let now = WallClock.seconds()
        let valid = state.withLock { state in
            state.records.mapValues { records in Set(records.filter { $0.isValid(at: now) }.map(\.id)) }
        }
        for (store, ids) in valid {
            for listener in listeners.withLock({ $0 }) { listener(store, ids) }
        }
        watchExpiry()
    }

    /// Reads the key file of a store again. An unreadable file changes nothing: a torn write must neither add nor revoke keys.
    public func reload(_ store: String? = nil) {
        // One at a time, or an older reading could be stored after a newer one.
        reloading.withLock { _ in
            guard let file = state.withLock({ $0.files[store] }) else { return }
            let version = FileVersion(of: file.path)
            guard let loaded = try? file.load() else { return }
            let now = WallClock.seconds()
            let valid = Set(loaded.filter { $0.isValid(at: now) }.map(\.id))
            state.withLock { state in
                guard state.files[store] != nil else { return }
                state.versions[store] = version
                state.replace(loaded, of: store)
            }
            for listener in listeners.withLock({ $0 }) { listener(store, valid) }
        }
        watchExpiry()
    }

    /// Calls the listener with the ids of all valid keys of a store whenever its key file has changed.
    func onChange(_ listener: @escaping @Sendable (String?, Set<String>) -> Void) {
        listeners.withLock { $0.append(listener) }
    }
}
