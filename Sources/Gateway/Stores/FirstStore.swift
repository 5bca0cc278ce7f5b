internal import Files

/// The store whose folder is the data folder itself.
///
/// Like other stores, the first store can be locked and have passwords. It cannot be deleted, since its keys manage the
/// other stores. It has no passphrase: the key of its databases is in a file, or encrypted under an app password.
package struct FirstStore: Sendable {
    let folder: String
    /// The file with the key of the databases.
    let keyFile: KeyFileRing

    /// Prepares the folder and the key of the first store.
    /// - Parameters:
    ///   - folder: the data folder.
    ///   - keyFile: the file with the key of the databases; `nil` for `database.key` in the folder, which is made on
    ///     the first start. If the key of an existing database is missing, no new key is made.
    /// - Throws: ``FirstStoreError``.
    package init(folder: String, keyFile: String?) throws(FirstStoreError) {
        let own = StoreFolder(path: folder)
        self.folder = folder
        self.keyFile = KeyFileRing(path: keyFile ?? own.databaseKey)
        if DiskFiles.exists(own.passwords) { return }
        let isThere: Bool
        do throws(KeyFileRingError) { isThere = try self.keyFile.material() != nil } catch { throw .key(error) }
        if !isThere {
            if let keyFile { throw .noKeyFile(path: keyFile) }
            guard !own.hasDatabases else { throw .keyIsGone(folder: folder, path: own.databaseKey) }
        }
        // Databases may also be missing because they were lost. Without a named key file, the store is new if it has no
        // key. A named key file may be older than the store, so then the key of the administrator decides, which is
        // made with the store.
        let isNew = keyFile == nil ? !isThere : !DiskFiles.exists(folder + "/admin.key")
        if isNew, !own.hasDatabases {
            do throws(FileSystemError) {
                try DiskFiles.makeFolder(folder)
                try own.markEmpty()
            } catch { throw .key(.file(error)) }
        }
        if isThere { return }
        do throws(KeyFileRingError) { try self.keyFile.create() } catch { throw .key(error) }
    }

    /// Checks that a named key file has a key.
    package static func check(keyFile: String) throws(FirstStoreError) {
        let hasKey: Bool
        do throws(KeyFileRingError) { hasKey = try KeyFileRing(path: keyFile).material() != nil } catch {
            throw .key(error)
        }
        if !hasKey { throw .noKeyFile(path: keyFile) }
    }

    var place: StoreFolder {
        var place = StoreFolder(path: folder)
        if keyFile.path != place.databaseKey { place.keyOutside = keyFile.path }
        return place
    }

    func makeStore(_ delay: UnlockDelay.Settings) throws -> Store {
        let place = place
        let hasAppPassword = (try DiskFiles.read(place.passwords)) != nil
        if hasAppPassword { place.destroyKeyFile() }
        let record = place.readRecord() ?? StoreRecord(name: StoresResource.first, created: 0, protection: .keyFile)
        return Store(StoresResource.first, place, record, hasAppPassword: hasAppPassword, delay)
    }
}

/// Reasons why the first store has no key.
package enum FirstStoreError: Error, Sendable, CustomStringConvertible {
    case key(KeyFileRingError)
    case noKeyFile(path: String)
    /// The databases exist, but the key that opens them is missing.
    case keyIsGone(folder: String, path: String)

    package var description: String {
        switch self {
        case .key(let error): error.description
        case .noKeyFile(let path): "\(path): no such file"
        case .keyIsGone(let folder, let path):
            "\(folder) has a database, but its key file \(path) is missing: put it back, or name another with --database-key-file"
        }
    }
}

extension StoreHost {
    /// Opens the first store, unless it was locked or has an app password.
    /// - Throws: `ChatOpenError`, `KeyFileRingError`.
    func openFirst() async throws {
        guard let first, !first.record.staysLocked, !first.hasAppPassword else { return }
        guard !first.isHeld else { return report(held: first) }
        try await first.turns.run { () async throws in try await openByFile(first) }
    }
}
