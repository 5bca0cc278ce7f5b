internal import Agent
internal import ChatAPI
internal import Concurrency
internal import Files
internal import SimpleXCrypto
internal import SQLCipher

extension RunningCommand {
    /// Converts copies of this program's databases to databases of the apps. The converted databases replace the
    /// copies. Wallpapers are written into a folder, since the apps have wallpapers as files.
    /// - Returns: descriptions of the data that the converted databases do not contain.
    func makeDatabasesOfApp(
        _ replacement: StoreReplacement,
        _ key: DatabaseKey,
        _ passphrase: String
    ) async throws -> [ArchiveError] {
        var counts = try await convertDatabase(replacement.chatPath, key) { database, scratch, target in
            try await database.read { try ChatWallpapers.writeFiles(from: $0, to: replacement.assetsFolder) }
            return try await AppChatExport.exportDatabase(
                database,
                scratch: scratch,
                to: target,
                passphrase: passphrase
            )
        }
        counts.addCounts(
            try await convertDatabase(replacement.agentPath, key) { database, scratch, target in
                try await Agent.exportForApps(database, scratch: scratch, to: target, passphrase: passphrase)
            }
        )
        return counts.omissionSentences.map { .import(importError: $0) }
    }

    private func convertDatabase(
        _ path: String,
        _ key: DatabaseKey,
        _ body: (Database, _ scratch: String, _ target: String) async throws -> MovedCounts
    ) async throws -> MovedCounts {
        let (scratch, target) = (path + ".scratch", path + ".app")
        let counts = try await services.withDatabase(path, key: key, ChatDatabaseError.errorExport) {
            try await body($0, scratch, target)
        }
        try await runBlocking {
            for remains in [scratch, path, path + "-wal", path + "-shm"] { DiskFiles.removeTree(remains) }
            try DiskFiles.rename(target, to: path)
        }
        return counts
    }
}
