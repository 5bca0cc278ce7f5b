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
struct FolderBackup: Sendable {
    struct Outcome: Sendable {
        var files = 0
        var bytes: Int64 = 0
    }

    let folder: String
    let target: String
    /// Those that are in the folder.
    let growing: [GrowingFile]

    private var partial: String { target + ".partial" }

    /// - Parameter stores: all of them. None is locked or unlocked meanwhile.
    func make(of stores: [Store]) async throws -> Outcome {
        try await blocking { try DiskFiles.makeNewFolder(partial) }
        do {
            let outcome = try await withTurns(of: stores[...]) { try await copy(stores.compactMap { $0.opened?.core.databases }) }
            try await blocking {
                // All of it, before it has its name.
                sync()
                try DiskFiles.rename(partial, to: target)
                DiskFiles.syncFolder(of: target)
            }
            return outcome
        } catch {
            try? await blocking { DiskFiles.remove(partial) }
            throw error
        }
    }

    private func withTurns(of stores: ArraySlice<Store>, _ body: () async throws -> Outcome) async throws -> Outcome {
        guard let first = stores.first else { return try await body() }
        return try await first.turns.run { try await withTurns(of: stores.dropFirst(), body) }
    }

    private func copy(_ databases: [ChatDatabases]) async throws -> Outcome {
        try await withThrowingTaskGroup(of: Void.self) { group in
            var begun: [WakeSignal] = []
            let copies = databases.map { databases in
                let signal = WakeSignal()
                begun.append(signal)
                let targets = databases.files.map(place)
                return { @Sendable in
                    defer { signal.signal() }
                    try await blocking { for target in targets { try DiskFiles.makeFolder(FilePaths.folder(of: target)) } }
                    try await databases.copy(to: targets, begun: signal.signal)
                }
            }
            // Everything is of the same moment: while nothing can be written, copies begin, and the logs are cut.
            let cuts = try await holding(databases[...]) {
                for copy in copies { group.addTask(operation: copy) }
                for signal in begun { _ = await signal.wait() }
                var cuts: [(path: String, write: @Sendable (String) throws -> Void)] = []
                for file in growing { cuts.append((file.path, try await file.cut())) }
                return cuts
            }
            try await group.waitForAll()
            let copied = Set(databases.flatMap(\.files))
            let left = copied.union(copied.flatMap { [$0 + "-wal", $0 + "-shm"] }).union(cuts.map(\.path)).union([folder + "/.lock"])
            return try await blocking { [cuts] in
                var outcome = Outcome()
                try copyRest(of: folder, to: partial, except: left, &outcome)
                for cut in cuts {
                    try DiskFiles.makeFolder(FilePaths.folder(of: place(cut.path)))
                    try cut.write(place(cut.path))
                }
                for path in Array(copied) + cuts.map(\.path) {
                    outcome.files += 1
                    outcome.bytes += DiskFiles.size(place(path)) ?? 0
                }
                return outcome
            }
        }
    }

    private func holding<T>(_ databases: ArraySlice<ChatDatabases>, _ body: () async throws -> T) async throws -> T {
        guard let first = databases.first else { return try await body() }
        return try await first.holding { try await holding(databases.dropFirst(), body) }
    }

    /// Where a file of the data folder is in the copy.
    private func place(_ path: String) -> String { partial + path.dropFirst(folder.count) }

    /// Links are left out.
    private func copyRest(of source: String, to copy: String, except left: Set<String>, _ outcome: inout Outcome) throws(FileSystemError) {
        for name in DiskFiles.entries(source).sorted() {
            let (path, target) = (source + "/" + name, copy + "/" + name)
            if left.contains(path) || name.hasSuffix(".partial") { continue }
            if DiskFiles.isFile(path) {
                do throws(FileSystemError) { try DiskFiles.copy(path, to: target) } catch {
                    // Files come and go.
                    guard error.code != ENOENT || DiskFiles.exists(path) else { continue }
                    throw error
                }
                outcome.files += 1
                outcome.bytes += DiskFiles.size(target) ?? 0
            } else if DiskFiles.isFolder(path), !DiskFiles.isLink(path) {
                try DiskFiles.makeFolder(target)
                try copyRest(of: path, to: target, except: left, &outcome)
            }
        }
    }
}
