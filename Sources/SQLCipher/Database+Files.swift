import Files
public import SimpleXCrypto

extension Database {
    /// Copies the committed content into a new file, while reads and writes continue. The file gets its name when it is complete.
    ///
    /// - Parameters:
    ///   - key: the key of the copy, nil for the database's own. A copy is encrypted exactly if the database is.
    ///   - begun: called when the content of the copy is settled.
    ///   - goesOn: asked now and then; when it says no, this throws.
    /// - Throws: `DatabaseError.exists` when there is a file at `path`, `.invalidKey`, `.full`, `.inputOutput`; nothing is left behind.
    public func backup(
        to path: String, key: DatabaseKey? = nil, begun: @escaping @Sendable () -> Void = {}, while goesOn: @escaping @Sendable () -> Bool = { true }
    ) async throws {
        let given: KeyMaterial? = if let key { try KeyMaterial.of(key) } else { nil }
        try await onReader { [file] source in
            // Pages are copied as they are: the copy has the format of the database.
            let own = file.key
            let new = FileKey(material: given ?? own.material, isVersion3: own.isVersion3)
            guard new.material.isEncrypting == own.material.isEncrypting else { throw DatabaseError.invalidKey }
            guard !DiskFiles.exists(path) else { throw DatabaseError.exists }
            try writeWhole(path, by: path + ".partial") { partial in
                let target = try Connection(path: partial, key: new, access: .copying, synchronous: .full, cacheKiB: 1024)
                try snapshot(on: source) { source in
                    // The first read takes the snapshot.
                    _ = try source.first("SELECT count(*) FROM sqlite_master")
                    begun()
                    try source.copy(to: target, while: goesOn)
                }
            }
        }
    }

    /// Writes the committed content into a new file with any kind of key, or none; writes wait meanwhile. The file gets its name when it is
    /// complete and opens with the key.
    ///
    /// - Throws: `DatabaseError.exists` when there is a file at `path`, `.invalidKey`, `.full`, `.inputOutput`; nothing is left behind.
    public func export(to path: String, key: DatabaseKey) async throws {
        let new = FileKey(material: try KeyMaterial.of(key))
        try await onWriter { outcome in
            .alone { writer in
                guard !DiskFiles.exists(path) else { throw DatabaseError.exists }
                try writeWhole(path, by: path + ".partial") { partial in
                    try writer.connected().export(to: partial, key: new.material)
                    _ = try Connection(path: partial, key: new, access: .reading, synchronous: .full, cacheKiB: 64)
                }
                outcome.value = ()
            }
        }
    }

    /// Encrypts the database with another key, or decrypts it with `.none`; reads and writes wait meanwhile.
    ///
    /// Everything is written into a new file under the new key, which then takes the place of the old one in one rename:
    /// after a crash at any instant the file has either key, entirely. (`sqlite3_rekey` would write over the pages in place, leaving both keys' pages
    /// in file and log until a checkpoint, and could not add or remove encryption.) The new file has the format of the library's version. It needs as much free space again as the
    /// database has. Whoever stores the key must be ready to find either one valid after a crash.
    ///
    /// - Throws: `DatabaseError.invalidKey`, `.full`, `.busy` (another process has the file open), `.inputOutput`; the old key then stays.
    public func rekey(to key: DatabaseKey) async throws {
        let new = FileKey(material: try KeyMaterial.of(key))
        try await onWriter { [slots] outcome in
            .alone { writer in
                try ReaderSlot.withAllClosed(slots[...]) { try writer.rekey(to: new) }
                outcome.value = ()
            }
        }
    }
}

extension Writer {
    /// No reader is connected.
    fileprivate func rekey(to key: FileKey) throws {
        // A log left beside the new file would be taken for its own: with this journal there is none.
        try connected().checkpoint()
        do {
            try connected().setJournal("delete")
            try file.passing {
                try writeWhole(file.path, by: file.rekeyPath) { partial in
                    try connected().export(to: partial, key: key.material)
                    // A file that cannot be opened must not replace a usable one.
                    _ = try Connection(path: partial, key: key, access: .reading, synchronous: .full, cacheKiB: 64)
                    disconnect()
                }
            }
        } catch {
            try? connected().setJournal("wal")
            throw error
        }
        file.key = key
        // The key has changed in any case; the next write would try again.
        _ = try? connected()
    }
}

/// Lets `fill` make the file `partial`, and then moves it to `path`; it is removed when that fails.
private func writeWhole(_ path: String, by partial: String, _ fill: (String) throws -> Void) throws {
    DatabaseFiles.remove(partial)
    do {
        guard try DatabaseFiles.create(partial) else { throw DatabaseError.exists }
        try fill(partial)
        try DatabaseFiles.replace(path, with: partial)
    } catch {
        DatabaseFiles.remove(partial)
        throw error
    }
}
