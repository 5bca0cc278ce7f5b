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
    let folder: String
    /// A copy in which some columns have extremes is to be served.
    let columns: [ExtremeColumn]
    /// Of messages in the first chat with a contact, the first group and the notes.
    let items: [String: Int64]

    static let shared = Task { try await ExtremeStore() }

    /// In memory, where the system has such a folder.
    static let place = FileManager.default.fileExists(atPath: "/dev/shm") ? "/dev/shm" : NSTemporaryDirectory()

    private init() async throws {
        let world = try await World()
        let alice = try await world.core("alice", key: DatabaseKey.none)
        let bob = try await world.core("bob")
        try await Self.fill(alice, bob)
        var items: [String: Int64] = [:]
        for chat in ["@1", "#1", "*1"] {
            let item: Int64 = try #require(try await alice.run("/_get chat \(chat) count=1").itemIds.first)
            items[chat] = item
        }
        self.items = items
        for core in [alice, bob] { await core.controller.close() }
        await world.relay.stop()
        folder = Self.place + "/extremes-\(UUID().uuidString)"
        try FileManager.default.copyItem(atPath: world.directory.appending(path: "alice").path, toPath: folder)
        var columns: [ExtremeColumn] = []
        for half in ExtremeColumn.Half.allCases {
            try Self.dropConstraints(Self.path(of: half, in: folder))
            let database = try Self.open(half, in: folder)
            try SyntheticRows(half, database).fill()
            columns += try ExtremeColumn.all(of: half, database)
        }
        self.columns = columns
    }

    static func path(of half: ExtremeColumn.Half, in folder: String) -> String {
        "\(folder)/simplex_v1_\(half.rawValue).db"
    }

    private static func connection(
        _ path: String, _ access: SQLCipher.Connection.Access
    ) throws -> SQLCipher.Connection {
        try SQLCipher.Connection(
            path: path, key: FileKey(material: KeyMaterial(DatabaseKey.none)), access: access, synchronous: .normal,
            cacheKiB: 2048)
    }

    /// Writes what the program would never write.
    static func open(_ half: ExtremeColumn.Half, in folder: String) throws -> SQLCipher.Connection {
        let database = try connection(path(of: half, in: folder), .copying)
        try database.executeScript(
            """
            PRAGMA foreign_keys = OFF; PRAGMA ignore_check_constraints = ON; PRAGMA secure_delete = OFF;
            PRAGMA synchronous = OFF
            """)
        return database
    }

    /// Columns can have no value.
    private static func dropConstraints(_ path: String) throws {
        try connection(path, .rewriting).execute(
            "UPDATE sqlite_master SET sql = replace(sql, ' NOT NULL', '') WHERE type = 'table'")
    }

    struct Outcome: Sendable {
        /// Why the store is not served; nil when it is.
        var reason: String?
        /// Commands that the store has refused.
        var refused: [String] = []
    }

    /// Serves a copy for a moment.
    func serve(with columns: [ExtremeColumn]) async throws -> Outcome {
        let copy = Self.place + "/extremes-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: copy, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(atPath: copy) }
        for half in ExtremeColumn.Half.allCases {
            let path = Self.path(of: half, in: folder)
            try FileManager.default.copyItem(atPath: path, toPath: Self.path(of: half, in: copy))
            let changes = columns.filter { $0.half == half }
            guard !changes.isEmpty else { continue }
            let database = try Self.open(half, in: copy)
            for column in changes { try column.apply(to: database) }
        }
        var configuration = ChatConfiguration(dataDirectory: copy, databaseKey: DatabaseKey.none, servers: [])
        configuration.limits[.items] = 1_000_000
        configuration.limits[.fileBytes] = 1 << 40
        let controller: ChatController
        do { controller = try await ChatController.open(configuration, group: World.group) } catch {
            return Outcome(reason: error.description)
        }
        var outcome = Outcome()
        do { try await controller.start() } catch { outcome.reason = "\(error)" }
        for text in ExtremeCommands.reading(items) + ExtremeCommands.writing {
            let answer = await controller.send(try ChatCommand(parsing: text), as: 1, with: .all)
            if case .error = answer { outcome.refused.append(text) }
        }
        await ExtremeCommands.work(controller)
        await controller.close()
        return outcome
    }
}
