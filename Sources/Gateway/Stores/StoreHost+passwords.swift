internal import Clocks
internal import ChatCore
internal import Concurrency
internal import Files
internal import SimpleXCrypto

/// App passwords and self-destruct passwords.
extension StoreHost {
    /// A lock that permits one derivation of a key from a password at a time, because each derivation takes much
    /// memory.
    private static let derivationLock = AsyncLock()

    private func derivePasswordKey(
        _ password: SecretBytes,
        _ vault: PasswordVault
    ) async throws(ProblemDetails) -> SymmetricKey {
        do {
            return try await Self.derivationLock.runLocked {
                try await runBlocking { try vault.deriveKey(of: password) }
            }
        } catch {
            log.error("a password cannot be tried", metadata: ["error": "\(error)"])
            throw ProblemDetails(.unavailable, "The password cannot be tried now.")
        }
    }

    private func readVault(_ store: Store) async throws(ProblemDetails) -> PasswordVault {
        let path = store.folder.passwordsPath
        guard let content = try? await runBlocking({ try DiskFiles.readFile(path) }), let vault = PasswordVault(content)
        else {
            throw ProblemDetails(.internalError, "The store's passwords cannot be read.")
        }
        return vault
    }

    private func storeVault(_ vault: PasswordVault, _ store: Store) async throws(ProblemDetails) {
        let (folder, fence) = (store.folder, store.fence)
        do { try await runBlocking { try fence.runIfValid { try folder.writeVault(vault) } } } catch {
            log.error("passwords cannot be kept", metadata: ["store": "\(store.id)", "error": "\(error)"])
            throw ProblemDetails(error, "The password cannot be kept.")
        }
    }

    /// Returns the content of the vault that a password opens. After wrong passwords, the next attempt must wait.
    private func openVault(
        _ vault: PasswordVault,
        _ password: SecretBytes?,
        _ store: Store,
        _ name: String
    ) async throws(ProblemDetails) -> PasswordVault.Content {
        guard let password, password.count > 0 else { throw ProblemDetails(member: name, "is missing.", .missing) }
        try store.checkUnlockDelay()
        guard let content = vault.openContent(try await derivePasswordKey(password, vault)) else {
            store.recordUnlockAttempt(isRight: false)
            throw ProblemDetails(.wrongPassphrase)
        }
        return content
    }

    // MARK: Unlocking

    /// Unlocks a store with a password. The caller must hold the lock `lifecycleLock` of the store. The answer and its
    /// duration are the same for the app password and the self-destruct password.
    func unlockByPassword(_ store: Store, _ password: SecretBytes?) async throws(ProblemDetails) {
        let begin = MonotonicClock.microseconds()
        let vault = try await readVault(store)
        guard let password, password.count > 0 else {
            throw ProblemDetails(member: "passphrase", "is missing.", .missing)
        }
        try store.checkUnlockDelay()
        let key = try await derivePasswordKey(password, vault)
        switch vault.openContent(key) {
        case nil:
            store.recordUnlockAttempt(isRight: false)
            throw ProblemDetails(.wrongPassphrase)
        case .key(let material):
            store.recordUnlockAttempt(isRight: true)
            if store.openedStore == nil {
                try await unlockWithKeyring(store, makeKeyring(store, material))
            } else {
                material.eraseBytes()
            }
        case .selfDestruct:
            store.recordUnlockAttempt(isRight: true)
            try await destroyStore(store, vault, key)
        }
        let quantum = settings.unlockDurationStepMicroseconds
        guard quantum > 0 else { return }
        let taken = MonotonicClock.microseconds() - begin
        try? await Task.sleep(for: .microseconds(quantum - taken % quantum))
    }

