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
    /// The paths from ``StoreFolders/publishedPaths()``: the only paths in the folders of stores and of their answers that are copied.
    let published: Set<String>
    let mayContinue: @Sendable () -> Bool
    /// Additional files that are left out.
    var omitted: Set<String> = []

    /// Returns the path in the copy for a path in the data folder.
    func place(_ path: String) -> String { target + path.dropFirst(folder.count) }

    /// Copies the records, keys and passwords of all stores.
    func copyKeys() throws(FileSystemError) -> FolderBackup.Outcome {
        var outcome = FolderBackup.Outcome()
        for path in keys.sorted() where DiskFiles.exists(path) && !DiskFiles.isFolder(path) {
            try DiskFiles.makeFolder(FilePaths.folder(of: place(path)))
            try copyFile(path, &outcome)
        }
        return outcome
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

    /// Marks the stores of the copy as copies.
    func markStores() throws(FileSystemError) {
        for store in stores {
            try DiskFiles.makeFolder(place(store.path))
            try DiskFiles.replace(place(store.copyMark), with: [])
        }
    }

    /// Copies the files that belong neither to databases nor to keys.
    func copyRest(except growing: [String]) throws(FileSystemError) -> FolderBackup.Outcome {
        let omitted = omitted.union(keys).union(growing).union(
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

    private var keys: Set<String> { Set(stores.flatMap(\.keyFiles).filter { $0.hasPrefix(folder + "/") }) }

    /// Copies a file or a folder. Follows links, as the gateway itself does, since an operator may have put data of the
    /// store on another disk.
    private func copy(
        _ path: String,
        _ outcome: inout FolderBackup.Outcome,
        except isOmitted: (_ folder: String, _ name: String) -> Bool
    ) throws(FileSystemError) {
        guard try DiskFiles.hasEntry(path) else { return }
        // A file may disappear at any time, but a link whose target is missing is an error.
        guard !DiskFiles.isLink(path) || DiskFiles.exists(path) else {
            throw FileSystemError(.open, path, code: ENOENT)
        }
        if DiskFiles.isFolder(path) {
            // A link may lead to a folder that contains the link itself.
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

    private func copyFile(_ path: String, _ outcome: inout FolderBackup.Outcome) throws(FileSystemError) {
        do throws(FileSystemError) {
            try DiskFiles.copy(FilePaths.real(path) ?? path, to: place(path), while: mayContinue)
        } catch {
            // The file may have been deleted meanwhile.
            guard error.code != ENOENT || DiskFiles.exists(path) else { return }
            throw error
        }
        outcome.count(place(path))
        WorkProgress.current?.advance(by: DiskFiles.size(place(path)) ?? 0)
    }
}
