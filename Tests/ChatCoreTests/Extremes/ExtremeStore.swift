import ChatAPI
import Foundation
import JSON
import NIOPosix
import SimpleXCrypto
import TestSupport
import Testing

@testable import ChatCore
@testable import SQLCipher

/// A store with rows in each table of both databases, which is copied for each trial.
struct ExtremeStore: Sendable {
    /// The contents of the two databases.
    private let databases: [ExtremeColumn.DatabaseHalf: Data]
    let columns: [ExtremeColumn]
    /// Tables without rows.
    let emptyTables: [String]
    /// Items of messages in the first chat with a contact, the first group and the notes.
    let itemByChat: [String: Int64]

    static let sharedStore = Task { try await ExtremeStore() }

    private init() async throws {
        let world = try await World()
        let alice = try await world.core("alice", key: DatabaseKey.none)
        let bob = try await world.core("bob")
        try await Self.addData(alice, bob)
        var items: [String: Int64] = [:]
        for chat in ["@1", "#1", "*1"] {
            let item: Int64 = try #require(try await alice.run("/_get chat \(chat) count=1").itemIds.first)
            items[chat] = item
        }
        self.itemByChat = items
        for core in [alice, bob] { await core.controller.close() }
        await world.relay.stopAndWait()
        let folder = world.directory.appending(path: "alice").path
        var (columns, empty, databases): ([ExtremeColumn], [String], [ExtremeColumn.DatabaseHalf: Data]) = ([], [], [:])
        for half in ExtremeColumn.DatabaseHalf.allCases {
            try Self.dropConstraints(Self.databasePath(of: half, in: folder))
            try Self.changeDatabase(half, in: folder) { database in
                try SyntheticRows(half, database).addRows()
                columns += try ExtremeColumn.listColumns(of: half, database)
                empty += try ExtremeColumn.listTables(of: database).filter {
                    try !database.hasRow("SELECT 1 FROM \($0)")
                }
            }
            databases[half] = try Data(contentsOf: URL(filePath: Self.databasePath(of: half, in: folder)))
        }
        (self.columns, self.emptyTables, self.databases) = (columns, empty, databases)
    }

    static func databasePath(of half: ExtremeColumn.DatabaseHalf, in folder: String) -> String {
        "\(folder)/simplex_v1_\(half.rawValue).db"
    }

    private static func openConnection(
        _ path: String,
        _ access: DatabaseConnection.Access
    ) throws -> DatabaseConnection {
        try DatabaseConnection(
            path: path,
            key: FileKey(material: KeyMaterial(DatabaseKey.none)),
            access: access,
            synchronous: .normal,
            cacheKiB: 2048
        )
    }

    static func changeDatabase(
        _ half: ExtremeColumn.DatabaseHalf,
        in folder: String,
        _ body: (DatabaseConnection) throws -> Void
    ) throws { try body(openDatabase(half, in: folder)) }

    /// Opens a database for changes that the program would never make.
    static func openDatabase(_ half: ExtremeColumn.DatabaseHalf, in folder: String) throws -> DatabaseConnection {
        let database = try openConnection(databasePath(of: half, in: folder), .copying)
        try database.executeScript(
            """
            PRAGMA foreign_keys = OFF; PRAGMA ignore_check_constraints = ON; PRAGMA secure_delete = OFF;
            PRAGMA synchronous = OFF
            """
        )
        return database
    }

    /// Removes constraints, so that columns can have any value.
    private static func dropConstraints(_ path: String) throws {
        try openConnection(path, .rewriting).execute(
            "UPDATE sqlite_master SET sql = replace(sql, ' NOT NULL', '') WHERE type = 'table'"
        )
    }

    struct Outcome: Sendable {
        /// The reason why the store is not served; nil if it is served.
        var refusalReason: String?
        /// The commands that the store has refused.
        var refusedCommands: [String] = []
    }

    /// Serves a copy of the store for a short time.
    func serveCopy(with columns: [ExtremeColumn]) async throws -> Outcome {
        let copy = NSTemporaryDirectory() + "extremes-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: copy, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(atPath: copy) }
        for half in ExtremeColumn.DatabaseHalf.allCases {
            try databases[half]?.write(to: URL(filePath: Self.databasePath(of: half, in: copy)))
            let changes = columns.filter { $0.half == half }
            if changes.isEmpty { continue }
            try Self.changeDatabase(half, in: copy) { database in
                for column in changes { try column.applyValues(to: database) }
            }
        }
        var configuration = ChatConfiguration(dataDirectory: copy, databaseKey: DatabaseKey.none, servers: [])
        configuration.storeLimits[.items] = 1_000_000
        configuration.storeLimits[.fileBytes] = 1 << 40
        let controller: ChatController
        do { controller = try await ChatController.open(configuration, group: World.eventLoopGroup) } catch {
            return Outcome(refusalReason: error.description)
        }
        var outcome = Outcome()
        do { try await controller.start() } catch { outcome.refusalReason = "\(error)" }
        for text in ExtremeCommands.readingCommands(itemByChat) + ExtremeCommands.writingCommands {
            guard let command = try? ChatCommand(parsing: text) else {
                outcome.refusedCommands.append(text)
                continue
            }
            let answer = await controller.send(command, as: 1, with: .all)
            if case .error(let error) = answer { outcome.refusedCommands.append("\(text): \(error)") }
        }
        await ExtremeCommands.runBackgroundWork(controller)
        await controller.close()
        return outcome
    }
}
