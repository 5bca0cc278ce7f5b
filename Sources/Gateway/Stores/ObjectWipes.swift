internal import Clocks
internal import ChatCore
internal import Concurrency
internal import Files
internal import Glibc
internal import Logging
internal import ObjectStorage
internal import Synchronization

/// Removes the objects of deleted stores from the object storage, even if the databases of a store cannot be opened.
/// Each store has a folder in the storage, and everything in this folder is removed.
///
/// The names of these storage folders are recorded on the disk, in a folder beside the stores, until the objects are
/// removed.
final class ObjectWipes: Sendable {
    private let service: ObjectService
    /// Folder with one file for each deleted store. The name of the file is the name of the store's folder in the
    /// storage.
    private let folder: String
    private let folders: StoreFolders
    private let minRecordAge: Duration
    private let log: Logger
    private let wakeSignal = WakeSignal()
    private static let retryPause = Duration.seconds(60)
    /// The maximal number of listings of a storage folder without a pause.
    private static let maxListingsBeforePause = 100
    private let loopTask = Mutex<Task<Void, Never>?>(nil)

    /// - Parameters:
    ///   - settling: the time for which an object of an interrupted upload may still appear. After this time, the
    ///     storage is listed once more.
    init(_ service: ObjectService, _ folders: StoreFolders, settling: Duration, log: Logger) {
        self.service = service
        self.folders = folders
        folder = folders.path + "/.objects"
        self.minRecordAge = settling
        self.log = log
    }

    func start() {
        let task = Task { [self] in
            await wakeSignal.runAtSignals { [self] in
                do { return try await wipeAllFolders() } catch is ObjectError {
                    return .seconds(service.retryOtherRequestsAfterSeconds)
                } catch {
                    log.error(
                        "objects of deleted stores cannot be removed from the object storage",
                        metadata: ["error": "\(error)"]
                    )
                    return Self.retryPause
                }
            }
        }
        loopTask.withLock { $0 = task }
    }

    func stop() async {
        let task = loopTask.withLock { $0 }
        task?.cancel()
        await task?.value
    }

    /// Records a storage folder whose objects have to be removed. On return, the record is on the disk. Blocks the
    /// thread.
    func recordFolderToWipe(_ name: String) throws(FileSystemError) {
        try DiskFiles.makeFolder(folder)
        try DiskFiles.replaceFile(folder + "/" + name, with: [])
        try DiskFiles.syncEntry(folder)
    }

    func wake() { wakeSignal.wake() }

    /// Removes the objects of all recorded storage folders.
    /// - Returns: the time until the next attempt; nil when no record is left.
    func wipeAllFolders() async throws -> Duration? {
        var next: Duration?
        for name in try await runBlocking({ [folder, folders] in try Self.listRecords(in: folder, folders) }) {
            guard try await wipeFolder(name) else {
                next = min(next ?? Self.retryPause, Self.retryPause)
                continue
            }
            let left = try await runBlocking { [folder, minRecordAge] in
                Self.remainingRecordTime(folder + "/" + name, minRecordAge)
            }
            if left > .zero {
                next = min(next ?? left, left)
            } else {
                try await runBlocking { [folder] in DiskFiles.removeFile(folder + "/" + name) }
            }
        }
        return next
    }

    /// Deletes the objects in one storage folder.
    /// - Returns: false when the storage lists the same objects after their deletion, or when objects are left after
    ///   the maximal number of listings.
    private func wipeFolder(_ name: String) async throws -> Bool {
        var before: [String] = []
        for _ in 0..<Self.maxListingsBeforePause {
            let keys = try await service.listKeys(beginning: name + "/")
            guard !keys.isEmpty else { return true }
            guard keys != before else { return false }
            for key in keys { try await service.deleteObject(key) }
            before = keys
        }
        return false
    }

    /// Returns the names of the recorded storage folders that belong to no store. Blocks the thread.
    private static func listRecords(in folder: String, _ folders: StoreFolders) throws -> [String] {
        let noted = DiskFiles.listFiles(folder).filter(StoreID.isID)
        guard !noted.isEmpty else { return [] }
        // The storage folders of all existing stores are left out. A store with a recorded folder was restored, or
        // could not be deleted.
        let stores = try folders.listIDs().map(folders.makeStoreFolder) + [folders.firstStoreFolder].compactMap(\.self)
        let owned = Set(stores.compactMap { $0.readRecord()?.objectFolder })
        for name in noted where owned.contains(name) { DiskFiles.removeFile(folder + "/" + name) }
        return noted.filter { !owned.contains($0) }
    }

    /// Returns the time until the record of a storage folder may be removed.
    private static func remainingRecordTime(_ path: String, _ settling: Duration) -> Duration {
        var status = stat()
        guard stat(path, &status) == 0 else { return .zero }
        return settling - .seconds(max(0, WallClock.seconds() - Int64(status.st_mtim.tv_sec)))
    }
}

extension StoreHost {
    /// Assigns a separate folder in the object storage to a store, if the gateway has an object storage.
    func assignObjectFolder(_ store: Store) async throws(ChatOpenError) {
        guard settings.chatConfiguration.objectSettings != nil, store.record.objectFolder == nil else { return }
        // The first stores of all gateways have the same id, so the storage folder of a first store gets a random name.
        do { try await store.changeRecord { $0.objectFolder = store.isFirst ? StoreID.make() : store.id } } catch {
            throw .otherError("\(error)")
        }
    }
}
