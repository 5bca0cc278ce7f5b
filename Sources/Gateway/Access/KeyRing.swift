internal import Clocks
internal import ChatCore
internal import Concurrency
package import Descriptors
internal import Files
package import Logging
internal import SimpleXCrypto
internal import Synchronization

/// A key with the time of its last use (in seconds since 1970) and the address from which its last request came.
struct ListedKey: Sendable {
    let record: KeyRecord
    let lastUsedSeconds: Int64?
    let lastAddress: SourceAddress?
}

/// The keys of all stores, in memory.
package final class KeyRing: Sendable {
    private struct State {
        /// The key files by store; `nil` is the first store.
        var keyFiles: [String?: KeyFile] = [:]
        var records: [String?: [KeyRecord]] = [:]
        /// The versions of the key files at the last reading. A file with another version has changed since then.
        var versions: [String?: FileVersion] = [:]
        /// The times of the last request of each key, by store and id, in seconds since 1970.
        var lastUses: [String?: [String: Int64]] = [:]
        /// The addresses of the last request of each key, by store and id. They are only in memory.
        var lastAddresses: [String?: [String: SourceAddress]] = [:]
        /// The times at which the uses of a store's keys were last written, in seconds since 1970.
        var usesSavedAtSeconds: [String?: Int64] = [:]
        /// Stores whose keys could not be read.
        var unreadableStores: Set<String> = []
        /// Principals of keys, by the hashes of the keys' secrets. The duration of a lookup reveals nothing about keys,
        /// because an attacker cannot choose the hash of a guessed key.
        var ownersByHash: [[UInt8]: SecretOwner] = [:]

        mutating func replaceRecords(_ new: [KeyRecord], of store: String?) {
            for record in records[store] ?? [] {
                ownersByHash[record.secretHash] = nil
                if let previous = record.previousSecret { ownersByHash[previous.secretHash] = nil }
            }
            records[store] = new
            for record in new {
                let expires = record.expiresAtSeconds ?? .max
                func add(_ hash: [UInt8], until: Int64, isClaimOnly: Bool = false) {
                    let principal = Principal(
                        keyID: record.id,
                        scopes: record.scopes,
                        userId: record.userId,
                        store: store,
                        chats: record.chats,
                        remoteHostId: record.remoteHostId,
                        credential: Credential(keyID: record.id, hash: hash),
                        isClaimOnly: isClaimOnly
                    )
                    ownersByHash[hash] = SecretOwner(principal: principal, validUntilSeconds: until)
                }
                add(record.secretHash, until: expires)
                if let previous = record.previousSecret {
                    add(
                        previous.secretHash,
                        until: min(expires, previous.validUntilSeconds),
                        isClaimOnly: previous.isClaimOnly
                    )
                }
            }
            let ids = Set(new.map(\.id))
            lastUses[store] = lastUses[store]?.filter { ids.contains($0.key) }
            lastAddresses[store] = lastAddresses[store]?.filter { ids.contains($0.key) }
        }

        /// Records a use of the key with a hash. Returns the principal of the key, and whether the uses of the store's
        /// keys have to be written now. Returns nil when no valid key has the hash.
        mutating func recordUse(
            _ hash: [UInt8],
            at now: Int64,
            from address: SourceAddress?
        ) -> (owner: Principal, isToSave: Bool)? {
            guard let found = ownersByHash[hash], now < found.validUntilSeconds else { return nil }
            let owner = found.principal
            lastUses[owner.storeID, default: [:]][owner.keyID] = now
            lastAddresses[owner.storeID, default: [:]][owner.keyID] = address
            let isToSave = usesSavedAtSeconds[owner.storeID].map { now - $0 >= KeyUses.saveIntervalSeconds } ?? true
            if isToSave { usesSavedAtSeconds[owner.storeID] = now }
            return (owner, isToSave)
        }

        /// Returns the next time at which a secret becomes invalid.
        func nextExpiry(after now: Int64) -> Int64? {
            records.values.joined().flatMap {
                [$0.expiresAtSeconds, $0.previousSecret?.validUntilSeconds].compactMap(\.self)
            }.filter { $0 > now }
                .min()
        }

        func validCredentials(of store: String?, at now: Int64) -> Set<Credential> {
            Set((records[store] ?? []).flatMap { $0.validCredentials(at: now) })
        }
    }

    private struct SecretOwner {
        let principal: Principal
        /// The time until which the secret is valid, in seconds since 1970.
        let validUntilSeconds: Int64
    }

    private let state = Mutex(State())
    let clock: GatewayClock
    private let log: Logger
    private let reloadLock = Mutex(())
    private let saveLock = Mutex(())
    private let expiryTask = Mutex<Task<Void, Never>?>(nil)
    private let rereadLimit = Mutex(RateLimit(perSecond: 20))
    private let keyFileRereading = BoundedReading()
    private let listeners = Mutex<[@Sendable (String?, Set<Credential>) -> Void]>([])

    /// - Parameter file: the key file of the first store.
    package init(file: KeyFile, log: Logger = Logger(label: "keys")) throws(KeyFileError) {
        clock = file.clock
        self.log = log
        try addStore(nil, file: file)
    }

    /// Adds the keys of a store.
    func addStore(_ store: String?, file: KeyFile) throws(KeyFileError) {
        let version = FileVersion(of: file.path)
        let records = try file.loadKeys()
        let used = KeyUses(of: file).load()
        state.withLock { state in
            state.keyFiles[store] = file
            state.versions[store] = version
            state.lastUses[store] = used
            state.replaceRecords(records, of: store)
        }
        scheduleExpiryCall()
    }

    /// Adds the keys of a store. If the file of the keys cannot be read, the store is added without keys, and gets them
    /// when the file can be read.
    func addStoreEvenIfUnreadable(_ store: String, file: KeyFile) {
        do throws(KeyFileError) { try addStore(store, file: file) } catch {
            log.error(
                "The keys of a store cannot be read: no key of the store is accepted.",
                metadata: ["store": "\(store)", "error": "\(error)"]
            )
            state.withLock { state in
                state.keyFiles[store] = file
                state.versions[store] = FileVersion(of: file.path)
                state.records[store] = []
                state.unreadableStores.insert(store)
            }
        }
    }

    /// Whether a text may be a key whose validity is unknown, because it names a store whose keys could not be read.
    func hasUnknownValidity(_ text: String) -> Bool {
        APIKey.storeID(in: text).map { store in state.withLock { $0.unreadableStores.contains(store) } } ?? false
    }

    /// Removes the keys of a store, so that they authorize nothing.
    func removeStore(_ store: String) {
        state.withLock { state in
            state.replaceRecords([], of: store)
            state.keyFiles[store] = nil
            state.versions[store] = nil
            state.records[store] = nil
            state.lastUses[store] = nil
            state.lastAddresses[store] = nil
            state.usesSavedAtSeconds[store] = nil
            state.unreadableStores.remove(store)
        }
        // A running write of key uses holds `saveLock`. The wait for the lock ensures that nothing is written into the
        // store's folder later.
        saveLock.withLock { _ in }
    }

    /// Returns the principal of a key; nil for an invalid key. If the key is unknown, changed key files are read again,
    /// because the key may have been added a moment ago.
    /// - Parameter address: the address from which the request came.
    package func findPrincipal(for text: some StringProtocol, from address: SourceAddress? = nil) -> Principal? {
        guard let hash = APIKey.hash(of: text) else { return nil }
        if let owner = recordUse(hash, from: address) { return owner }
        // Each unknown key can cause a reading of the files. The number of readings is limited, because clients may
        // guess keys.
        guard rereadLimit.withLock({ $0.takeCredit(at: MonotonicClock.microseconds()) }) else { return nil }
        // This thread also serves other requests, so it waits only a limited time for the reading. So an unknown key is
        // refused if the disk does not answer in time.
        keyFileRereading.runReading { [weak self] in self?.reloadChangedFiles() }
        return recordUse(hash, from: address)
    }

    private func recordUse(_ hash: [UInt8], from address: SourceAddress?) -> Principal? {
        guard let (owner, isToSave) = state.withLock({ $0.recordUse(hash, at: clock.seconds(), from: address) }) else {
            return nil
        }
        if isToSave { BlockingThread.runOnThread { [weak self] in self?.saveUses(of: owner.storeID) } }
        return owner
    }

    private func saveUses(of store: String?) {
        saveLock.withLock { _ in
            guard
                let (file, uses) = state.withLock({ state in
                    state.keyFiles[store].map { ($0, state.lastUses[store] ?? [:]) }
                }
                )
            else { return }
            // An error is ignored, since a later use writes the times again.
            try? KeyUses(of: file).save(uses)
        }
    }

    /// Writes the times at which the keys of all stores were last used. Called when the process ends.
    func saveUses() async {
        await withCheckedContinuation { continuation in
            BlockingThread.runOnThread {
                for store in self.state.withLock({ Array($0.usesSavedAtSeconds.keys) }) { self.saveUses(of: store) }
                continuation.resume()
            }
        }
    }

    /// Whether the secret that has authorized a request is still valid.
    func isStillValid(_ principal: Principal) -> Bool {
        guard let credential = principal.credential else { return true }
        let now = clock.seconds()
        return state.withLock {
            $0.records[principal.storeID]?.contains { $0.validCredentials(at: now).contains(credential) } ?? false
        }
    }

    /// Returns the key with an id, if it is valid now.
    func findRecord(id: String, of store: String?) -> KeyRecord? {
        let now = clock.seconds()
        return state.withLock { $0.records[store]?.first { $0.id == id && $0.isValid(at: now) } }
    }

    /// Makes a function that returns the present rights of a key, given the id of the key. The rights are unknown while
    /// the keys of the store are not in memory.
    func makeRightsLookup(of store: String?) -> @Sendable (String) -> PlannedRights {
        { [weak self] id in
            guard let self else { return .unknown }
            let isKnown = self.state.withLock { state in
                state.records[store] != nil && store.map { !state.unreadableStores.contains($0) } ?? true
            }
            guard isKnown else { return .unknown }
            guard let record = findRecord(id: id, of: store), record.remoteHostId == nil else { return .ended }
            let principal = Principal(
                keyID: record.id,
                scopes: record.scopes,
                userId: record.userId,
                store: store,
                chats: record.chats
            )
            return .valid(principal.commandRights)
        }
    }

    /// Returns the keys of a store, each with the time and the address of its last use.
    func keys(of store: String?) -> [ListedKey] {
        let now = clock.seconds()
        return state.withLock { state in
            (state.records[store] ?? []).filter { !$0.isUnclaimed(at: now) }.map { record in
                ListedKey(
                    record: record,
                    lastUsedSeconds: state.lastUses[store]?[record.id],
                    lastAddress: state.lastAddresses[store]?[record.id]
                )
            }
        }
    }

    func keyFile(of store: String?) -> KeyFile? { state.withLock { $0.keyFiles[store] } }

    /// Schedules a call of the listeners for the next time at which a secret becomes invalid.
    private func scheduleExpiryCall() {
        expiryTask.withLock { expiry in
            expiry?.cancel()
            expiry = state.withLock { $0.nextExpiry(after: clock.seconds()) }.map { end in
                Task { [weak self, clock] in
                    guard (try? await clock.sleepUntil(end)) != nil else { return }
                    BlockingThread.runOnThread { [weak self] in self?.notifyListenersOfAllStores() }
                }
            }
        }
    }

    private func notifyListenersOfAllStores() {
        reloadLock.withLock { _ in
            for store in state.withLock({ Array($0.records.keys) }) { notifyListeners(of: store) }
        }
        scheduleExpiryCall()
    }

    private func notifyListeners(of store: String?) {
        let valid = state.withLock { $0.validCredentials(of: store, at: clock.seconds()) }
        for listener in listeners.withLock({ $0 }) { listener(store, valid) }
    }

    /// Reads the key file of a store again. If the file cannot be read, the keys stay as they are, since an incomplete
    /// write must neither add nor revoke keys.
    package func reloadKeys(_ store: String? = nil) {
        // Only one reading runs at a time. Otherwise the result of an older reading could replace a newer result.
        reloadLock.withLock { _ in
            guard let file = state.withLock({ $0.keyFiles[store] }) else { return }
            let version = FileVersion(of: file.path)
            let loaded: [KeyRecord]
            do throws(KeyFileError) { loaded = try file.loadKeys() } catch {
                log.error(
                    "The keys cannot be read again: the previous keys stay in use.",
                    metadata: ["error": "\(error)"]
                )
                // A malformed or missing file is read again only after it was changed. After another error, the file
                // may become readable without a change.
                switch error {
                case .malformed, .missing: state.withLock { $0.versions[store] = version }
                case .file, .requesterRevoked, .answerNotKept: break
                }
                return
            }
            state.withLock { state in
                guard state.keyFiles[store] != nil else { return }
                state.versions[store] = version
                state.replaceRecords(loaded, of: store)
                if let store { state.unreadableStores.remove(store) }
            }
            notifyListeners(of: store)
        }
        scheduleExpiryCall()
    }

    /// Reads the changed key files again. Blocks the thread.
    func reloadChangedFiles() {
        for (store, file) in state.withLock({ $0.keyFiles }) {
            let version = FileVersion(of: file.path)
            if state.withLock({ $0.versions[store] != version }) { reloadKeys(store) }
        }
    }

    /// Adds a listener. It is called with all valid secrets of a store whenever these secrets may have changed.
    func onCredentialsChange(_ listener: @escaping @Sendable (String?, Set<Credential>) -> Void) {
        listeners.withLock { $0.append(listener) }
    }
}
