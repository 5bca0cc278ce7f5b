internal import Clocks
internal import ChatCore
internal import Concurrency
internal import SimpleXCrypto

/// Creation of stores.
extension StoreHost {
    /// Creates a store, and the key of its administrator. On return, the store is unlocked, unless the unlock has
    /// failed, for example on a full disk.
    /// - Parameter keep: stores the answer for a repetition of the request. The answer is used only if the store
    ///   exists.
    func createStore(
        name: String,
        tenant: String? = nil,
        passphrase: SecretBytes?,
        keep: (@Sendable (_ id: String, StoreRecord, APIKey) throws -> Void)? = nil
    ) async throws(ProblemDetails) -> (store: Store, key: APIKey) {
        guard !isStopped else { throw ProblemDetails(.unavailable, "The server is stopping.") }
        await closeUnusedStoreIfFull()
        try checkOpenLimit()
        let id = StoreID.make()
        var new = StoreRecord(
            name: name,
            created: WallClock.seconds(),
            protection: passphrase == nil ? .keyFile : .passphrase
        )
        new.tenant = tenant
        let record = new
        do {
            let draft = folders.makeDraftFolder(id)
            let (key, material) = try await runBlocking { [self] in try makeDraft(draft, id, record, passphrase) }
            folders.onStep("make the databases")
            // The databases are created now. If the first unlock created the databases, it would accept a mistyped
            // passphrase.
            try await openCore(draft, StoreKeyring(material, file: nil), missing: .create).close()
            let store = try await creationLock.runLocked {
                try await runBlocking { [self] () throws -> Store in
                    if let keep {
                        folders.onStep("keep the answer")
                        try keep(id, record, key)
                    }
                    try folders.publishDraft(id)
                    return try addStore(id, record)
                }
            }
            // The store exists now, and only the answer to this request contains its key. So an error below does not
            // fail the request.
            await unlockNewStore(store, material)
            return (store, key)
        } catch {
            await runCleanup { [folders] in folders.discardDraft(id) }
            log.error("a store cannot be made", metadata: ["error": "\(error)"])
            throw ProblemDetails(error, "The store cannot be made.")
        }
    }

    /// Makes the folder of a new store, with its record, its keys and the key of its databases.
    /// - Returns: the key of the administrator, and the key of the databases.
    private func makeDraft(
        _ draft: StoreFolder,
        _ id: String,
        _ record: StoreRecord,
        _ passphrase: SecretBytes?
    ) throws -> (APIKey, KeyMaterial) {
        try folders.makeDraft(id)
        folders.onStep("write the record")
        try draft.writeRecord(record)
        folders.onStep("write the keys")
        let key = try KeyFile(folder: draft.path, store: id).addKey(name: "admin", scopes: .admin).key
        folders.onStep("write the databases' key")
        if let passphrase { return (key, passphrase.keyMaterial) }
        let ring = FileKeyring(path: draft.databaseKeyPath)
        let material = KeyMaterial.random()
        try ring.createKeyFile(material)
        return (key, material)
    }

    /// Unlocks a new store. If this fails, the store stays locked.
    private func unlockNewStore(_ store: Store, _ material: KeyMaterial) async {
        do {
            try await store.lifecycleLock.runLocked { () async throws in
                try await acquireStore(store)
                do { try await finishUnlocking(store, makeKeyring(store, material)) } catch {
                    await releaseStore(store)
                    throw error
                }
            }
        } catch {
            log.error("a new store stays locked", metadata: ["store": "\(store.id)", "error": "\(error)"])
        }
    }
}
