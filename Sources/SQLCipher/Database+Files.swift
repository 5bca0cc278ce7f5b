import Concurrency
import Files
package import SimpleXCrypto

extension Database {
    /// Copies the committed content into a new file, while reads and writes continue. The file gets its name when it is
    /// complete.
    /// - Parameters:
    ///   - key: the key of the copy; nil for the key of the database. The key must encrypt if the database is
    ///     encrypted, and must be `.none` otherwise.
    ///   - begun: a function that is called when the snapshot for the copy is taken. The copy does not contain later
    ///     changes.
    ///   - mayContinue: a function that is called repeatedly. When it returns false, `backUp` throws.
    /// - Throws: `DatabaseError.fileExists` if a file exists at `path`, `.invalidKey`, `.diskFull`, `.inputOutput`. In
    ///   that case no new file remains.
    package func backUp(
        to path: String,
        key: DatabaseKey? = nil,
        begun: @escaping @Sendable () -> Void = {},
        while mayContinue: @escaping @Sendable () -> Bool = { true }
    ) async throws {
        let given: KeyMaterial? = if let key { try KeyMaterial.make(key) } else { nil }
        let progress = WorkProgress.currentProgress
        try await runOnReader { [file] source in
            // Pages are copied unchanged, so the copy has the format of the database.
            let own = file.key
            let new = FileKey(material: given ?? own.material, usesSQLCipher3: own.usesSQLCipher3)
            guard new.material.isEncrypting == own.material.isEncrypting else { throw DatabaseError.invalidKey }
            guard !DiskFiles.exists(path) else { throw DatabaseError.fileExists }
            try writeFileAtomically(path, by: path + ".partial") { partial in
                let target = try DatabaseConnection(
                    path: partial,
                    key: new,
                    access: .copying,
                    synchronous: .full,
                    cacheKiB: 1024
                )
                try runOnSnapshot(on: source) { source in
                    // The first read of a transaction determines its snapshot of the database.
                    _ = try source.firstRow("SELECT count(*) FROM sqlite_master")
                    begun()
                    let pageSize = try source.firstRow("PRAGMA page_size")?.int64(0) ?? 0
                    try source.copyContent(to: target, while: mayContinue) { progress?.advance(by: $0 &* pageSize) }
                }
            }
        }
    }

    /// Writes the committed content into a new file with any kind of key, or without a key. Changes of the database
    /// wait until the file is complete. The file gets its name when it is complete and opens with the key.
    /// - Throws: `DatabaseError.fileExists` if a file exists at `path`, `.invalidKey`, `.diskFull`, `.inputOutput`. In
    ///   that case no new file remains.
    package func exportContent(to path: String, key: DatabaseKey) async throws {
        let new = FileKey(material: try KeyMaterial.make(key))
        try await runOnWriter { outcome in
            .outsideTransactions { writer in
                guard !DiskFiles.exists(path) else { throw DatabaseError.fileExists }
                try writeFileAtomically(path, by: path + ".partial") { partial in
                    try writer.connectIfNeeded().exportDatabase(to: partial, key: new.material)
                    _ = try DatabaseConnection(
                        path: partial,
                        key: new,
                        access: .reading,
                        synchronous: .full,
                        cacheKiB: 64
                    )
                }
                outcome.value = ()
            }
        }
    }

    /// Encrypts the database with another key, or decrypts it with `.none`. Reads and writes wait until this function
    /// returns.
    ///
    /// The content is written into a new file with the new key, and one rename replaces the old file. After a crash at
    /// any time, the whole file has either the old key or the new key. A caller that stores the key must expect both
    /// cases. The new file has the format of the library's version, and needs as much free space as the database has.
    ///
    /// `sqlite3_rekey` is not used, since it overwrites the pages in place. The file and the log would have pages of
    /// both keys until a checkpoint. `sqlite3_rekey` also cannot add or remove encryption.
    /// - Throws: `DatabaseError.invalidKey`, `.diskFull`, `.busy` (another process has the file open), `.inputOutput`.
    ///   In that case the old key stays.
    package func rekey(to key: DatabaseKey) async throws {
        let new = FileKey(material: try KeyMaterial.make(key))
        try await runOnWriter { [readerConnections] outcome in
            .outsideTransactions { writer in
                try readerConnections.withAllClosed { try writer.rekey(to: new) }
                outcome.value = ()
            }
        }
    }
}

extension WriterConnection {
    /// Encrypts the file with another key. No reader may be connected.
    fileprivate func rekey(to key: FileKey) throws {
        // SQLite would apply a remaining log to the new file. The journal mode `delete` leaves no log.
        try connectIfNeeded().checkpoint()
        do {
            try connectIfNeeded().setJournalMode("delete")
            try file.runIfFenceAllows {
                try writeFileAtomically(file.path, by: file.rekeyPath) { partial in
                    try connectIfNeeded().exportDatabase(to: partial, key: key.material)
                    // A file that cannot be opened must not replace a usable file. So the new file is opened first.
                    _ = try DatabaseConnection(
                        path: partial,
                        key: key,
                        access: .reading,
                        synchronous: .full,
                        cacheKiB: 64
                    )
                    disconnect()
                }
            }
        } catch {
            try? connectIfNeeded().setJournalMode("wal")
            throw error
        }
        file.key = key
        // The key has changed even if connecting fails: the next write connects again.
        _ = try? connectIfNeeded()
    }
}

/// Creates the file `partial`, calls `fill` with its path, and renames it to `path`. After an error the file is
/// removed.
private func writeFileAtomically(_ path: String, by partial: String, _ fill: (String) throws -> Void) throws {
    DatabaseFiles.removeWithJournals(partial)
    do {
        guard try DatabaseFiles.createEmptyFile(partial) else { throw DatabaseError.fileExists }
        try fill(partial)
        try DatabaseFiles.replaceFile(path, with: partial)
    } catch {
        DatabaseFiles.removeWithJournals(partial)
        throw error
    }
}
