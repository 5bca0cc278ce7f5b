internal import Concurrency
internal import Files

#if canImport(Glibc)
    internal import Glibc
#endif

/// Copies the files of a data folder, as they are, to another folder. All functions block the thread.
struct FolderCopier: Sendable {
    let dataFolder: String
    let target: String
    /// The stores that the gateway knows. Only the copies of these stores are marked as copies.
    let stores: [StoreFolder]
    let storeFolders: StoreFolders
    /// The paths of complete stores and of stored answers, from ``StoreFolders/listPublishedPaths()``. Other paths in
    /// the folders of the stores and of these answers are not copied.
    let publishedPaths: Set<String>
    var mayContinue: @Sendable () -> Bool
    /// The folder of the whole copy, which contains `target`.
    let copyRoot: String
    /// The files that the copy shares with an earlier copy.
    let sources: CopySources
    /// The paths of additional files that are not copied.
    var omittedPaths: Set<String> = []

    /// Returns the path in the copy for a path in the data folder.
    func targetPath(_ path: String) -> String { target + path.dropFirst(dataFolder.count) }

    /// Returns the path in the copy for a path in the data folder, relative to ``copyRoot``.
    func relativePath(_ path: String) -> String { String(targetPath(path).dropFirst(copyRoot.count + 1)) }

    /// Copies the record, keys and passwords of a store.
    func copyKeys(of store: StoreFolder) throws(FileSystemError) -> FolderBackup.Outcome {
        var outcome = FolderBackup.Outcome()
        for path in keyPaths(of: store) where DiskFiles.exists(path) && !DiskFiles.isFolder(path) {
            try DiskFiles.makeFolder(FilePaths.parentFolder(of: targetPath(path)))
            try copyFile(path, &outcome, shares: false)
        }
        return outcome
    }

    /// Shares the databases of an open store with the earlier copy, if they have not changed since that copy. Nothing
    /// may write to the databases during this call.
    /// - Returns: whether the copy has both databases now.
    func shareDatabases(_ files: [String]) throws(FileSystemError) -> Bool {
        let states = files.compactMap { path in readState(ofDatabase: path).map { (path, $0) } }
        guard states.count == files.count, states.allSatisfy({ sources.isUnchanged(relativePath($0.0), $0.1) }) else {
            return false
        }
        for (path, state) in states {
            try DiskFiles.makeFolder(FilePaths.parentFolder(of: targetPath(path)))
            guard sources.shareFile(relativePath(path), state, in: copyRoot) else {
                // The files are copied from the databases now, and their bytes may differ from the earlier copy. So the
                // hashes of the earlier copy must not be used for these files.
                sources.endSharing(files.map(relativePath), in: copyRoot)
                return false
            }
        }
        return true
    }

    /// Records the states of database files before they are copied. Nothing may write to the databases in between.
    func recordDatabaseStates(_ files: [String]) {
        for path in files {
            if let state = readState(ofDatabase: path) { sources.recordState(relativePath(path), state) }
        }
    }

    /// Returns the state of a database file; nil while the write-ahead log has content that the file may lack.
    private func readState(ofDatabase path: String) -> CopySources.FileState? {
        DiskFiles.hasBytes(path + "-wal") ? nil : CopySources.FileState.readState(path)
    }

    /// Copies the databases of a locked store.
    func copyDatabases(of store: StoreFolder) throws(FileSystemError) -> FolderBackup.Outcome {
        var outcome = FolderBackup.Outcome()
        try DiskFiles.makeFolder(targetPath(store.path))
        for name in try DiskFiles.listNames(in: store.path).sorted() where StoreFolder.isDatabaseFile(name) {
            try copyEntry(store.path + "/" + name, &outcome) { _, _ in false }
        }
        return outcome
    }

