import ChatProtocol
import Foundation
import NIOPosix
import SimpleXCrypto
import TestSupport
import ZIP

@testable import ChatCore
@testable import SQLCipher

extension MovingTests {
    /// A folder with the databases of an app, and the profiles of a core.
    final class AppFolder: Sendable {
        let path = FileManager.default.temporaryDirectory.appending(path: "moving-\(UUID().uuidString)").path
        let world: World

        init(_ version: String = "7.0") async throws {
            world = try await World()
            try FileManager.default.createDirectory(atPath: path + "/app", withIntermediateDirectories: true)
            for name in ["chat", "agent"] {
                try Data(Fixture.readContents("apps/\(name)-\(version).db.zst")).write(
                    to: URL(filePath: "\(path)/app/\(name).db")
                )
            }
            try Data("pictures".utf8).write(to: URL(filePath: path + "/app/pic.txt"))
        }

        deinit { try? FileManager.default.removeItem(atPath: path) }

        func openCore(badgeKeys: BadgeKeys = .publicNetwork) async throws -> Core {
            var configuration = ChatConfiguration(
                dataDirectory: path,
                databaseKey: .raw([UInt8](repeating: 5, count: 32)),
                servers: [world.relay.address]
            )
            configuration.badgeKeys = badgeKeys
            return Core(
                try await ChatController.open(configuration, group: MultiThreadedEventLoopGroup.singleton),
                in: world
            )
        }

        /// Changes one of the app's databases.
        func changeDatabase(_ name: String, _ sql: String) throws {
            let database = try AppFolder.openWithoutStrict(
                "\(path)/app/\(name).db",
                FileKey(material: KeyMaterial(.none))
            )
            try database.execute("PRAGMA foreign_keys = OFF")
            try database.executeScript(sql)
        }

        /// Opens an app's database after removing the triggers and the words of the schema that this version of SQLite
        /// does not know.
        static func openWithoutStrict(_ path: String, _ key: FileKey) throws -> DatabaseConnection {
            let database = try DatabaseConnection(
                path: path,
                key: key,
                access: .rewriting,
                synchronous: .normal,
                cacheKiB: 64
            )
            try database.execute("PRAGMA foreign_keys = OFF")
            try database.execute("DELETE FROM sqlite_master WHERE type = 'trigger'")
            for row in try database.query("SELECT rowid AS id, sql FROM sqlite_master WHERE type = 'table'") {
                guard let plain = try row.stringOrNil("sql").flatMap(StrictTables.removeStrictKeyword) else { continue }
                try database.execute("UPDATE sqlite_master SET sql = ? WHERE rowid = ?", plain, try row.int64("id"))
            }
            return try DatabaseConnection(path: path, key: key, access: .copying, synchronous: .normal, cacheKiB: 64)
        }

        /// - Parameter wallpapers: the contents of the wallpapers, by their names.
        func makeArchive(_ name: String, wallpapers: [String: [UInt8]] = [:]) throws -> String {
            var sources = ["chat", "agent"].map {
                ZIPWriter.SourceFile(path: "\(path)/app/\($0).db", name: "simplex_v1_\($0).db")
            }
            for (wallpaper, content) in wallpapers {
                let file = "\(path)/app/\(wallpaper)"
                try Data(content).write(to: URL(filePath: file))
                sources.append(ZIPWriter.SourceFile(path: file, name: "simplex_v1_assets/wallpapers/\(wallpaper)"))
            }
            try ZIPWriter.writeDirectly(
                sources + [ZIPWriter.SourceFile(path: path + "/app/pic.txt", name: "simplex_v1_files/pic.txt")],
                to: "\(path)/\(name).zip",
                compressed: true
            )
            return "\(path)/\(name).zip"
        }

        /// The names in the folder.
        var names: [String] {
            (try? FileManager.default.contentsOfDirectory(atPath: path).sorted()) ?? []
        }
    }
}
