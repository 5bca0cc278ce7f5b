internal import Files

/// The store whose folder is the data folder itself.
///
/// Like other stores, the first store can be locked and have passwords. It cannot be deleted, since its keys manage the
/// other stores. It has no passphrase: the key of its databases is in a file, or encrypted under an app password.
package struct FirstStore: Sendable {
    let folder: String
    /// The file with the key of the databases.
    let keyFile: FileKeyring

    /// Prepares the folder and the key of the first store.
    /// - Parameters:
    ///   - folder: the data folder.
    ///   - keyFile: the file with the key of the databases; `nil` for `database.key` in the folder, which is made on
    ///     the first start. If the key of an existing database is missing, no new key is made.
    /// - Throws: ``FirstStoreError``.
    package init(folder: String, keyFile: String?) throws(FirstStoreError) {
        let own = StoreFolder(path: folder)
        self.folder = folder
        self.keyFile = FileKeyring(path: keyFile ?? own.databaseKeyPath)
        if DiskFiles.exists(own.passwordsPath) { return }
        let isThere: Bool
        do throws(FileKeyringError) { isThere = try self.keyFile.readKeyMaterial() != nil } catch {
            throw .keyFileError(error)
        }
        if !isThere {
            if let keyFile { throw .noKeyFile(path: keyFile) }
            guard !own.hasDatabases else { throw .keyMissing(folder: folder, path: own.databaseKeyPath) }
        }
        // Missing databases do not show that the store is new, because they may have been lost. Without an option for
        // the key file, the store is new if it has no key. A key file from the option may be older than the store. In
        // that case, the store is new if it has no file `admin.key`, which is made together with the store.
        let isNew = keyFile == nil ? !isThere : !DiskFiles.exists(folder + "/admin.key")
        if isNew, !own.hasDatabases {
            do throws(FileSystemError) {
                try DiskFiles.makeFolder(folder)
                try own.markStoreEmpty()
            } catch { throw .keyFileError(.file(error)) }
        }
        if isThere { return }
        do throws(FileKeyringError) { try self.keyFile.createKeyFile() } catch { throw .keyFileError(error) }
    }

    /// Checks that a key file exists and contains a key. The operator has named this file.
    package static func checkKeyFile(keyFile: String) throws(FirstStoreError) {
        let hasKey: Bool
        do throws(FileKeyringError) { hasKey = try FileKeyring(path: keyFile).readKeyMaterial() != nil } catch {
            throw .keyFileError(error)
        }
        if !hasKey { throw .noKeyFile(path: keyFile) }
    }

    var storeFolder: StoreFolder {
        var place = StoreFolder(path: folder)
        if keyFile.path != place.databaseKeyPath { place.outsideKeyPath = keyFile.path }
        return place
    }

    func makeStore(_ delay: UnlockDelay.Settings) throws -> Store {
        let place = storeFolder
        let hasAppPassword = (try DiskFiles.readFile(place.passwordsPath)) != nil
        if hasAppPassword { place.destroyKeyFile() }
        let record =
            place.readRecord() ?? StoreRecord(name: StoreID.firstStore, created: 0, protection: .keyFile)
        return Store(StoreID.firstStore, place, record, hasAppPassword: hasAppPassword, delay)
    }
}

/// Reasons why the first store has no key.
package enum FirstStoreError: Error, Sendable, CustomStringConvertible {
    case keyFileError(FileKeyringError)
    case noKeyFile(path: String)
    /// The databases exist, but the key that opens them is missing.
    case keyMissing(folder: String, path: String)

    package var description: String {
        switch self {
        case .keyFileError(let error): error.description
        case .noKeyFile(let path): "\(path): no such file"
        case .keyMissing(let folder, let path):
            "\(folder) has a database, but its key file \(path) is missing: put it back, or name another with --database-key-file"
        }
    }
}

extension StoreHost {
    /// Opens the first store, unless it was locked or has an app password.
    /// - Throws: `ChatOpenError`, `FileKeyringError`.
    func openFirstStore() async throws {
        guard let firstStore, !firstStore.record.staysLocked, !firstStore.hasAppPassword else { return }
        guard !firstStore.isHeldClosed else { return logIfHeldClosed(firstStore) }
        try await firstStore.lifecycleLock.runLocked { () async throws in try await openByKeyFile(firstStore) }
    }
}
