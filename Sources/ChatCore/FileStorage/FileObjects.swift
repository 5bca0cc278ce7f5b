internal import ChatAPI
internal import ChatStore
internal import Concurrency
internal import Files
internal import Glibc
internal import Logging
internal import ObjectStorage
internal import SQLCipher
import Synchronization

/// Gives access to files that may be in the object storage. Fetches files that are only in the storage, and keeps files
/// on the disk while they are used.
///
/// The folder for files is a cache of the storage: a file may be in the folder, in the storage, or in both.
final class FileObjects: Sendable {
    private struct State {
        /// The number of ``FileHold`` objects of each file, by the name of the file.
        var holdCounts: [String: Int] = [:]
        var fetches: [String: Task<Void, any Error>] = [:]
        /// Paths of the temporary files of running fetches.
        var fetchPaths: Set<String> = []
        /// The number of running calls of ``withRemovalPrevented(_:)``. During such a call, no file is removed from the
        /// disk.
        var removalBlockCount = 0
    }

    let settings: ObjectSettings?
    private let store: ChatStore
    private let folders: LocalFolders
    /// Whether files may be in an object storage that is no longer configured.
    private let mayHaveStoredFiles: Bool
    private let state = Mutex(State())
    /// Limits the number of concurrent fetches.
    private let fetchSlots = AsyncLock(places: 4)

    init(_ settings: ObjectSettings?, mayHaveStoredFiles: Bool, store: ChatStore, folders: LocalFolders) {
        self.settings = settings
        self.mayHaveStoredFiles = mayHaveStoredFiles
        self.store = store
        self.folders = folders
    }

    // MARK: Using

    /// A hold on a file. The file stays on the disk while this object exists.
    final class FileHold: Sendable {
        private let name: String
        private let objects: FileObjects

        fileprivate init(_ name: String, _ objects: FileObjects) {
            self.name = name
            self.objects = objects
            objects.state.withLock { $0.holdCounts[name, default: 0] += 1 }
        }

        deinit {
            objects.state.withLock { state in
                let left = (state.holdCounts[name] ?? 1) - 1
                state.holdCounts[name] = left > 0 ? left : nil
            }
        }
    }

    /// Fetches a file if it is only in the object storage, and holds the file on the disk. If the file is neither on
    /// the disk nor recorded as an object of the storage, this function does not fail. Opening the file fails later.
    /// - Parameter path: an absolute path, or the path in the database.
    /// - Returns: a hold, which keeps the file on the disk while the hold exists; nil for a file that is never moved to
    ///   the storage.
    /// - Throws: ``FileFetchError``.
    func fetchAndHold(_ path: String) async throws -> FileHold? {
        guard settings != nil || mayHaveStoredFiles, let name = nameInFilesFolder(of: path) else { return nil }
        // While `use` exists, the file is not removed from the disk.
        let use = FileHold(name, self)
        let file = folders.paths.makeStoreFile(StoredPath(name))
        if try await runBlocking({ Self.updateAccessTime(file) }) { return use }
        guard try await store.read({ db in try StoredObject.exists(name, in: db) }) else { return use }
        guard let settings else { throw FileFetchError.noObjectStorage }
        do { try await fetchFile(name, settings) } catch let error as ObjectError {
            throw FileFetchError(error, of: settings.service)
        }
        return use
    }

    /// Fetches and holds several files.
    /// - Throws: the error of the first file that is not available.
    func fetchAndHold(_ paths: [String]) async throws -> [FileHold] {
        var uses: [FileHold] = []
        for path in paths { if let use = try await fetchAndHold(path) { uses.append(use) } }
        return uses
    }

    /// Returns the name of a file in the folder for files, which is also its path in the database; nil for another
    /// path.
    private func nameInFilesFolder(of path: String) -> String? {
        let folder = folders.paths.filesFolder + "/"
        let name = path.hasPrefix(folder) ? String(path.dropFirst(folder.count)) : path
        return name.isEmpty || name.contains("/") ? nil : name
    }

    /// Sets the access time of the file to now. So the time of the last use is known after a restart of the program.
    /// - Returns: whether the file exists.
    private static func updateAccessTime(_ file: StoreFile) -> Bool {
        guard file.isFile else { return false }
        do throws(FileSystemError) { try file.setTimes([FileStamp.utimeNow, FileStamp.utimeOmit]) } catch {
            return error.errnoCode != ENOENT
        }
        return true
    }

