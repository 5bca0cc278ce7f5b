internal import ChatCore
internal import Concurrency
internal import SimpleXCrypto

/// Unlocking, locking and deletion of stores.
extension StoreHost {
    func checkOpenLimit() throws(ProblemDetails) {
        guard !settings.openStoreLimit.isFull else {
            throw ProblemDetails(
                .unavailable,
                "\(settings.openStoreLimit.maxUnits) stores are open: the limit of open files allows no more."
            )
        }
    }

    func makeKeyring(_ store: Store, _ key: KeyMaterial) -> StoreKeyring {
        let file = store.record.protection == .keyFile ? FileKeyring(path: store.folder.databaseKeyPath) : nil
        return StoreKeyring(key, file: file, isWrapped: store.hasAppPassword)
    }

    /// Opens the databases with a key, and marks the store as unlocked. The caller must hold the lock `lifecycleLock`
    /// of the store.
    func finishUnlocking(_ store: Store, _ keyring: StoreKeyring) async throws(ChatOpenError) {
        store.changePhase(.unlocking)
        do throws(ChatOpenError) {
            let opened = try await openStore(store, keyring)
            store.changePhase(.unlocked(opened))
        } catch {
            keyring.eraseKeys()
            store.changePhase(.locked)
            throw error
        }
    }

    /// Unlocks and opens a store. Concurrent callers wait until the store is open.
    func unlockStore(_ store: Store, _ passphrase: SecretBytes?) async throws(ProblemDetails) {
        if store.openedStore == nil { await closeUnusedStoreIfFull() }
        // The password may be the self-destruct password, so the unlock must not wait for a backup. The backup gives
        // way to every password, because a difference between the passwords would reveal the self-destruct password.
        if passphrase != nil, store.hasAppPassword { backupSlot.giveWay(for: store.id, isForTurn: true) }
        try await runLockedOnAcquiredStore(store) { () async throws(ProblemDetails) in
            try await unlockUnderLock(store, passphrase)
        }
    }

    /// Opens a store that needs no password, without a request to unlock it. If a client locks the store before the
    /// opening begins, the store stays locked.
    func openPasswordlessStore(_ store: Store) async throws(ProblemDetails) {
        if store.openedStore == nil { await closeUnusedStoreIfFull() }
        try await runLockedOnAcquiredStore(store) { () async throws(ProblemDetails) in
            guard store.canOpenByItself else { return _ = try store.requireServices() }
            try await unlockUnderLock(store, nil)
        }
    }

    private func runLockedOnAcquiredStore(
        _ store: Store,
        _ body: () async throws(ProblemDetails) -> Void
    ) async throws(ProblemDetails) {
        let result: Result<Void, ProblemDetails> = await store.lifecycleLock.runLocked {
            do throws(ProblemDetails) { return .success(try await runWithAcquired(store, body)) } catch {
                return .failure(error)
            }
        }
        try result.get()
    }

    func unlockUnderLock(_ store: Store, _ passphrase: SecretBytes?) async throws(ProblemDetails) {
        guard !isStopped else { throw ProblemDetails(.unavailable, "The server is stopping.") }
        if case .deleted = store.phase { throw ProblemDetails(.notFound, "There is no such store.") }
        if store.openedStore == nil { try checkOpenLimit() }
        guard !store.isHeldClosed else { throw ProblemDetails(.conflict, CrashCount.heldClosedReason) }
        switch store.record.protection {
        case _ where store.hasAppPassword:
            try await unlockByPassword(store, passphrase)
        case .keyFile:
            if store.openedStore != nil { return }
            try await unlockByKeyFile(store)
        case .passphrase:
            guard let passphrase, passphrase.count > 0 else {
                throw ProblemDetails(member: "passphrase", "is missing.", .missing)
            }
            try store.checkUnlockDelay()
            let key = passphrase.keyMaterial
            if let opened = store.openedStore {
                let isRight = opened.keyring.isCurrent(key)
                store.recordUnlockAttempt(isRight: isRight)
                guard isRight else { throw ProblemDetails(.wrongPassphrase) }
            } else {
                try await unlockWithKeyring(store, makeKeyring(store, key))
                store.recordUnlockAttempt(isRight: true)
            }
        }
        do { try await store.changeRecord { $0.staysLocked = false } } catch {
            throw ProblemDetails(error, "The store cannot be marked as open.")
        }
    }

    func unlockWithKeyring(_ store: Store, _ keyring: StoreKeyring) async throws(ProblemDetails) {
        do throws(ChatOpenError) {
            try await finishUnlocking(store, keyring)
        } catch {
            guard case .wrongKey = error else { throw logOpeningProblem(of: store, error) }
            store.recordUnlockAttempt(isRight: false)
            throw ProblemDetails(.wrongPassphrase)
        }
    }

    private func unlockByKeyFile(_ store: Store) async throws(ProblemDetails) {
        do { try await openByKeyFile(store) } catch { throw logOpeningProblem(of: store, error) }
    }

