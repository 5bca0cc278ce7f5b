internal import ChatCore
internal import Concurrency
internal import SimpleXCrypto

/// Stores come, are unlocked and locked, and go.
extension StoreHost {
    /// Creates a store, unlocked unless the disk became full meanwhile, and the key of its administrator.
    /// - Parameter keep: stores the answer for a repeated request; it counts from the moment when the store exists.
    func create(
        name: String, tenant: String? = nil, passphrase: SecretBytes?, keep: (@Sendable (_ id: String, StoreRecord, APIKey) throws -> Void)? = nil
    ) async throws(ProblemDetails) -> (store: Store, key: APIKey) {
        guard !isStopped else { throw ProblemDetails(.unavailable, "The server is stopping.") }
        await makeRoom()
        try checkRoom()
        let id = StoreFolders.newID()
        var new = StoreRecord(name: name, created: WallClock.seconds(), protection: passphrase == nil ? .keyFile : .passphrase)
        new.tenant = tenant
        let record = new
        do {
            let (folders, draft) = (folders, folders.draft(id))
            let (key, material) = try await blocking { () throws -> (APIKey, KeyMaterial) in
                try folders.begin(id)
                folders.onStep("write the record")
                try draft.write(record)
                folders.onStep("write the keys")
                let key = try KeyFile(folder: draft.path, store: id).add(name: "admin", scopes: .admin).key
                folders.onStep("write the databases' key")
                if let passphrase { return (key, passphrase.material) }
                let ring = KeyFileRing(path: draft.databaseKey)
                let material = KeyMaterial.random()
                try ring.create(material)
                return (key, material)
            }
            folders.onStep("make the databases")
            // Created now, so that mistyping the passphrase at the next unlock does not create new databases with it.
            try await openCore(draft, StoreKeyring(material, file: nil), missing: .made).close()
            let store = try await creations.run {
                try await blocking { [self] () throws -> Store in
                    if let keep {
                        folders.onStep("keep the answer")
                        try keep(id, record, key)
                    }
                    try folders.publish(id)
                    return try add(id, record)
                }
            }
            // From here on the store exists, with a key that is only in the answer.
            do {
                try await store.turns.run { () async throws in
                    try await hold(store)
                    do { try await finishUnlocking(store, keyring(store, material)) } catch {
                        await letGo(store)
                        throw error
                    }
                }
            } catch {
                log.error("a new store stays locked", metadata: ["store": "\(id)", "error": "\(error)"])
            }
            return (store, key)
        } catch {
            await cleaningUp { [folders] in folders.discardDraft(id) }
            log.error("a store cannot be made", metadata: ["error": "\(error)"])
            throw ProblemDetails(error, "The store cannot be made.")
        }
    }

    private func checkRoom() throws(ProblemDetails) {
        guard !settings.openStores.isFull else {
            throw ProblemDetails(.unavailable, "As many stores are open as the limit of open files allows: \(settings.openStores.limit).")
        }
    }

    func keyring(_ store: Store, _ key: KeyMaterial) -> StoreKeyring {
        let file = store.record.protection == .keyFile ? KeyFileRing(path: store.folder.databaseKey) : nil
        return StoreKeyring(key, file: file, isWrapped: store.hasAppPassword)
    }

    /// In its turn.
    private func finishUnlocking(_ store: Store, _ keyring: StoreKeyring) async throws(ChatOpenError) {
        store.set(.unlocking)
        do throws(ChatOpenError) {
            let opened = try await open(store, keyring)
            store.set(.unlocked(opened))
        } catch {
            keyring.erase()
            store.set(.locked)
            throw error
        }
    }

    /// Opens a store. Concurrent callers wait, and find it open.
    func unlock(_ store: Store, _ passphrase: SecretBytes?) async throws(ProblemDetails) {
        if store.opened == nil { await makeRoom() }
        // The password may be the one that destroys the store: it waits for no copy. Nobody can tell from this which one it was.
        if passphrase != nil, store.hasAppPassword { backups.give(upTurnOf: store.id) }
        let result: Result<Void, ProblemDetails> = await store.turns.run {
            do throws(ProblemDetails) {
                return .success(try await holding(store) { () async throws(ProblemDetails) in try await unlockInTurn(store, passphrase) })
            } catch {
                return .failure(error)
            }
        }
        try result.get()
    }

    func unlockInTurn(_ store: Store, _ passphrase: SecretBytes?) async throws(ProblemDetails) {
        guard !isStopped else { throw ProblemDetails(.unavailable, "The server is stopping.") }
        if case .deleted = store.phase { throw ProblemDetails(.notFound, "There is no such store.") }
        if store.opened == nil { try checkRoom() }
        guard !store.isHeld else { throw ProblemDetails(.conflict, OpeningCount.reason) }
        switch store.record.protection {
        case _ where store.hasAppPassword:
            try await unlockByPassword(store, passphrase)
        case .keyFile:
            if store.opened != nil { return }
            try await unlockByFile(store)
        case .passphrase:
            guard let passphrase, passphrase.count > 0 else { throw ProblemDetails(.invalidValue, "passphrase is missing.") }
            try store.checkDelay()
            let key = passphrase.material
            if let opened = store.opened {
                let isRight = opened.keyring.isCurrent(key)
                store.tried(isRight: isRight)
                guard isRight else { throw ProblemDetails(.wrongPassphrase) }
            } else {
                try await unlock(store, keyring(store, key))
                store.tried(isRight: true)
            }
        }
        do { try await store.change { $0.staysLocked = false } } catch { throw ProblemDetails(error, "The store cannot be marked as open.") }
    }