    // MARK: Fetching

    /// Fetches a file from the storage. Concurrent calls for one file share one fetch.
    private func fetchFile(_ name: String, _ settings: ObjectSettings) async throws {
        let fetch = state.withLock { state in
            if let running = state.fetches[name] { return running }
            let fetch = Task {
                defer { self.state.withLock { $0.fetches[name] = nil } }
                try await self.fetchSlots.runLocked { try await self.downloadObject(name, settings) }
            }
            state.fetches[name] = fetch
            return fetch
        }
        try await fetch.value
    }

    private func downloadObject(_ name: String, _ settings: ObjectSettings) async throws {
        guard let object = try await store.read({ db in try StoredObject.find(name, in: db) }) else { return }
        let (folder, place) = (folders.paths.filesFolder, folders.paths.makeStoreFile(StoredPath(name)))
        let file = try await runBlocking { try FetchedFile(in: folder, object) }
        state.withLock { _ = $0.fetchPaths.insert(file.path) }
        defer { state.withLock { _ = $0.fetchPaths.remove(file.path) } }
        do {
            try await settings.service.fetchObject(object.objectKey, size: object.fileStamp.size + SealedObject.tagSize)
            { part in
                try await runBlocking { try file.write(part) }
            }
            try await runBlocking { try file.verifyAndSync(object.fileStamp) }
            try await store.write { tx in
                // During the fetch, the message of the file may have been deleted, or another file may have got the
                // name. So one transaction checks the owner and moves the file.
                guard try StoredObject.find(name, in: tx.db)?.objectKey == object.objectKey, place.status == nil else {
                    return file.remove()
                }
                try place.replaceFile(withFileAt: file.path)
            }
        } catch {
            await runCleanup { file.remove() }
            // If the message of the file was deleted during the fetch, the object may be missing, and does not count as
            // lost.
            if let error = error as? ObjectError, [.objectMissing, .sizeChanged].contains(error),
                try await store.read({ db in try StoredObject.find(name, in: db) })?.objectKey == object.objectKey
            {
                settings.service.countLostObject()
            }
            throw error
        }
    }

    /// Removes incomplete files, which remain when a process ends during a fetch. Blocks the thread.
    func removeIncompleteFiles() {
        let folder = folders.paths.filesFolder
        for name in DiskFiles.listEntries(folder) where name.hasPrefix(FetchedFile.namePrefix) {
            let path = folder + "/" + name
            if !state.withLock({ $0.fetchPaths.contains(path) }) { DiskFiles.removeFile(path) }
        }
    }

    // MARK: Removing

    func isHeld(_ name: String) -> Bool { state.withLock { $0.holdCounts[name] != nil || $0.removalBlockCount > 0 } }

    /// Removes the disk copy of a file whose contents are also in the object storage. Does nothing if the file is in
    /// use, or has changed since `facts`. Blocks the thread.
    /// - Returns: whether the file was removed.
    func removeIfUnchanged(_ name: String, _ facts: FileStamp) -> Bool {
        let file = folders.paths.makeStoreFile(StoredPath(name))
        return state.withLock { state in
            guard state.holdCounts[name] == nil, state.removalBlockCount == 0, let status = file.status,
                FileStamp(status) == facts
            else { return false }
            file.removeFile()
            return true
        }
    }

    /// Runs `body`. No file is removed from the disk until `body` ends.
    func withRemovalPrevented<T>(_ body: () async throws -> T) async rethrows -> T {
        state.withLock { $0.removalBlockCount += 1 }
        defer { state.withLock { $0.removalBlockCount -= 1 } }
        return try await body()
    }

    /// Fetches all files from the storage, for a copy of the store.
    /// - Returns: the files that cannot be fetched, with the reasons.
    func fetchAllFiles() async throws -> [(name: String, reason: String)] {
        guard settings != nil || mayHaveStoredFiles else { return [] }
        var missing: [(String, String)] = []
        for name in try await store.read({ try StoredObject.readNames(in: $0) }) {
            do {
                _ = try await fetchAndHold(name)
            } catch let away as FileFetchError {
                missing.append((name, "\(away)"))
            } catch let error as FileSystemError {
                missing.append((name, error.message()))
            }
        }
        return missing
    }
}
