internal import Concurrency
package import Files
package import ForeignData
internal import JSON
package import SimpleXCrypto
internal import SQLCipher

/// The databases of a store that was restored from a copy.
///
/// The copy is not trusted. Its databases have separate names until their rows are in new databases. Only the reader
/// process, which has no other rights, opens the databases with these names. The store has no databases until the new
/// databases are complete.
package struct CopiedDatabases: Sendable {
    private let folder: String
    private var prefix: String { folder + "/simplex_v1" }
    private var replacement: StoreReplacement { StoreReplacement(prefix: prefix) }
    private var paths: LocalFolders.Paths { LocalFolders(dataDirectory: folder, prefix: prefix).paths }

    /// - Parameter folder: the folder of the store.
    package init(folder: String) { self.folder = folder }

    /// The paths of the database of the chat and the database of the agent.
    package var databasePaths: [String] { ["_chat.db", "_agent.db"].map { prefix + $0 + ".copied" } }

    /// Whether files of copied databases exist. The rows in these files are not in new databases yet.
    package var hasFiles: Bool { databasePaths.contains(where: DiskFiles.exists) }

    /// Renames the databases in the folder to the paths of ``databasePaths``. Before that, completes a replacement that
    /// was unfinished at the time of the copy. Makes all seals invalid. A seal permits one file path outside of the
    /// store's folders. This function blocks.
    /// - Throws: `ChatOpenError.unusableCopy`, `FileSystemError`.
    package func renameToCopied() throws {
        do { try replacement.finish(in: paths) } catch is JSONError {
            throw ChatOpenError.unusableCopy("the record of an unfinished replacement of its databases is damaged")
        }
        paths.pathSeals.invalidateAll()
        for (file, name) in zip(databasePaths, ["_chat.db", "_agent.db"]) {
            let own = prefix + name
            // In a copy that was not opened yet, the databases have their usual names, and this function renames them.
            if !DiskFiles.exists(file), DiskFiles.hasBytes(own) {
                if DiskFiles.exists(own + "-wal") { try Self.applyWriteAheadLog(own) }
                try DiskFiles.rename(own, to: file)
            }
            for part in ["", "-wal", "-shm", "-journal"] { DiskFiles.removeTree(own + part) }
        }
        guard hasFiles, let lacking = databasePaths.first(where: { !DiskFiles.hasBytes($0) }) else { return }
        throw ChatOpenError.unusableCopy("\(lacking.dropFirst(folder.count + 1).dropLast(".copied".count)) is missing")
    }

    private static func applyWriteAheadLog(_ path: String) throws {
        do { try WriteAheadLog.applyLog(path + "-wal", to: path) } catch DatabaseError.corrupt {
            throw ChatOpenError.unusableCopy(
                "the write-ahead log of \(path[path.index(after: path.lastIndex(of: "/") ?? path.startIndex)...]) is damaged"
            )
        }
    }

    /// Creates databases for the store, fills them with the rows of the copied databases, and removes the copied
    /// databases.
    /// - Parameters:
    ///   - objects: the folder of the store in the object storage. Only objects in this folder are taken over.
    ///   - program: the program that reads the databases.
    /// - Returns: texts about the kinds of data that were not taken over.
    /// - Throws: `unusableCopy` with the reason; in that case nothing has changed.
    package func takeOverRows(
        key: DatabaseKey,
        objects: String?,
        program: ReaderProgram,
        fence: WriteFence? = nil,
        reading: ForeignReads
    ) async throws(ChatOpenError) -> [String] {
        let (replacement, paths, files) = (replacement, paths, databasePaths)
        do {
            var left: [String] = []
            // If an earlier process ended after it had committed the replacement, only the last steps are left.
            if try await runBlocking({ !replacement.isCommitted }) {
                try await runBlocking { try replacement.createFolder() }
                do {
                    let store = ForeignStore(
                        chatPath: files[0],
                        agentPath: files[1],
                        replacement: replacement,
                        key: key,
                        origin: .copy(objects: objects),
                        program: program,
                        foreignReads: reading
                    )
                    left = try await store.takeOverRows()
                    try await runBlocking { try fence.runIfValid { try replacement.commit(.kept, folders: paths) } }
                } catch {
                    await runCleanup { replacement.cancel() }
                    throw error
                }
            }
            try await runBlocking {
                try fence.runIfValid {
                    try replacement.finish()
                    for file in files { DiskFiles.removeFile(file) }
                }
                DiskFiles.syncParentFolder(of: files[0])
            }
            return left
        } catch { throw Self.makeOpenError(error, files[0]) }
    }

    private static func makeOpenError(_ error: any Error, _ path: String) -> ChatOpenError {
        switch error {
        case ForeignStoreError.database(_, .cancelled): .database(.interrupted)
        case let error as ForeignStoreError: .unusableCopy(error.sentence)
        case DatabaseError.wrongKey: .wrongKey(database: path)
        case let error as DatabaseError:
            switch error {
            case .diskFull, .busy, .inputOutput, .refusedByFence, .interrupted, .closed: .database(error)
            default: .unusableCopy("\(error)")
            }
        case let error as FileSystemError: error.isStorageFull ? .database(.diskFull) : .otherError(error.message())
        default: .otherError("\(error)")
        }
    }
}
