import Foundation
import SimpleXCrypto
import TestSupport
import Testing

@testable import Agent
@testable import ChatMoving
@testable import SQLCipher

/// Comparison of the schemas of exports with databases of the original client 7.0.0.6. It compares facts, not SQL
/// statements.
@Suite struct AppSchemaTests {
    enum DatabaseKind: String, CaseIterable, Sendable {
        case chat, agent

        var statements: [String] {
            switch self {
            case .chat: AppChatSchema.tables + AppChatSchema.indicesAndTriggers
            case .agent: AppAgentSchema.tables + AppAgentSchema.indicesAndTriggers
            }
        }
    }

    private final class Folder {
        let path = FileManager.default.temporaryDirectory.appending(path: "app-schema-\(UUID().uuidString)").path

        init() throws { try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true) }

        deinit { try? FileManager.default.removeItem(atPath: path) }

        func open(_ name: String, _ access: DatabaseConnection.Access) throws -> DatabaseConnection {
            try DatabaseConnection(
                path: "\(path)/\(name)",
                key: FileKey(material: KeyMaterial(.none)),
                access: access,
                synchronous: .normal,
                cacheKiB: 64
            )
        }

        /// Opens a database of the original client, without the table options that this version of SQLite cannot read.
        func openOriginal(_ half: DatabaseKind) throws -> DatabaseConnection {
            try Data(Fixture.readContents("apps/\(half)-7.0.db.zst")).write(to: URL(filePath: "\(path)/original.db"))
            let database = try open("original.db", .rewriting)
            let tables = try database.query("SELECT rowid AS id, sql FROM sqlite_master WHERE type = 'table'")
            for row in tables {
                guard let plain = try row.stringOrNil("sql").flatMap(StrictTables.removeStrictKeyword) else { continue }
                try database.execute("UPDATE sqlite_master SET sql = ? WHERE rowid = ?", plain, row.int64("id"))
            }
            return try open("original.db", .copying)
        }

        /// Makes an empty database with our schema.
        func makeOwn(_ half: DatabaseKind) throws -> DatabaseConnection {
            try Data().write(to: URL(filePath: "\(path)/own.db"))
            let database = try open("own.db", .copying)
            for statement in half.statements {
                try database.execute(StrictTables.removeStrictKeyword(statement) ?? statement)
            }
            return database
        }
    }

    private func listNames(_ type: String, in database: DatabaseConnection) throws -> [String] {
        try database.query(
            "SELECT name FROM sqlite_master WHERE type = ? AND name NOT LIKE 'sqlite%' ORDER BY name",
            type
        ).map { try $0.string("name") }
    }

    /// Returns the facts that SQLite reports about a database: one line for each table, column, reference, index and
    /// trigger.
    private func readFacts(_ database: DatabaseConnection) throws -> Set<String> {
        var facts: Set<String> = []
        for table in try listNames("table", in: database) {
            let row = try #require(try database.firstRow("SELECT sql FROM sqlite_master WHERE name = ?", table))
            let definition = try row.string("sql").uppercased()
            for option in ["WITHOUT ROWID", "AUTOINCREMENT", "DEFERRED"] {
                facts.insert("\(table): \(option) \(definition.components(separatedBy: option).count - 1) times")
            }
            for column in try database.query("PRAGMA table_info(\(table))") {
                let name = try column.string("name")
                let check = "CHECK\\s*\\(\(name.uppercased()) NOT NULL\\)"
                let isChecked = definition.range(of: check, options: .regularExpression) != nil
                facts.insert("\(table): column \(column.values) checked: \(isChecked)")
            }
            let references = Dictionary(grouping: try database.query("PRAGMA foreign_key_list(\(table))")) { $0["id"] }
            for columns in references.values {
                // The first value is the number of the reference, and is left out.
                facts.insert("\(table): reference \(columns.map { Array($0.values.dropFirst()) })")
            }
            for index in try database.query("PRAGMA index_list(\(table))") {
                let (name, origin) = (try index.string("name"), try index.string("origin"))
                let columns = try database.query("PRAGMA index_info(\(name))").map { try $0.stringOrNil("name") ?? "" }
                let options = "unique: \(try index.int64("unique")) partial: \(try index.int64("partial"))"
                facts.insert("\(table): index \(origin == "c" ? name : origin) \(columns) \(options)")
            }
        }
        for trigger in try listNames("trigger", in: database) { facts.insert("trigger \(trigger)") }
        return facts
    }

    @Test(arguments: DatabaseKind.allCases)
    func `The exported app database has the tables, columns, keys and indices of the original`(
        half: DatabaseKind
    ) throws {
        let folder = try Folder()
        let (own, original) = (try readFacts(folder.makeOwn(half)), try readFacts(folder.openOriginal(half)))
        #expect(own.subtracting(original) == [])
        #expect(original.subtracting(own) == [])
        #expect(original.count > 500)
    }

    @Test(arguments: DatabaseKind.allCases)
    func `Each table of an exported app database is declared STRICT`(half: DatabaseKind) {
        let tables = half.statements.filter { $0.hasPrefix("CREATE TABLE") }
        #expect(tables.allSatisfy { $0.hasSuffix("STRICT") })
        #expect(tables.count > 30)
    }

    @Test
    func `Triggers of an exported app database keep the number of current members of each group up to date`() throws {
        let folder = try Folder()
        let database = try folder.makeOwn(.chat)
        try database.executeScript(
            """
            PRAGMA foreign_keys = OFF;
            INSERT INTO group_member_status_predicates (member_status, current_member)
              VALUES ('connected', 1), ('creator', 1), ('left', 0);
            INSERT INTO groups (group_id, user_id, local_display_name, created_at, updated_at)
              VALUES (1, 1, 'one', '', ''), (2, 1, 'two', '', '');
            """
        )
        func count() throws -> [Int64] {
            try database.query("SELECT summary_current_members_count AS members FROM groups ORDER BY group_id").map {
                try $0.int64("members")
            }
        }
        func add(_ id: Int64, _ status: String) throws {
            try database.execute(
                """
                INSERT INTO group_members
                  (group_member_id, index_in_group, group_id, member_id, member_role, member_category, member_status,
                   user_id, local_display_name, contact_profile_id, created_at, updated_at)
                VALUES (?, ?, 1, ?, 'member', 'post', ?, 1, 'name', 1, '', '')
                """,
                id,
                id,
                [UInt8(id)],
                status
            )
        }
        try add(1, "connected")
        try add(2, "creator")
        try add(3, "left")
        #expect(try count() == [2, 0])
        try database.execute("UPDATE group_members SET member_status = 'left' WHERE group_member_id = 1")
        #expect(try count() == [1, 0])
        try database.execute("UPDATE group_members SET member_status = 'connected' WHERE group_member_id IN (2, 3)")
        #expect(try count() == [2, 0])
        try database.execute("DELETE FROM group_members WHERE group_member_id <> 3")
        #expect(try count() == [1, 0])
    }
}