    /// Destroys the store as the app does: deletes its contents, and creates an empty store with the given password as
    /// its app password. The API keys are kept, because their loss would reveal the destruction.
    private func destroyStore(_ store: Store, _ vault: PasswordVault, _ key: SymmetricKey) async throws(ProblemDetails)
    {
        await closeStore(store, .storeLocked, withBackup: true)
        backupSlot.recordEmptiedStore(store.id)
        var next = store.record
        next.protection = .keyFile
        next.staysLocked = false
        if next.objectFolder != nil { next.objectFolder = StoreID.make() }
        let (folders, id, record, lease, wipes, objects) = (
            folders, store.id, next, store.lease, objectWipes, store.record.objectFolder
        )
        let (material, gone): (KeyMaterial, StoreFolder)
        do {
            (material, gone) = try await runBlocking {
                do {
                    let material = KeyMaterial.random()
                    var fresh = vault
                    fresh.removeSelfDestruct()
                    try fresh.sealContent(.key(material), key)
                    try folders.makeDraft(id)
                    let draft = folders.makeDraftFolder(id)
                    try draft.writeRecord(record)
                    try draft.writeVault(fresh)
                    try draft.markStoreEmpty()
                    // The file with the API keys of the first store is not replaced, so it needs no copy.
                    if id != StoreID.firstStore {
                        let keys = try DiskFiles.readFile(KeyFile(folder: folders.makeStoreFolder(id).path).path) ?? []
                        try DiskFiles.createFile(KeyFile(folder: draft.path).path, keys)
                    }
                    if let objects { try wipes?.recordFolderToWipe(objects) }
                    if let lease {
                        _ = try WriteFence.claimFiles(draft.fencePath, token: lease.token, isValid: lease.isValid)
                    }
                    return (material, try folders.replaceWithDraft(id))
                } catch {
                    // The new store cannot be made, but the keys of the old store are destroyed nevertheless.
                    folders.makeStoreFolder(id).destroyKeys()
                    throw error
                }
            }
            store.replaceRecord(record)
            wipes?.wake()
            if !store.isFirst {
                keyFolderWatcher?.unwatchStore(id)
                keyFolderWatcher?.watchFolder(store.folder.path, store: id)
            }
        } catch {
            log.error("a store cannot be opened", metadata: ["store": "\(store.id)", "error": "\(error)"])
            throw ProblemDetails(.internalError, "The store cannot be opened.")
        }
        try await unlockWithKeyring(store, makeKeyring(store, material))
        // The keys are overwritten already. Large files are removed in the background, because the duration of their
        // removal would reveal the destruction.
        BlockingThread.runOnThread { gone.removeFolder() }
    }

    // MARK: Changes of passwords

    /// Runs `body` with an unlocked store, while this function holds the lock `lifecycleLock` of the store.
    private func runWhileUnlocked(
        _ store: Store,
        _ body: @Sendable (OpenedStore) async throws(ProblemDetails) -> Void
    ) async throws(ProblemDetails) {
        let result: Result<Void, ProblemDetails> = await store.lifecycleLock.runLocked {
            do throws(ProblemDetails) {
                if case .deleted = store.phase { throw ProblemDetails(.notFound, "There is no such store.") }
                guard let opened = store.openedStore, !store.isLeaseLost else { throw ProblemDetails(.storeLocked) }
                return .success(try await body(opened))
            } catch {
                return .failure(error)
            }
        }
        try result.get()
    }

    /// Checks the present app password, which is required for every change of a password.
    private func checkCurrentPassword(
        _ current: SecretBytes?,
        _ vault: PasswordVault,
        _ store: Store
    ) async throws(ProblemDetails) {
        // The self-destruct password is refused in the same way as a wrong password. Any other answer would reveal it.
        guard case .key(let material) = try await openVault(vault, current, store, "current") else {
            store.recordUnlockAttempt(isRight: false)
            throw ProblemDetails(.wrongPassphrase)
        }
        material.eraseBytes()
        store.recordUnlockAttempt(isRight: true)
    }

