internal import ChatAPI
internal import ChatStore
internal import Concurrency
internal import Files
internal import Glibc
internal import JSON
internal import SQLCipher

/// The folder of a migration to or from another device, beside the databases. It exists from the beginning of the
/// migration until its end. The next opening of the databases removes it, unless it has the file ``mark``.
struct MigrationFolder: Sendable {
    /// The common beginning of the paths of the databases.
    let prefix: String

    var path: String { FilePaths.absolute(prefix) + "_migration" }
    var archive: String { space + "/simplex-chat.zip" }
    /// A file that exists while another device may have the profiles of this store. The chat does not start meanwhile,
    /// because two devices with the same connections break their encryption.
    var mark: String { path + "/left.json" }
    /// A file with network settings for the imported databases. It exists from before the import until they have these
    /// settings, so that after a crash too the chat does not pass a proxy by.
    private var network: String { path + "/network.json" }
    private var space: String { path + "/space" }

    var isPresent: Bool { DiskFiles.exists(path) }
    var isLeft: Bool { DiskFiles.exists(mark) }

    /// Creates the folder.
    /// - Throws: `MigrationFailure.busy` if it exists.
    func begin() throws {
        do throws(FileSystemError) { try DiskFiles.makeNewFolder(path) } catch {
            if error.code == EEXIST { throw MigrationFailure.busy }
            throw error
        }
        do throws(FileSystemError) { try DiskFiles.makeFolder(space) } catch {
            DiskFiles.remove(path)
            throw error
        }
    }

    /// Writes the mark. Nothing may be received in this store before ``remove()``.
    func leave(size: Int64, at time: Int64) throws {
        let mark: JSONValue = ["size": .integer(size), "createdAt": .integer(time)]
        try DiskFiles.replace(self.mark, with: mark.encoded())
        try DiskFiles.sync(FilePaths.folder(of: path))
    }

    /// The size of the archive in bytes, and the time of the mark in seconds since 1970; nil without a mark.
    func left() throws -> (size: Int64, time: Int64)? {
        guard let content = try DiskFiles.read(mark) else { return nil }
        let json = try? JSONValue(parsing: content)
        return (json?["size"]?.integerValue ?? 0, json?["createdAt"]?.integerValue ?? 0)
    }

    func remove() {
        DiskFiles.removeFile(mark)
        DiskFiles.syncFolder(of: mark)
        DiskFiles.remove(path)
    }

    /// Keeps network settings for the databases that are imported next.
    func keep(_ config: NetworkConfig) throws {
        try DiskFiles.replace(network, with: Array(try StoredJSON.encode(config).utf8))
        try DiskFiles.sync(FilePaths.folder(of: network))
    }

    /// Ends a migration that has no link, when the databases are opened after an import or a crash. Imported databases
    /// get the kept network settings.
    func finishUnlinked(in store: ChatStore, _ fence: WriteFence?) async throws {
        let kept = try await blocking { try isPresent && !isLeft ? DiskFiles.read(network) : nil }
        if let kept, let config = try? StoredJSON.decode(NetworkConfig.self, String(decoding: kept, as: UTF8.self)) {
            try await store.write { tx in
                // Without profiles, the import has not happened, so nothing is changed.
                guard try tx.db.hasRow("SELECT 1 FROM users") else { return }
                var own = try NetworkConfig.stored(in: tx.db) ?? config
                (own.socksProxy, own.socksMode) = (config.socksProxy, config.socksMode)
                (own.hostMode, own.requiredHostMode) = (config.hostMode, config.requiredHostMode)
                try own.normalized.write(to: tx.db)
            }
        }
        try await blocking { try fence.runIfCurrent { if isPresent, !isLeft { remove() } } }
    }
}

extension ChatConfiguration {
    var migration: MigrationFolder { MigrationFolder(prefix: databasePrefix) }
}
