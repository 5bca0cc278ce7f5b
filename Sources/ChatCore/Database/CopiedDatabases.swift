internal import Concurrency
public import Files
public import ForeignData
internal import JSON
public import SimpleXCrypto
internal import SQLCipher

/// The databases of a store that was restored from a copy.
///
/// The copy is not trusted. Until its rows are in new databases, its files have separate names. Only a process without
/// rights opens them by these names, and the store has no databases until then.
public struct CopiedDatabases: Sendable {
    private let folder: String
    private var prefix: String { folder + "/simplex_v1" }
    private var replacement: StoreReplacement { StoreReplacement(prefix: prefix) }
    private var paths: LocalFolders.Paths { LocalFolders(dataDirectory: folder, prefix: prefix).paths }

    /// - Parameter folder: the folder of the store.
    public init(folder: String) { self.folder = folder }

    /// The paths of the chat's and the agent's file.
    public var files: [String] { ["_chat.db", "_agent.db"].map { prefix + $0 + ".copied" } }

    /// Whether databases exist whose rows have to be taken over.
    public var areThere: Bool { files.contains(where: DiskFiles.exists) }

    /// Renames the databases in the folder to the names of ``files``. A replacement that was running at the time of the
    /// copy is completed before. Seals of paths become invalid. Blocks.
    /// - Throws: `ChatOpenError.copy`, `FileSystemError`.
    public func setAside() throws {
        do { try replacement.finish(in: paths) } catch is JSONError {
            throw ChatOpenError.copy("the record of an unfinished replacement of its databases is damaged")
        }
        paths.seals.forget()
        for (file, name) in zip(files, ["_chat.db", "_agent.db"]) {
            let own = prefix + name
            // A copy of a store has its databases under their usual names.
            if !DiskFiles.exists(file), DiskFiles.hasBytes(own) {
                if DiskFiles.exists(own + "-wal") { try Self.writeBack(own) }
                try DiskFiles.rename(own, to: file)
            }
            for part in ["", "-wal", "-shm", "-journal"] { DiskFiles.remove(own + part) }
        }
        guard areThere, let lacking = files.first(where: { !DiskFiles.hasBytes($0) }) else { return }
        throw ChatOpenError.copy("\(lacking.dropFirst(folder.count + 1).dropLast(".copied".count)) is missing")
    }

    private static func writeBack(_ path: String) throws {
        do { try WriteAheadLog.writeBack(path + "-wal", to: path) } catch DatabaseError.corrupt {
            throw ChatOpenError.copy(
                "the write-ahead log of \(path[path.index(after: path.lastIndex(of: "/") ?? path.startIndex)...]) is damaged"
            )
        }
    }

    /// Creates databases of the store with the rows of the copied databases, and removes the copied databases.
    /// - Parameters:
    ///   - objects: the store's folder in the object storage: its objects are taken over.
    ///   - program: reads the databases.
    /// - Returns: a text about the rows that were not taken over.
    /// - Throws: `.copy` with the reason; in that case nothing has changed.
    public func takeOver(
        key: DatabaseKey,
        objects: String?,
        program: ReaderProgram,
        fence: WriteFence? = nil,
        reading: ForeignReading
    ) async throws(ChatOpenError) -> [String] {
        let (replacement, paths, files) = (replacement, paths, files)
        do {
            var left: [String] = []
            // An earlier process may have ended after the commit.
            if try await blocking({ !replacement.isCommitted }) {
                try await blocking { try replacement.begin() }
                do {
                    let store = ForeignStore(
                        chat: files[0],
                        agent: files[1],
                        replacement: replacement,
                        key: key,
                        origin: .copy(objects: objects),
                        program: program,
                        reading: reading
                    )
                    left = try await store.takeOver()
                    try await blocking { try fence.passing { try replacement.commit(.added, folders: paths) } }
                } catch {
                    await cleaningUp { replacement.cancel() }
                    throw error
                }
            }
            try await blocking {
                try fence.passing {
                    try replacement.finish()
                    for file in files { DiskFiles.removeFile(file) }
                }
                DiskFiles.syncFolder(of: files[0])
            }
            return left
        } catch { throw Self.fault(error, files[0]) }
    }

    private static func fault(_ error: any Error, _ path: String) -> ChatOpenError {
        switch error {
        case ForeignStoreError.database(_, .cancelled): .database(.interrupted)
        case let error as ForeignStoreError: .copy(error.sentence)
        case DatabaseError.wrongKey: .wrongKey(database: path)
        case let error as DatabaseError:
            switch error {
            case .full, .busy, .inputOutput, .fenced, .interrupted, .closed: .database(error)
            default: .copy("\(error)")
            }
        case let error as FileSystemError: error.isFull ? .database(.full) : .other(error.message())
        default: .other("\(error)")
        }
    }
}