    /// Sets or changes the app password. After the change, the key of the databases is on the disk only in encrypted
    /// form: only the app password decrypts the key.
    func setAppPassword(_ password: SecretBytes, current: SecretBytes?, of store: Store) async throws(ProblemDetails) {
        try await runWhileUnlocked(store) { [self] opened async throws(ProblemDetails) in
            guard store.folder.outsideKeyPath == nil else {
                throw ProblemDetails(
                    .conflict,
                    "The key of the databases is in a file that --database-key-file names: a password would protect nothing."
                )
            }
            var vault = PasswordVault(cost: settings.appPasswordCost)
            if store.hasAppPassword {
                vault = try await self.readVault(store)
                try await checkCurrentPassword(current, vault, store)
            }
            let key = try await derivePasswordKey(password, vault)
            if case .selfDestruct = vault.openContent(key) {
                throw ProblemDetails(member: "password", "must be another password.")
            }
            guard let material = opened.keyring.takeKeyForPassword() else {
                throw ProblemDetails(.conflict, "The key of the databases is being changed.")
            }
            do throws(CryptoError) { try vault.sealContent(.key(material), key) } catch {
                throw ProblemDetails(.internalError, "The password cannot be kept.")
            }
            do throws(ProblemDetails) { try await storeVault(vault, store) } catch {
                if !store.hasAppPassword { opened.keyring.allowKeyChanges() }
                throw error
            }
            store.setHasAppPassword(true)
            let (folder, fence) = (store.folder, store.fence)
            await runCleanup { try fence.runIfValid { folder.destroyKeyFile() } }
        }
    }

    /// Removes the app password and the self-destruct password, as the app does.
    func removeAppPassword(current: SecretBytes?, of store: Store) async throws(ProblemDetails) {
        try await runWhileUnlocked(store) { [self] opened async throws(ProblemDetails) in
            guard store.hasAppPassword else { throw ProblemDetails(.conflict, "The store has no app password.") }
            try await checkCurrentPassword(current, try await readVault(store), store)
            guard let material = opened.keyring.takeKeyForPassword() else {
                throw ProblemDetails(.conflict, "The key of the databases is being changed.")
            }
            let (folder, fence, hasFile) = (store.folder, store.fence, store.record.protection == .keyFile)
            do {
                try await runBlocking {
                    try fence.runIfValid {
                        if hasFile { try folder.writeKeyFile(material) }
                        folder.destroyPasswords()
                    }
                }
            } catch {
                log.error("an app password cannot be removed", metadata: ["store": "\(store.id)", "error": "\(error)"])
                throw ProblemDetails(error, "The app password cannot be removed.")
            }
            store.setHasAppPassword(false)
            opened.keyring.allowKeyChanges()
        }
    }

    func setSelfDestructPassword(
        _ password: SecretBytes,
        current: SecretBytes?,
        of store: Store
    ) async throws(ProblemDetails) {
        try await runWhileUnlocked(store) { [self] _ async throws(ProblemDetails) in
            guard store.hasAppPassword else { throw ProblemDetails(.conflict, "The store has no app password.") }
            var vault = try await self.readVault(store)
            try await checkCurrentPassword(current, vault, store)
            let key = try await derivePasswordKey(password, vault)
            if case .key = vault.openContent(key) {
                throw ProblemDetails(member: "password", "must differ from the app password.")
            }
            do throws(CryptoError) { try vault.sealContent(.selfDestruct, key) } catch {
                throw ProblemDetails(.internalError, "The password cannot be kept.")
            }
            try await storeVault(vault, store)
        }
    }

    /// Removes the self-destruct password, if there is one.
    func removeSelfDestructPassword(current: SecretBytes?, of store: Store) async throws(ProblemDetails) {
        try await runWhileUnlocked(store) { [self] _ async throws(ProblemDetails) in
            guard store.hasAppPassword else { throw ProblemDetails(.conflict, "The store has no app password.") }
            var vault = try await self.readVault(store)
            try await checkCurrentPassword(current, vault, store)
            vault.removeSelfDestruct()
            try await storeVault(vault, store)
        }
    }
}
