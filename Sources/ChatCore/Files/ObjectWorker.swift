internal import ChatAPI
internal import ChatStore
internal import Concurrency
internal import Files
internal import Glibc
internal import Logging
internal import ObjectStorage
internal import SimpleXCrypto
internal import SQLCipher
import Synchronization

/// Moves unused files into the object storage, and deletes the objects of deleted files.
///
/// A move has four steps. Each step is written to the disk before the next one begins: the worker inserts the row of
/// the object, stores the object, records the completed storing, and removes the file. After a crash, either the file
/// is on the disk or its object is recorded. An object that is not recorded is deleted.
final class ObjectWorker: Worker {
    let followUpWork = FollowUp.objects

    private struct State {
        /// The time of the next search in the folder for files.
        var nextSearch = ContinuousClock.now
        var filesToMoveCount = 0
        /// Files that the storage has refused. Other files are moved first.
        var refusedNames: Set<String> = []
        /// The objects whose storing has failed, by the names of their files.
        var failedObjects: [String: StoredObject] = [:]
    }

    private let store: ChatStore
    private let objects: FileObjects
    private let folders: LocalFolders
    private let logger: Logger
    let signal = WakeSignal()
    private let state = Mutex(State())

    init(store: ChatStore, objects: FileObjects, folders: LocalFolders, logger: Logger) {
        self.store = store
        self.objects = objects
        self.folders = folders
        self.logger = logger
    }

    /// Starts a search now for files that can be moved to the storage.
    func startFileSearch() {
        state.withLock { $0.nextSearch = .now }
        signal.wake()
    }

    /// The number of files that wait to be moved from the disk to the storage, according to the last search.
    var filesToMoveCount: Int { state.withLock { $0.filesToMoveCount } }

    func findTimeUntilWork(_ db: StoreConnection) throws -> Duration? {
        // The database does not show whether files can be moved. Only a search in the folder shows this, so the work
        // begins at once.
        objects.settings == nil ? nil : .zero
    }

    func run(from start: WorkerStart) async {
        guard let settings = objects.settings else { return }
        let (objects, seconds) = (objects, settings.failedUploadDeletionDelay.components.seconds)
        do {
            try await runBlocking { objects.removeIncompleteFiles() }
            try await store.write { tx in try StoredObject.retireIncompleteObjects(after: seconds, tx) }
        } catch {
            logger.error(
                "objects of the last run not cleaned up",
                metadata: ["error": "\(error.descriptionWithoutPath)"]
            )
        }
        state.withLock { $0.nextSearch = .now }
        await signal.run(logger, after: start.pause, whenFailed: "files not moved to the object storage") {
            do {
                try await deleteDueObjects(settings)
                try await searchFolder(settings)
                return try await nextPause(settings)
            } catch is ObjectError {
                // The object service logs the error itself. `wake` starts no search before the end of the pause.
                let pause = Duration.seconds(settings.service.retryOtherRequestsAfterSeconds)
                state.withLock { $0.nextSearch = .now + pause }
                return pause
            }
        }
    }

    private func nextPause(_ settings: ObjectSettings) async throws -> Duration {
        let wait = state.withLock { $0.nextSearch } - .now
        guard let due = try await store.read({ try StoredObject.findNextDueTime(in: $0) }) else {
            return max(wait, .milliseconds(1))
        }
        return max(min(wait, due.duration(since: .now)), .milliseconds(1))
    }

    // MARK: Deleting

    private func deleteDueObjects(_ settings: ObjectSettings) async throws {
        while true {
            let keys = try await store.read { db in try StoredObject.findDueKeys(at: .now, in: db) }
            guard !keys.isEmpty else { return }
            // In a copied store, some keys belong to the objects of the original store. The rows with these keys are
            // deleted, but the objects of the original store must stay.
            for key in keys where ObjectKey.isObjectKey(key, in: settings.folder) {
                try await settings.service.deleteObject(key)
            }
            try await store.write { tx in try StoredObject.deleteRetiredObjects(keys, tx) }
        }
    }

    // MARK: Moving

    private struct MoveCandidate {
        let name: String
        let fileStamp: FileStamp
        /// Time of the last use, in nanoseconds since 1970.
        let lastUseNanoseconds: Int64
    }

