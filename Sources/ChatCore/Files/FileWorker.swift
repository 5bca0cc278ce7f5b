internal import Concurrency
internal import Files
internal import Logging
internal import SQLCipher

/// Clears away what is left of files that are gone. What is to be done is in the database, written with the change that asks for it.
final class FileWorker: Sendable {
    private let store: ChatStore
    private let folders: LocalFolders
    private let logger: Logger
    private let signal = WakeSignal()

    /// It looks again at least this often: files wait for messages that never come.
    private static let pause = Duration.seconds(1800)

    init(store: ChatStore, folders: LocalFolders, logger: Logger) {
        self.store = store
        self.folders = folders
        self.logger = logger
    }

    /// A file has to be handed over, or is gone.
    func wake() { signal.signal() }

    func run() async {
        await signal.run(logger, whenFailed: "files not cleared away") {
            try await clear()
            return Self.pause
        }
    }

    // MARK: Clearing

    private struct Retired: Sendable {
        let id: Int64
        let path: String?
        /// Whether another file has the path.
        let isPathUsed: Bool
    }

    func clear() async throws {
        if try await store.read({ try Uploads.haveExpired(in: $0) }) { try await store.write { tx in try Uploads.expire(tx) } }
        while true {
            let all = try await store.read { db in
                try db.query(
                    """
                    SELECT r.retired_id, r.file_path, EXISTS (
                      SELECT 1 FROM files f WHERE f.file_path = r.file_path) OR EXISTS (SELECT 1 FROM uploads u WHERE u.file_path = r.file_path) AS is_used
                    FROM retired_files r ORDER BY r.retired_id LIMIT 100
                    """
                ).map { row in
                    Retired(
                        id: try row.int64("retired_id"), path: try row.stringOrNil("file_path"),
                        isPathUsed: try row.bool("is_used"))
                }
            }
            guard !all.isEmpty else { return }
            for retired in all { try await clear(retired) }
        }
    }

    private func clear(_ retired: Retired) async throws {
        if let path = retired.path, !retired.isPathUsed {
            let paths = folders.paths
            try await blocking { Self.delete(path, paths) }
        }
        try await store.write { tx in try tx.db.execute("DELETE FROM retired_files WHERE retired_id = ?", [retired.id]) }
    }

    /// Only what is in the folder for files is the store's to delete.
    private static func delete(_ path: String, _ folders: LocalFolders.Paths) {
        guard let file = FilePaths.canonical(folders.absolute(path)), let folder = FilePaths.canonical(folders.files), FilePaths.isBelow(file, folder),
            DiskFiles.isFile(file)
        else { return }
        DiskFiles.removeFile(file)
    }
}

extension Uploads {
    static func haveExpired(in db: StoreConnection) throws -> Bool {
        try db.first("SELECT 1 FROM uploads WHERE created_at < ? LIMIT 1", [Timestamp.now.adding(seconds: -lifetime).nanoseconds]) != nil
    }

    /// Files that no message has taken go.
    static func expire(_ tx: Transaction) throws {
        let limit = tx.now.adding(seconds: -lifetime).nanoseconds
        try tx.db.execute("INSERT INTO retired_files (file_path, is_sent) SELECT file_path, 1 FROM uploads WHERE created_at < ?", [limit])
        try tx.db.execute("DELETE FROM uploads WHERE created_at < ?", [limit])
    }
}
