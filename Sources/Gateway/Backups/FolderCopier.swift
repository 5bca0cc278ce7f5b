internal import Concurrency
internal import Files

#if canImport(Glibc)
    internal import Glibc
#endif

/// Copies the files of a data folder, as they are, to another folder. All functions block the thread.
struct FolderCopier: Sendable {
    let folder: String
    let target: String
    /// The known stores. Only the copies of these stores are marked as copies.
    let stores: [StoreFolder]
    let folders: StoreFolders
    /// The paths from ``StoreFolders/publishedPaths()``: the only paths in the folders of stores and of their answers
    /// that are copied.
    let published: Set<String>
    var mayContinue: @Sendable () -> Bool
    /// The folder of the whole copy, which contains `target`.
    let root: String
    /// The files that the copy shares with an earlier copy.
    let sources: CopySources
    /// Additional files that are left out.
    var omitted: Set<String> = []

    /// Returns the path in the copy for a path in the data folder.
    func place(_ path: String) -> String { target + path.dropFirst(folder.count) }

    /// Returns the path in the whole copy, relative to its folder.
    private func name(_ path: String) -> String { String(place(path).dropFirst(root.count + 1)) }

    /// Copies the record, keys and passwords of a store.
    func copyKeys(of store: StoreFolder) throws(FileSystemError) -> FolderBackup.Outcome {
        var outcome = FolderBackup.Outcome()
        for path in keys(of: store) where DiskFiles.exists(path) && !DiskFiles.isFolder(path) {
            try DiskFiles.makeFolder(FilePaths.folder(of: place(path)))
            try copyFile(path, &outcome, shares: false)
        }
        return outcome
    }

    /// Shares the databases of an open store with the earlier copy, if they have not changed since. Nothing may write to
    /// the databases meanwhile.
    /// - Returns: whether the copy has both databases now.
    func sharesDatabases(_ files: [String]) throws(FileSystemError) -> Bool {
        let states = files.compactMap { path in state(ofDatabase: path).map { (path, $0) } }
        guard states.count == files.count, states.allSatisfy({ sources.isUnchanged(name($0.0), $0.1) }) else {
            return false
        }
        for (path, state) in states {
            try DiskFiles.makeFolder(FilePaths.folder(of: place(path)))
            guard sources.shares(name(path), state, in: root) else {
                // The database would write this copy with bytes that differ from the earlier copy, so the hash of the
                // earlier copy must not be used for it.
                sources.endSharing(files.map(name), in: root)
                return false
            }
        }
        return true
    }

    /// Notes the states of databases that are about to be copied. Nothing may write to them meanwhile.
    func noteDatabases(_ files: [String]) {
        for path in files { if let state = state(ofDatabase: path) { sources.note(name(path), state) } }
    }

    /// Returns the state of a database file; nil while a log has content that the file lacks.
    private func state(ofDatabase path: String) -> CopySources.State? {
        DiskFiles.hasBytes(path + "-wal") ? nil : CopySources.State.of(path)
    }

    /// Copies the databases of a locked store.
    func copyDatabases(of store: StoreFolder) throws(FileSystemError) -> FolderBackup.Outcome {
        var outcome = FolderBackup.Outcome()
        try DiskFiles.makeFolder(place(store.path))
        for name in try DiskFiles.names(in: store.path).sorted() where StoreFolder.isOfDatabase(name) {
            try copy(store.path + "/" + name, &outcome) { _, _ in false }
        }
        return outcome
    }

    /// Removes the copied files of a store.
    /// - Parameter destroyingKeys: whether the keys are overwritten before. Other copies must not share the files then.
    func removePart(of store: StoreFolder, destroyingKeys: Bool) {
        let copied = StoreFolder(path: place(store.path))
        if destroyingKeys { copied.destroyKeys() }
        guard store.path == folder else {
            DiskFiles.remove(copied.path)
            return sources.forget(below: name(store.path) + "/")
        }
        // The folder of the first store contains everything else too.
        let databases = DiskFiles.entries(copied.path).filter(StoreFolder.isOfDatabase)
        sources.endSharing(databases, in: root)
        for path in keys(of: store) { DiskFiles.removeFile(place(path)) }
    }

