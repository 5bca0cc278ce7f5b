internal import ChatCore
internal import Concurrency
internal import Files
internal import Glibc

/// A file of the data folder that grows while it is copied, such as the log of a relay.
public struct GrowingFile: Sendable {
    public let path: String
    /// Notes what the file has now, and returns a function that writes just that to a new file.
    public let cut: @Sendable () async throws -> @Sendable (_ target: String) throws -> Void

    public init(path: String, cut: @escaping @Sendable () async throws -> @Sendable (_ target: String) throws -> Void) {
        self.path = path
        self.cut = cut
    }
}

/// A copy of the whole data folder while it is used. The copy is a data folder itself: it has what a `kill -9` at one moment would have left.
///
/// Databases that are open are copied by their own means, and those of locked stores file by file, while nobody can unlock them. Nothing that
/// belongs to a database is ever copied as a file while somebody may write to it.
struct FolderBackup: Sendable {
    struct Outcome: Sendable {
        private(set) var files = 0
        private(set) var bytes: Int64 = 0

        mutating func count(_ path: String) {
            files += 1
            bytes += DiskFiles.size(path) ?? 0
        }

        mutating func add(_ other: Outcome) {
            files += other.files
            bytes += other.bytes
        }
    }

    let folder: String
    let target: String
    /// Those that are in the folder.
    let growing: [GrowingFile]

    private var partial: String { target + ".partial" }

    func make(of host: StoreHost) async throws -> Outcome {
        let mark = try await blocking {
            try checkPlace()
            return try begin()
        }
        do {
            let outcome = try await fill(host)
            try await blocking {
                // All of it, before it has its name.
                sync()
                try DiskFiles.rename(partial, to: target)
                DiskFiles.removeFile(target + Self.mark)
                DiskFiles.syncFolder(of: target)
            }
            withExtendedLifetime(mark) {}
            return outcome
        } catch {
            await cleaningUp { removePartial() }
            throw error
        }
    }

    /// No file of a data folder, and in no copy: whatever has it is what a backup has left, and nothing else.
    static let mark = "/.unfinished-backup"

    /// Locked as long as somebody fills the folder that it is in.
    private final class Mark: Sendable {
        private let lock: FileLock

        init?(_ folder: String) throws(FileSystemError) {
            guard let lock = try FileLock.take(folder + FolderBackup.mark) else { return nil }
            self.lock = lock
        }
    }

    /// Makes the folder of the copy. What a gateway that was killed has left there is removed.
    private func begin() throws -> Mark {
        if DiskFiles.isFolder(partial), !DiskFiles.isLink(partial), DiskFiles.isFile(partial + Self.mark) {
            guard let left = try Mark(partial) else { throw ProblemDetails(.conflict, "Another gateway makes a backup at \(target) now.") }
            withExtendedLifetime(left) { removePartial() }
        }
        // It was killed before it could mark the folder.
        rmdir(partial)
        guard !DiskFiles.exists(partial) else {
            throw ProblemDetails(.invalidValue, "There is something at \(partial) already, where the copy would be until it is complete.")
        }
        do throws(FileSystemError) {
            try DiskFiles.makeNewFolder(partial)
            guard let mark = try Mark(partial) else { throw FileSystemError(.lock, partial, code: EBUSY) }
            return mark
        } catch {
            guard !error.isFull else { throw error }
            throw ProblemDetails(.invalidValue, "No folder can be made there. \(error)")
        }
    }

    /// The mark goes last: what is left of this is known as well.
    private func removePartial() {
        for name in DiskFiles.entries(partial) where "/" + name != Self.mark { DiskFiles.remove(partial + "/" + name) }
        DiskFiles.remove(partial)
    }