    /// Removes the copied databases and keys of the first store. Other copied files stay, because the folder of the
    /// first store is the whole data folder.
    /// - Parameter destroyingKeys: whether the keys are overwritten before their files are removed. Other copies must
    ///   not share these files then.
    func removeFirstStore(_ store: StoreFolder, destroyingKeys: Bool) {
        let copied = StoreFolder(path: targetPath(store.path))
        if destroyingKeys { copied.destroyKeys() }
        let databases = DiskFiles.listEntries(copied.path).filter(StoreFolder.isDatabaseFile)
        sources.endSharing(databases, in: copyRoot)
        for path in keyPaths(of: store) { DiskFiles.removeFile(targetPath(path)) }
    }

    /// Marks the stores of the copy as copies.
    /// - Parameter missing: the folders of stores that are not in the copy.
    func markStoresAsCopies(except missing: Set<String> = []) throws(FileSystemError) {
        for store in stores where !missing.contains(store.path) {
            try DiskFiles.makeFolder(targetPath(store.path))
            try DiskFiles.replaceFile(targetPath(store.copyMarkPath), with: [])
        }
    }

    /// Copies the files that belong neither to databases nor to keys.
    /// - Parameters:
    ///   - growing: the paths of growing files, which the caller copies (``GrowingFile``).
    ///   - left: folders of stores that are not copied.
    func copyOtherFiles(
        except growing: [String],
        without left: Set<String> = []
    ) throws(FileSystemError)
        -> FolderBackup.Outcome
    {
        let omitted = omittedPaths.union(stores.flatMap(keyPaths(of:))).union(growing).union(left).union(
            stores.map(\.crashCount.path)
        ).union(
            [
                "/.lock", "/" + FolderBackup.unfinishedMarkName, FolderBackup.stagingPath, FolderCopies.nodeIDFile,
                LongOperations.folderName,
            ].map { dataFolder + $0 }
        )
        let owned = Set(stores.map(\.path))
        let chosen = [storeFolders.path, storeFolders.storeRequestAnswers.path]
        var outcome = FolderBackup.Outcome()
        try copyContent(of: dataFolder, &outcome) { folder, name in
            let path = folder + "/" + name
            return omitted.contains(path)
                || owned.contains(folder) && (StoreFolder.isDatabaseFile(name) || name == StoreFolder.migrationFolder)
                || chosen.contains(folder) && !publishedPaths.contains(path)
        }
        return outcome
    }

    private func keyPaths(of store: StoreFolder) -> [String] {
        store.keyFilePaths.filter { $0.hasPrefix(dataFolder + "/") }
    }

    /// Copies a file or a folder. Follows symbolic links, as the gateway itself does, since an operator may have put
    /// data of the store on another disk.
    private func copyEntry(
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
            try DiskFiles.makeFolder(targetPath(path))
            try copyContent(of: path, &outcome, except: isOmitted)
        } else if DiskFiles.isFile(FilePaths.realPath(path) ?? path) {
            try copyFile(path, &outcome)
        }
    }

    private func copyContent(
        of folder: String,
        _ outcome: inout FolderBackup.Outcome,
        except isOmitted: (_ folder: String, _ name: String) -> Bool
    ) throws(FileSystemError) {
        for name in try DiskFiles.listNames(in: folder).sorted() where !isOmitted(folder, name) {
            try copyEntry(folder + "/" + name, &outcome, except: isOmitted)
        }
    }

    private func copyFile(
        _ path: String,
        _ outcome: inout FolderBackup.Outcome,
        shares: Bool = true
    ) throws(FileSystemError) {
        let state = shares ? CopySources.FileState.readState(path) : nil
        let isShared = state.map { sources.shareFile(relativePath(path), $0, in: copyRoot) } ?? false
        if !isShared {
            do throws(FileSystemError) {
                try DiskFiles.copyFile(FilePaths.realPath(path) ?? path, to: targetPath(path), while: mayContinue)
            } catch {
                // A file that was deleted during the copying is left out.
                guard error.errnoCode != ENOENT || DiskFiles.exists(path) else { return }
                throw error
            }
            if let state { sources.recordState(relativePath(path), state) }
        }
        outcome.countFile(targetPath(path))
        WorkProgress.currentProgress?.advance(by: DiskFiles.fileSize(targetPath(path)) ?? 0)
    }
}
