internal import ChatAPI
internal import ChatStore
internal import Concurrency
internal import Files
internal import Glibc
internal import JSON
internal import SQLCipher

/// The folder of a migration to or from another device, beside the databases. It exists from the beginning of the
/// migration until its end. When the databases are opened, a folder without a transfer mark (``transferMarkPath``) is
/// removed.
struct MigrationFolder: Sendable {
    /// The common beginning of the paths of the databases.
    let prefix: String

    var path: String { FilePaths.absolutePath(prefix) + "_migration" }
    var archivePath: String { clientFolderPath + "/simplex-chat.zip" }
    /// The path of the transfer mark: a file that exists while another device may have the profiles of this store.
    /// While the file exists, the chat does not start, because two devices with the same connections break their
    /// encryption.
    var transferMarkPath: String { path + "/left.json" }
    /// The path of a file with network settings for the imported databases. The file exists from before the import
    /// until the databases have these settings. So even after a crash, the chat does not connect without the proxy that
    /// these settings contain.
    private var networkConfigPath: String { path + "/network.json" }
    private var clientFolderPath: String { path + "/space" }

    var isPresent: Bool { DiskFiles.exists(path) }
    var hasTransferMark: Bool { DiskFiles.exists(transferMarkPath) }

    /// Creates the folder.
    /// - Throws: `MigrationFailure.alreadyMigrating` if it exists.
    func create() throws {
        do throws(FileSystemError) { try DiskFiles.makeNewFolder(path) } catch {
            if error.errnoCode == EEXIST { throw MigrationFailure.alreadyMigrating }
            throw error
        }
        do throws(FileSystemError) { try DiskFiles.makeFolder(clientFolderPath) } catch {
            DiskFiles.removeTree(path)
            throw error
        }
    }

    /// Writes the transfer mark. The store must not receive anything until ``remove()`` is called.
    func writeTransferMark(size: Int64, at time: Int64) throws {
        let mark: JSONValue = ["size": .integer(size), "createdAt": .integer(time)]
        try DiskFiles.replaceFile(self.transferMarkPath, with: mark.encodeText())
        try DiskFiles.syncEntry(FilePaths.parentFolder(of: path))
    }

    /// Reads the size of the archive in bytes, and the time of the transfer mark in seconds since 1970; nil without a
    /// mark.
    func readTransferMark() throws -> (size: Int64, time: Int64)? {
        guard let content = try DiskFiles.readFile(transferMarkPath) else { return nil }
        let json = try? JSONValue(parsing: content)
        return (json?["size"]?.integerValue ?? 0, json?["createdAt"]?.integerValue ?? 0)
    }

    func remove() {
        DiskFiles.removeFile(transferMarkPath)
        DiskFiles.syncParentFolder(of: transferMarkPath)
        DiskFiles.removeTree(path)
    }

    /// Stores network settings for the databases that are imported next.
    func keepNetworkConfig(_ config: NetworkConfig) throws {
        try DiskFiles.replaceFile(networkConfigPath, with: Array(try StoredJSON.encode(config).utf8))
        try DiskFiles.syncEntry(FilePaths.parentFolder(of: networkConfigPath))
    }

    /// Ends a migration that has made no link, for example after an import or a crash. Applies the kept network
    /// settings to imported databases, and removes the folder. This function is called when the databases are opened.
    func finishWithoutLink(in store: ChatStore, _ fence: WriteFence?) async throws {
        let kept = try await runBlocking {
            try isPresent && !hasTransferMark ? DiskFiles.readFile(networkConfigPath) : nil
        }
        if let kept, let config = try? StoredJSON.decode(NetworkConfig.self, String(decoding: kept, as: UTF8.self)) {
            try await store.write { tx in
                // Without profiles, the import has not happened, so nothing is changed.
                guard try tx.db.hasRow("SELECT 1 FROM users") else { return }
                var own = try NetworkConfig.findStored(in: tx.db) ?? config
                (own.socksProxy, own.socksMode) = (config.socksProxy, config.socksMode)
                (own.hostMode, own.requiredHostMode) = (config.hostMode, config.requiredHostMode)
                try own.normalizedConfig.store(to: tx.db)
            }
        }
        try await runBlocking { try fence.runIfValid { if isPresent, !hasTransferMark { remove() } } }
    }
}

extension ChatConfiguration {
    var migrationFolder: MigrationFolder { MigrationFolder(prefix: databasePrefix) }
}