    /// Marks the stores of the copy as copies.
    /// - Parameter missing: the folders of stores that are not in the copy.
    func markStores(except missing: Set<String> = []) throws(FileSystemError) {
        for store in stores where !missing.contains(store.path) {
            try DiskFiles.makeFolder(place(store.path))
            try DiskFiles.replace(place(store.copyMark), with: [])
        }
    }

    /// Copies the files that belong neither to databases nor to keys.
    /// - Parameters:
    ///   - growing: files that are copied in another way.
    ///   - left: folders of stores that are not copied.
    func copyRest(
        except growing: [String],
        without left: Set<String> = []
    ) throws(FileSystemError)
        -> FolderBackup.Outcome
    {
        let omitted = omitted.union(stores.flatMap(keys(of:))).union(growing).union(left).union(
            stores.map(\.openings.path)
        ).union(
            [
                "/.lock", "/" + FolderBackup.mark, FolderBackup.staging, FolderCopies.nodeFile,
                LongOperations.folderName,
            ].map { folder + $0 }
        )
        let owned = Set(stores.map(\.path))
        let chosen = [folders.path, folders.requests.path]
        var outcome = FolderBackup.Outcome()
        try copyContent(of: folder, &outcome) { folder, name in
            let path = folder + "/" + name
            return omitted.contains(path)
                || owned.contains(folder) && (StoreFolder.isOfDatabase(name) || name == StoreFolder.migration)
                || chosen.contains(folder) && !published.contains(path)
        }
        return outcome
    }

    private func keys(of store: StoreFolder) -> [String] { store.keyFiles.filter { $0.hasPrefix(folder + "/") } }

    /// Copies a file or a folder. Follows symbolic links, as the gateway itself does, since an operator may have put data
    /// of the store on another disk.
    private func copy(
        _ path: String,
        _ outcome: inout FolderBackup.Outcome,
        except isOmitted: (_ folder: String, _ name: String) -> Bool
    ) throws(FileSystemError) {
        guard try DiskFiles.hasEntry(path) else { return }
        // A file may disappear at any time, and is then left out. A symbolic link whose target is missing is an error.
        guard !DiskFiles.isLink(path) || DiskFiles.exists(path) else {
            throw FileSystemError(.open, path, code: ENOENT)
        }
        if DiskFiles.isFolder(path) {
            // The depth is limited, because a symbolic link may lead to a folder that contains the link itself.
            guard path.utf8.count(where: { $0 == UInt8(ascii: "/") }) < 100 else {
                throw FileSystemError(.open, path, code: ELOOP)
            }
            try DiskFiles.makeFolder(place(path))
            try copyContent(of: path, &outcome, except: isOmitted)
        } else if DiskFiles.isFile(FilePaths.real(path) ?? path) {
            try copyFile(path, &outcome)
        }
    }

    private func copyContent(
        of folder: String,
        _ outcome: inout FolderBackup.Outcome,
        except isOmitted: (_ folder: String, _ name: String) -> Bool
    ) throws(FileSystemError) {
        for name in try DiskFiles.names(in: folder).sorted() where !isOmitted(folder, name) {
            try copy(folder + "/" + name, &outcome, except: isOmitted)
        }
    }

    private func copyFile(
        _ path: String,
        _ outcome: inout FolderBackup.Outcome,
        shares: Bool = true
    ) throws(FileSystemError) {
        let state = shares ? CopySources.State.of(path) : nil
        let isShared = state.map { sources.shares(name(path), $0, in: root) } ?? false
        if !isShared {
            do throws(FileSystemError) {
                try DiskFiles.copy(FilePaths.real(path) ?? path, to: place(path), while: mayContinue)
            } catch {
                // A file that was deleted meanwhile is left out.
                guard error.code != ENOENT || DiskFiles.exists(path) else { return }
                throw error
            }
            if let state { sources.note(name(path), state) }
        }
        outcome.count(place(path))
        WorkProgress.current?.advance(by: DiskFiles.size(place(path)) ?? 0)
    }
}
