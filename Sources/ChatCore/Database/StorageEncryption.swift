internal import ChatAPI
internal import Concurrency
internal import Files
internal import SimpleXCrypto
internal import SQLCipher

extension RunningCommand {
    /// `/_db encryption`: changes the key, sets the first key (if the current key is empty), or removes the key. Both
    /// databases are rewritten with the new key.
    func changeEncryption(_ config: DBEncryptionConfig) async throws -> ChatResponse {
        try await lifecycle.runMaintenance {
            let keyring = services.configuration.keyring
            let (present, current, new) = (
                lifecycle.databaseKey, keyring.makeKey(config.currentKey), keyring.makeKey(config.newKey)
            )
            switch (present.isNone, current.isNone) {
            case (false, true): throw ChatFailure(ChatError.errorDatabase(databaseError: .errorEncrypted))
            case (true, false): throw ChatFailure(ChatError.errorDatabase(databaseError: .errorPlaintext))
            default: break
            }
            guard present.isSame(as: current) else {
                throw ChatFailure(ChatError.errorDatabase(databaseError: .errorExport(sqliteError: .errorNotADatabase)))
            }
            if current.isSame(as: new) { return .cmdOk(user_: nil) }
            let replacement = services.configuration.replacement
            try await runBlocking { try replacement.createFolder() }
            let progress = WorkProgress.currentProgress
            func size(_ path: String) -> Int64 { DiskFiles.fileSize(path) ?? 0 }
            do {
                progress?.beginCounting(.bytes, of: services.configuration.databasePaths.reduce(0) { $0 + size($1) })
                for (path, target) in zip(
                    services.configuration.databasePaths,
                    [replacement.chatPath, replacement.agentPath]
                ) {
                    try await services.withDatabase(path, key: present, ChatDatabaseError.errorExport) {
                        try await $0.exportContent(to: target, key: new)
                    }
                    progress?.advance(by: size(path))
                }
                try WorkProgress.preventCancellation()
                do { try keyring.storeNewKey(config.newKey) } catch {
                    let message = "the new key cannot be stored: \(error)"
                    let isFull = (error as? any StorageError)?.isStorageFull ?? false
                    throw ChatFailure(
                        isFull ? ChatErrorType.storageFull(message: message) : .exception(message: message)
                    )
                }
            } catch {
                await runCleanup { replacement.cancel() }
                keyring.discardNewKey()
                throw error
            }
            do { try await lifecycle.replaceStore(.kept, key: new, leavesObjects: false) } catch {
                keyring.discardNewKey()
                throw error
            }
            keyring.adoptNewKey()
            return .cmdOk(user_: nil)
        }
    }

    /// `/db test key`: checks whether the databases have this key.
    func testEncryption(_ key: String) async throws -> ChatResponse {
        for path in services.configuration.databasePaths where !DiskFiles.exists(path) {
            throw ChatFailure(ChatError.errorDatabase(databaseError: .errorNoFile(dbFile: path)))
        }
        guard lifecycle.databaseKey.isSame(as: services.configuration.keyring.makeKey(key)) else {
            throw ChatFailure(ChatError.errorDatabase(databaseError: .errorOpen(sqliteError: .errorNotADatabase)))
        }
        return .cmdOk(user_: nil)
    }
}

extension DatabaseKey {
    var isNone: Bool {
        if case .none = self { true } else { false }
    }

    /// Compares the keys in a time that does not depend on the values of the keys.
    func isSame(as other: DatabaseKey) -> Bool {
        switch (self, other) {
        case (.none, .none): true
        case (.raw(let one), .raw(let other)): constantTimeEquals(one, other)
        case (.passphrase(let one), .passphrase(let other)):
            constantTimeEquals(Digest.sha512(Array(one.utf8)), Digest.sha512(Array(other.utf8)))
        case (.sealed, _), (_, .sealed):
            if let one = try? KeyMaterial(self), let other = try? KeyMaterial(other) {
                one.isSame(as: other)
            } else {
                false
            }
        default: false
        }
    }
}