    private func logOpeningProblem(of store: Store, _ error: any Error) -> ProblemDetails {
        log.error("a store cannot be opened", metadata: ["store": "\(store.id)", "error": "\(error)"])
        let problem = ProblemDetails(opening: error)
        // If the databases are in use or the disk is full, a later attempt can succeed without the operator. So only
        // other problems are recorded as a failed opening.
        if ![.unavailable, .storageFull].contains(problem.code) { store.setOpeningFailed(true) }
        return problem
    }

    /// Opens the store with the key in its file. The caller must hold the lock `lifecycleLock` of the store. After an
    /// interrupted change of the key, this function uses the key that opens the databases: the old or the new one.
    func openByKeyFile(_ store: Store) async throws {
        let ring = FileKeyring(path: store.folder.databaseKeyPath)
        guard let key = try await runBlocking({ try ring.readKeyMaterial() }) else {
            throw FirstStoreError.noKeyFile(path: ring.path)
        }
        do throws(ChatOpenError) {
            try await finishUnlocking(store, makeKeyring(store, key))
            ring.discardNewKey()
        } catch .wrongKey(let database) {
            guard let prepared = try await runBlocking({ try ring.readPreparedKey() }) else {
                throw ChatOpenError.wrongKey(database: database)
            }
            let keyring = makeKeyring(store, prepared)
            try await finishUnlocking(store, keyring)
            keyring.adoptNewKey()
        }
    }

    /// Locks a store: ends everything that uses the store, and overwrites its key. A running backup copies the store
    /// later, as a locked store, unless it has copied the store already.
    func lockStore(_ store: Store) async throws(ProblemDetails) {
        do {
            try await runLockedForClosing(of: store) {
                if case .deleted = store.phase { throw ProblemDetails(.notFound, "There is no such store.") }
                try await acquireStore(store)
                await closeStore(store, .storeLocked, withBackup: true)
                // The store stays locked after a restart, until a client unlocks it.
                do { try await store.changeRecord { $0.staysLocked = true } } catch {
                    await releaseStore(store, isWanted: false)
                    throw ProblemDetails(
                        error,
                        "The store is locked, but its record could not be written: the store may open by itself after a restart."
                    )
                }
                await releaseStore(store, isWanted: false)
            }
        } catch {
            throw error as? ProblemDetails ?? ProblemDetails(error, "The store cannot be locked.")
        }
    }

    /// Closes a store. The caller must hold the lock `lifecycleLock` of the store.
    /// - Parameter withBackup: whether to end the copying of the store by a backup, even when the store is not open.
    func closeStore(_ store: Store, _ reason: StreamEnd, withBackup: Bool = false) async {
        let opened = store.openedStore
        if opened != nil { store.changePhase(.locking) }
        if withBackup { await backupSlot.stopCopying(of: store.id) }
        guard let opened else { return }
        let end = store.startTimeoutTask(after: settings.storeClosingTimeout)
        await opened.closeStore(reason, patience: settings.storeClosingTimeout)
        end.cancel()
        store.changePhase(.locked)
    }

    func deleteStore(_ store: Store) async throws(ProblemDetails) {
        guard !store.isFirst else {
            throw ProblemDetails(.conflict, "The first store cannot be deleted: its keys manage the others.")
        }
        do {
            try await runLockedForClosing(of: store) {
                if case .deleted = store.phase { throw ProblemDetails(.notFound, "There is no such store.") }
                try await acquireStore(store)
                await closeStore(store, .storeDeleted, withBackup: true)
                backupSlot.recordEmptiedStore(store.id)
                store.changePhase(.deleted)
                removeStore(store)
                let (folders, id, wipes, objects) = (folders, store.id, objectWipes, store.record.objectFolder)
                try await runBlocking {
                    if let objects { try wipes?.recordFolderToWipe(objects) }
                    try folders.deleteStore(id)
                }
                wipes?.wake()
                if let lease = store.lease { await settings.placement?.removeStore(id, lease) }
                if let broker = settings.broker {
                    let tenant = store.record.tenant ?? Tenant.defaultName
                    // The position of the store at the broker is removed in the background. If that fails, a few bytes
                    // stay at the broker.
                    Task { try? await broker.removePosition(id, of: tenant) }
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
    /// The key of databases that these bytes contain as text: a passphrase, or the digits of a raw key.
    var keyMaterial: KeyMaterial { withBytes { KeyMaterial(text: UnsafeRawBufferPointer($0)) } }
}

extension ProblemDetails {
    /// Makes the problem for a store that cannot be opened.
    /// - Parameter error: the reason why the store cannot be opened.
    init(opening error: any Error) {
        switch error {
        case ChatOpenError.databaseLost:
            self.init(
                .internalError,
                "The databases of the store are missing. Delete the store and restore a copy of it."
            )
        case ChatOpenError.unusableCopy(let reason):
            self.init(
                .invalidValue,
                "The copy cannot be used: \(reason). Delete the store and restore another copy."
            )
        case ChatOpenError.database(.busy):
            // A node that hangs and has lost its lease may still hold locks on the shared disk.
            self.init(
                .unavailable,
                "Another process has the databases of the store open. If this lasts, end the node that had the store last: it may hang."
            )
            headers = [("Retry-After", "5")]
        default: self.init(error, "The store cannot be opened.")
        }
    }
}