    private func checkPlace() throws(ProblemDetails) {
        guard !DiskFiles.exists(target) else { throw ProblemDetails(.invalidValue, "There is something at \(target) already.") }
        let parent = FilePaths.folder(of: target)
        guard let real = FilePaths.real(parent), DiskFiles.isFolder(real) else { throw ProblemDetails(.invalidValue, "There is no folder \(parent).") }
        let folder = FilePaths.real(folder) ?? folder
        guard real != folder, !FilePaths.isBelow(real, folder) else {
            throw ProblemDetails(.invalidValue, "A backup within the data folder would be a part of the next one.")
        }
    }

    private func fill(_ host: StoreHost) async throws -> Outcome {
        // A store that is created from here on is not in the copy.
        let (folders, backups) = (host.folders, host.backups)
        let (stores, lasting) = try await host.creations.run { (host.own, try await blocking { folders.lasting() }) }
        var taken: [String: AsyncLock.Turn] = [:]
        for store in stores { taken[store.id] = await store.turns.turn() }
        let turns = taken
        defer { for turn in turns.values { turn.end() } }
        backups.beginCopying()
        let (open, locked) = (stores.filter { $0.opened != nil }, stores.filter { $0.opened == nil })
        let databases = open.compactMap { $0.opened?.core.databases }
        // Those that are not open now may be opened at any time.
        guard databases.count == open.count else { throw ProblemDetails.replaced }
        let copier = FolderCopier(
            folder: folder, target: partial, stores: stores.map(\.folder), folders: folders, lasting: lasting, goesOn: { !backups.isStopped() })
        return try await withThrowingTaskGroup(of: Void.self) { group in
            // Everything is of the same moment: while nothing can be written, copies begin, the logs are cut, and keys are copied.
            let (cuts, keys) = try await holding(databases[...]) {
                var begun: [WakeSignal] = []
                for databases in databases {
                    let signal = WakeSignal()
                    begun.append(signal)
                    group.addTask { try await copy(databases, copier, begun: signal) }
                }
                for signal in begun { _ = await signal.wait() }
                var cuts: [Cut] = []
                for file in growing { cuts.append(Cut(path: file.path, write: try await file.cut())) }
                return (cuts, try await blocking { try copier.copyKeys() })
            }
            var outcome = keys
            // Whoever locks or deletes one of these stops the backup.
            for store in open { turns[store.id]?.end() }
            for store in locked {
                outcome.add(try await blocking { try copier.copyDatabases(of: store.folder) })
                turns[store.id]?.end()
            }
            outcome.add(try await blocking { try write(cuts, copier) })
            try await group.waitForAll()
            outcome.add(try await blocking { try copier.copyRest(except: cuts.map(\.path)) })
            guard copier.goesOn() else { throw CancellationError() }
            for path in databases.flatMap(\.files) { outcome.count(copier.place(path)) }
            return outcome
        }
    }

    private func copy(_ databases: ChatDatabases, _ copier: FolderCopier, begun: WakeSignal) async throws {
        // What has failed is begun too: nobody may wait for it.
        defer { begun.signal() }
        let targets = databases.files.map(copier.place)
        try await blocking { for target in targets { try DiskFiles.makeFolder(FilePaths.folder(of: target)) } }
        try await databases.copy(to: targets, begun: begun.signal, while: copier.goesOn)
    }

    private func holding<T>(_ databases: ArraySlice<ChatDatabases>, _ body: () async throws -> T) async throws -> T {
        guard let first = databases.first else { return try await body() }
        return try await first.holding { try await holding(databases.dropFirst(), body) }
    }

    private struct Cut: Sendable {
        let path: String
        let write: @Sendable (_ target: String) throws -> Void
    }

    private func write(_ cuts: [Cut], _ copier: FolderCopier) throws -> Outcome {
        var outcome = Outcome()
        for cut in cuts {
            try DiskFiles.makeFolder(FilePaths.folder(of: copier.place(cut.path)))
            try cut.write(copier.place(cut.path))
            outcome.count(copier.place(cut.path))
        }
        return outcome
    }
}
