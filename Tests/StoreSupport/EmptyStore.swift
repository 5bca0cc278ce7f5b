import Agent
package import ChatCore
import ChatStore
import Foundation
import SQLCipher
import SimpleXCrypto
import Synchronization

/// Both databases of a new store: they have their tables and no rows.
///
/// Creating the databases takes 25 ms of processor time, and copying them takes 1 ms. So tests that do not test the
/// creation use copies.
package enum EmptyStore {
    /// The databases by their raw key. The key is empty for databases without encryption.
    private static let madeDatabases = Mutex<[[UInt8]: [Data]]>([:])

    /// Copies the databases into the folder of a configuration. Does nothing if a database exists, if the
    /// configuration forbids new databases, or if their key is a passphrase and not a raw key.
    package static func placeDatabases(_ configuration: ChatConfiguration) async throws {
        let key: [UInt8]
        switch configuration.databaseKey {
        case .none: key = []
        case .raw(let bytes): key = bytes
        case .passphrase, .sealed: return
        }
        let paths = configuration.databasePaths
        guard configuration.missingDatabasePolicy == .create, !paths.contains(where: FileManager.default.fileExists)
        else {
            return
        }
        for (path, database) in zip(paths, try await makeDatabases(key)) { try placeDatabase(database, at: path) }
    }

    private static func placeDatabase(_ database: Data, at path: String) throws {
        let isPlaced = FileManager.default.createFile(
            atPath: path,
            contents: database,
            attributes: [.posixPermissions: 0o600]
        )
        guard isPlaced else { throw CocoaError(.fileWriteUnknown) }
    }

    private static func makeDatabases(_ key: [UInt8]) async throws -> [Data] {
        if let databases = madeDatabases.withLock({ $0[key] }) { return databases }
        let path = NSTemporaryDirectory() + "empty-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: path) }
        var databases: [Data] = []
        for migrations in [ChatSchema.migrations, AgentSchema.migrations] {
            let database = try await Database.open(
                at: path,
                key: key.isEmpty ? .none : .raw(key),
                migrations: migrations
            )
            await database.close()
            databases.append(try Data(contentsOf: URL(filePath: path)))
            try FileManager.default.removeItem(atPath: path)
        }
        madeDatabases.withLock { [databases] in $0[key] = databases }
        return databases
    }
}