    func unlock(_ store: Store, _ keyring: StoreKeyring) async throws(ProblemDetails) {
        do throws(ChatOpenError) {
            try await finishUnlocking(store, keyring)
        } catch {
            guard case .wrongKey = error else { throw problem(of: store, error) }
            store.tried(isRight: false)
            throw ProblemDetails(.wrongPassphrase)
        }
    }

    private func unlockByFile(_ store: Store) async throws(ProblemDetails) {
        do { try await openByFile(store) } catch { throw problem(of: store, error) }
    }

    private func problem(of store: Store, _ error: any Error) -> ProblemDetails {
        log.error("a store cannot be opened", metadata: ["store": "\(store.id)", "error": "\(error)"])
        switch error {
        case ChatOpenError.lost:
            return ProblemDetails(
                .internalError,
                "The store's databases are not there any more. Delete the store and restore a copy of it.")
        case ChatOpenError.copy(let reason):
            return ProblemDetails(
                .invalidValue, "The copy cannot be used: \(reason). Delete the store and restore another copy.")
        default: return ProblemDetails(error, "The store cannot be opened.")
        }
    }

    /// In its turn. Where a change of the key was cut off, it is the old one or the new one.
    func openByFile(_ store: Store) async throws {
        let ring = KeyFileRing(path: store.folder.databaseKey)
        guard let key = try await blocking({ try ring.material() }) else { throw FirstStoreError.noKeyFile(path: ring.path) }
        do throws(ChatOpenError) {
            try await finishUnlocking(store, keyring(store, key))
            ring.discard()
        } catch .wrongKey(let database) {
            guard let prepared = try await blocking({ try ring.preparedMaterial() }) else { throw ChatOpenError.wrongKey(database: database) }
            let keyring = keyring(store, prepared)
            try await finishUnlocking(store, keyring)
            keyring.adopt()
        }
    }

    /// Ends all that uses the store, and forgets its key. Nothing for one that is locked.
    func lock(_ store: Store) async throws(ProblemDetails) {
        backups.give(up: store.id)
        do {
            try await closingTurn(of: store) {
                if case .deleted = store.phase { throw ProblemDetails(.notFound, "There is no such store.") }
                try await hold(store)
                await close(store, .storeLocked, withBackup: true)
                // Also after a restart, until somebody unlocks it.
                do { try await store.change { $0.staysLocked = true } } catch {
                    await letGo(store, isWanted: false)
                    throw error
                }
                await letGo(store, isWanted: false)
            }
        } catch {
            throw error as? ProblemDetails ?? ProblemDetails(error, "The store is locked, but will not be after a restart.")
        }
    }

    /// In its turn.
    /// - Parameter withBackup: whether a backup that has the store, and so its key, is stopped as well, also where the store is not open.
    func close(_ store: Store, _ reason: StreamEnd, withBackup: Bool = false) async {
        let opened = store.opened
        if opened != nil { store.set(.locking) }
        if withBackup { await backups.stop(of: store.id) }
        guard let opened else { return }
        let end = store.endingWork(after: settings.patience)
        await opened.close(reason, patience: settings.patience)
        end.cancel()
        store.set(.locked)
        ProcessMemory.trim()
    }

    func delete(_ store: Store) async throws(ProblemDetails) {
        guard !store.isFirst else { throw ProblemDetails(.conflict, "The first store cannot be deleted: its keys manage the others.") }
        backups.give(up: store.id)
        do {
            try await closingTurn(of: store) {
                if case .deleted = store.phase { throw ProblemDetails(.notFound, "There is no such store.") }
                try await hold(store)
                await close(store, .storeDeleted, withBackup: true)
                store.set(.deleted)
                remove(store)
                let (folders, id, wipes, objects) = (folders, store.id, wipes, store.record.objects)
                try await blocking {
                    if let objects { try wipes?.note(objects) }
                    try folders.delete(id)
                }
                wipes?.wake()
                if let lease = store.lease { await settings.placement?.forget(id, lease) }
                if let broker = settings.broker {
                    let tenant = store.record.tenant ?? Tenant.standard
                    // Nobody waits for it. Where it fails, a few bytes are left.
                    Task { try? await broker.forget(id, of: tenant) }
                }
            }
        } catch {
            if let problem = error as? ProblemDetails { throw problem }
            log.error("a store cannot be deleted", metadata: ["store": "\(store.id)", "error": "\(error)"])
            throw ProblemDetails(error, "The store cannot be deleted.")
        }
    }
}

extension SecretBytes {
    /// As a key of databases.
    fileprivate var material: KeyMaterial { withBytes { KeyMaterial(text: UnsafeRawBufferPointer($0)) } }
}