    private func searchFolder(_ settings: ObjectSettings) async throws {
        guard state.withLock({ $0.nextSearch <= .now }) else { return }
        let limit = settings.idleTimeBeforeMove.nanoseconds
        let found = try await runBlocking { [folder = folders.paths.filesFolder] in Self.findMoveCandidates(in: folder)
        }
        let now = Timestamp.now.nanoseconds
        let old = found.filter { now &- $0.lastUseNanoseconds >= limit }
        var next =
            found.filter { now &- $0.lastUseNanoseconds < limit }.map { limit &- (now &- $0.lastUseNanoseconds) }.min()
            .map { Duration.nanoseconds($0) } ?? settings.maxSearchPause
        next = min(max(next, .milliseconds(10)), settings.maxSearchPause)
        let names = old.map(\.name)
        let movable = try await store.read { db in try Set(names.filter { try Self.canBeMoved($0, db) }) }
        var due = old.filter { movable.contains($0.name) && !objects.isHeld($0.name) }
        due = state.withLock { state in
            state.filesToMoveCount = due.count
            state.refusedNames.formIntersection(due.map(\.name))
            state.failedObjects = state.failedObjects.filter { name, object in
                due.contains { $0.name == name && $0.fileStamp == object.fileStamp }
            }
            return due.filter { !state.refusedNames.contains($0.name) }
                + due.filter { state.refusedNames.contains($0.name) }
        }
        for file in due {
            do { try await moveFile(file, settings) } catch let error as FileSystemError {
                logger.warning("a file is not moved to the object storage", metadata: ["reason": "\(error.reason)"])
            } catch ObjectError.sizeChanged {
                // The file was written to during the move, so it stays. A later round moves it.
            } catch let error as ObjectError {
                if case .requestRefused = error { state.withLock { _ = $0.refusedNames.insert(file.name) } }
                throw error
            }
            state.withLock { $0.filesToMoveCount -= 1 }
        }
        // Files whose move has failed are tried again in the next search.
        state.withLock { $0.nextSearch = .now + next }
    }

    /// Returns the files in the folder for files, the longest unused file first. Leaves out files that are being
    /// fetched. Blocks the thread.
    private static func findMoveCandidates(in folder: String) -> [MoveCandidate] {
        DiskFiles.listEntries(folder).filter { !$0.hasPrefix(FetchedFile.namePrefix) }.compactMap { name in
            guard let status = FileStamp.readStatus(folder + "/" + name) else { return nil }
            let used = max(FileStamp.nanoseconds(status.st_atim), FileStamp.nanoseconds(status.st_mtim))
            return MoveCandidate(name: name, fileStamp: FileStamp(status), lastUseNanoseconds: used)
        }.sorted { $0.lastUseNanoseconds < $1.lastUseNanoseconds }
    }

    /// Whether a file belongs to messages, is complete, and has no task that reads it later.
    private static func canBeMoved(_ name: String, _ db: StoreConnection) throws -> Bool {
        let files = try db.query("SELECT \(FileRecord.columns) FROM files f WHERE f.file_path = ?", [name]).map(
            FileRecord.init
        )
        guard !files.isEmpty, files.allSatisfy(\.canBeMoved) else { return false }
        return try db.firstRow(
            """
            SELECT 1 FROM uploads WHERE file_path = :file_path
            UNION ALL SELECT 1 FROM retired_files WHERE file_path = :file_path
            """,
            ["file_path": name]
        ) == nil
    }

    private func moveFile(_ file: MoveCandidate, _ settings: ObjectSettings) async throws {
        let (objects, name, facts) = (objects, file.name, file.fileStamp)
        if let known = try await store.read({ db in try StoredObject.find(name, in: db) }), known.fileStamp == facts {
            // The row of the object exists already: the file was fetched from the storage, and has become unused again.
            // So it is only removed from the disk.
            _ = try await runBlocking { objects.removeIfUnchanged(name, facts) }
            return
        }
        let stored = folders.paths.makeStoreFile(StoredPath(name))
        let failed = state.withLock { $0.failedObjects[name] }
        let noted = try await store.write { tx -> StoredObject? in
            guard try Self.canBeMoved(name, tx.db) else { return nil }
            if let failed, try failed.insertAgain(tx) { return failed }
            let key = ObjectKey.makeKey(in: settings.folder)
            let object = StoredObject(key: key, name: name, facts: facts, arguments: CryptoFileArguments())
            try object.insert(tx)
            return object
        }
        guard let object = noted else { return }
        try await settings.onStep(.noted)
        do { try await settings.service.storeObject(object.objectKey, SealedObject.makeSource(stored, object)) } catch {
            let delay = settings.failedUploadDeletionDelay.components.seconds
            // If this write also fails, the next run of the program marks the object for deletion.
            try? await store.write { tx in try StoredObject.retireObject(key: object.objectKey, after: delay, tx) }
            state.withLock { $0.failedObjects[name] = object }
            throw error
        }
        state.withLock { $0.failedObjects[name] = nil }
        try await settings.onStep(.put)
        let isRecorded = try await store.write { tx in
            guard try Self.canBeMoved(name, tx.db), stored.status.map({ FileStamp($0) }) == facts else {
                try StoredObject.retireObject(key: object.objectKey, tx)
                return false
            }
            try object.recordStored(tx)
            return true
        }
        guard isRecorded else { return }
        try await settings.onStep(.recorded)
        _ = try await runBlocking { objects.removeIfUnchanged(name, facts) }
        try await settings.onStep(.removed)
    }
}

extension FileRecord {
    /// Whether the file is the complete file of a message, and its transfer has ended.
    fileprivate var canBeMoved: Bool {
        itemId != nil && task == .none && status.hasLocalContents && (status.isEnded || transport == .local)
            && (agentFileId == nil || hasAgentFinished)
    }
}

extension Duration {
    /// The duration in nanoseconds; `Int64.max` for a duration that does not fit into `Int64`.
    fileprivate var nanoseconds: Int64 {
        let (seconds, overflow) = components.seconds.multipliedReportingOverflow(by: 1_000_000_000)
        return overflow ? .max : seconds &+ components.attoseconds / 1_000_000_000
    }
}
