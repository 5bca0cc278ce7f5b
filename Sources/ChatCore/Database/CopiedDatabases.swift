internal import Concurrency
public import Files
public import ForeignData
internal import JSON
public import SimpleXCrypto
internal import SQLCipher

/// The databases of a store that is made of a copy.
///
/// Anybody may have made the copy. Until its rows are in new databases its files have names of their own. Nothing opens
/// them by these names but a process without rights, and there are no databases of the store until then.
public struct CopiedDatabases: Sendable {
    private let folder: String
    private var prefix: String { folder + "/simplex_v1" }
    private var replacement: StoreReplacement { StoreReplacement(prefix: prefix) }
    private var paths: LocalFolders.Paths { LocalFolders(dataDirectory: folder, prefix: prefix).paths }

    /// - Parameter folder: that of the store.
    public init(folder: String) { self.folder = folder }

    /// The paths of the files: of the chat, of the agent.
    public var files: [String] { ["_chat.db", "_agent.db"].map { prefix + $0 + ".copied" } }

    /// Whether there are databases whose rows are still to be taken over.
    public var areThere: Bool { files.contains(where: DiskFiles.exists) }

    /// Gives the databases in the folder these names. A replacement that the copy was in the middle of is completed
    /// before. Seals of paths are not valid any more. It blocks.
    /// - Throws: `ChatOpenError.copy`, `FileSystemError`.
    public func setAside() throws {
        do { try replacement.finish(in: paths) } catch is JSONError {
            throw ChatOpenError.copy("the order to replace its databases is damaged")
        }
        paths.seals.forget()
        for (file, name) in zip(files, ["_chat.db", "_agent.db"]) {
            let own = prefix + name
            // The copy of such a store has these names.
            if !DiskFiles.exists(file), DiskFiles.hasBytes(own) {
                if DiskFiles.exists(own + "-wal") { try Self.writeBack(own) }
                try DiskFiles.rename(own, to: file)
            }
            for part in ["", "-wal", "-shm", "-journal"] { DiskFiles.remove(own + part) }
        }
        guard areThere, let lacking = files.first(where: { !DiskFiles.hasBytes($0) }) else { return }
        throw ChatOpenError.copy("there is no \(lacking.dropFirst(folder.count + 1).dropLast(".copied".count))")
    }

    private static func writeBack(_ path: String) throws {
        do { try WriteAheadLog.writeBack(path + "-wal", to: path) } catch DatabaseError.corrupt {
            throw ChatOpenError.copy(
                "the log of \(path[path.index(after: path.lastIndex(of: "/") ?? path.startIndex)...]) is damaged")
        }
    }

    /// Makes databases of the store with the rows of these, which are removed then.
    /// - Parameters:
    ///   - objects: the store's folder in the object storage: its objects are taken over.
    ///   - program: reads the databases.
    /// - Returns: what was left behind, in words.
    /// - Throws: `.copy` with the reason; then nothing has changed.
    public func takeOver(
        key: DatabaseKey, objects: String?, program: ReaderProgram, fence: WriteFence? = nil, reading: ForeignReading
    ) async throws(ChatOpenError) -> [String] {
        let (replacement, paths, files) = (replacement, paths, files)
        do {
            var left: [String] = []
            // The process may have ended since.
            if try await blocking({ !replacement.isCommitted }) {
                try await blocking { try replacement.begin() }
                do {
                    let store = ForeignStore(
                        chat: files[0], agent: files[1], replacement: replacement, key: key,
                        origin: .copy(objects: objects), program: program, reading: reading)
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
