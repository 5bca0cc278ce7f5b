internal import ChatCore
internal import Concurrency
internal import Files
internal import Glibc
internal import Logging
internal import ObjectStorage
internal import Synchronization

/// Removes what deleted stores have left in the object storage: all that is in their folders there, also that of stores whose databases nobody can open.
///
/// Which they are is on the disk, in a folder beside the stores, until nothing is left.
final class ObjectWipes: Sendable {
    private let service: ObjectService
    /// With a file for each deleted store, which has the name of its folder in the storage.
    private let folder: String
    private let folders: StoreFolders
    private let settling: Duration
    private let log: Logger
    private let signal = WakeSignal()
    private static let pause = Duration.seconds(60)
    /// The number of lists that are asked for without a pause.
    private static let lists = 100
    private let running = Mutex<Task<Void, Never>?>(nil)

    /// - Parameters:
    ///   - settling: how long an object whose upload was cut off may still appear. After that the storage is listed once more.
    init(_ service: ObjectService, _ folders: StoreFolders, settling: Duration, log: Logger) {
        self.service = service
        self.folders = folders
        folder = folders.path + "/.objects"
        self.settling = settling
        self.log = log
    }

    func start() {
        let task = Task { [self] in
            await signal.run { [self] in
                do { return try await wipeAll() } catch is ObjectError { return .seconds(service.pause) } catch {
                    log.error("what deleted stores have in the object storage is not removed", metadata: ["error": "\(error)"])
                    return Self.pause
                }
            }
        }
        running.withLock { $0 = task }
    }

    func stop() async {
        let task = running.withLock { $0 }
        task?.cancel()
        await task?.value
    }

    /// What is in this folder of the storage goes. On return that is on the disk. It blocks.
    func note(_ name: String) throws(FileSystemError) {
        try DiskFiles.makeFolder(folder)
        try DiskFiles.replace(folder + "/" + name, with: [])
        try DiskFiles.sync(folder)
    }

    func wake() { signal.signal() }

    /// - Returns: when to look again; nil when nothing is left.
    func wipeAll() async throws -> Duration? {
        var next: Duration?
        for name in try await blocking({ [folder, folders] in try Self.notes(in: folder, folders) }) {
            guard try await wipe(name) else {
                next = min(next ?? Self.pause, Self.pause)
                continue
            }
            let left = try await blocking { [folder, settling] in Self.rest(folder + "/" + name, settling) }
            if left > .zero { next = min(next ?? left, left) } else { try await blocking { [folder] in DiskFiles.removeFile(folder + "/" + name) } }
        }
        return next
    }

    /// - Returns: false where the storage goes on to list what it was told to delete, or has more than can be deleted at once.
    private func wipe(_ name: String) async throws -> Bool {
        var before: [String] = []
        for _ in 0..<Self.lists {
            let keys = try await service.keys(beginning: name + "/")
            guard !keys.isEmpty else { return true }
            guard keys != before else { return false }
            for key in keys { try await service.delete(key) }
            before = keys
        }
        return false
    }

    /// The names of the folders that are to be wiped. It blocks.
    private static func notes(in folder: String, _ folders: StoreFolders) throws -> [String] {
        let noted = DiskFiles.list(folder).filter(StoreFolders.isID)
        guard !noted.isEmpty else { return [] }
        // A store that could not be deleted, or was restored, has its folder still.
        let stores = try folders.ids().map(folders.folder) + [folders.first].compactMap(\.self)
        let owned = Set(stores.compactMap { $0.readRecord()?.objects })
        for name in noted where owned.contains(name) { DiskFiles.removeFile(folder + "/" + name) }
        return noted.filter { !owned.contains($0) }
    }

    /// How long a note still has to stay.
    private static func rest(_ path: String, _ settling: Duration) -> Duration {
        var status = stat()
        guard stat(path, &status) == 0 else { return .zero }
        return settling - .seconds(max(0, WallClock.seconds() - Int64(status.st_mtim.tv_sec)))
    }
}

extension StoreHost {
    /// Gives a store a folder of its own in the object storage, if there is a storage.
    func takeObjectFolder(_ store: Store) async throws(ChatOpenError) {
        guard settings.chat.objects != nil, store.record.objects == nil else { return }
        // First stores have no id of their own.
        do { try await store.change { $0.objects = store.isFirst ? StoreFolders.newID() : store.id } } catch { throw .other("\(error)") }
    }
}
