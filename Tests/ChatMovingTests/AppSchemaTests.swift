import CSQLCipher
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

    // MARK: Queues of a service

    /// The number of the queues of a service, and the hash of their ids.
    private struct CountedQueues: Equatable {
        let count: Int64
        let hash: [UInt8]
    }

    /// Changes queues in a database of the agent, and returns the values of three services after each change: of the
    /// user 901 at two servers, and of the user 902 at the first of these servers.
    private func recordServiceChanges(_ database: DatabaseConnection) throws -> [[CountedQueues]] {
        try database.defineQueueHash()
        try database.executeScript(
            """
            PRAGMA foreign_keys = OFF;
            INSERT INTO connections (conn_id, conn_mode, user_id) VALUES (x'f901', 'INV', 901), (x'f902', 'INV', 902);
            INSERT INTO client_services (user_id, host, port, server_key_hash, service_cert, service_cert_hash,
              service_priv_key)
              VALUES (901, 'one.test', '1', x'01', x'', x'', x''), (901, 'two.test', '1', x'01', x'', x'', x''),
                (902, 'one.test', '1', x'01', x'', x'', x'');
            """
        )
        func add(_ id: UInt8, at host: String, of connection: [UInt8], isCounted: Bool) throws {
            try database.execute(
                """
                INSERT INTO rcv_queues (host, port, rcv_id, conn_id, rcv_private_key, rcv_dh_secret, e2e_priv_key,
                  snd_id, status, rcv_queue_id, rcv_primary, rcv_service_assoc)
                VALUES (?, '1', ?, ?, x'', x'', x'', ?, 'active', ?, 1, ?)
                """,
                host,
                [id],
                connection,
                [id],
                Int64(id),
                Int64(isCounted ? 1 : 0)
            )
        }
        let (first, second): ([UInt8], [UInt8]) = ([0xF9, 0x01], [0xF9, 0x02])
        let changes: [() throws -> Void] = [
            { try add(1, at: "one.test", of: first, isCounted: true) },
            { try add(2, at: "one.test", of: first, isCounted: false) },
            { try add(3, at: "two.test", of: first, isCounted: true) },
            { try add(4, at: "one.test", of: second, isCounted: true) },
            { try database.execute("UPDATE rcv_queues SET rcv_service_assoc = 1 WHERE snd_id = x'02'") },
            { try database.execute("UPDATE rcv_queues SET status = 'disabled' WHERE snd_id = x'02'") },
            { try database.execute("UPDATE rcv_queues SET deleted = 1 WHERE snd_id = x'01'") },
            { try database.execute("DELETE FROM rcv_queues WHERE snd_id = x'01'") },
            { try database.execute("DELETE FROM rcv_queues WHERE snd_id = x'02'") },
        ]
        return try changes.map { change in
            try change()
            return try database.query(
                """
                SELECT service_queue_count AS queues, service_queue_ids_hash AS hash FROM client_services
                WHERE user_id IN (901, 902) ORDER BY user_id, host
                """
            ).map { CountedQueues(count: try $0.int64("queues"), hash: try $0.blob("hash")) }
        }
    }

    @Test
    func `Triggers of an exported agent database count the queues of a service as the original does`() throws {
        let folder = try Folder()
        let own = try recordServiceChanges(folder.makeOwn(.agent))
        #expect(try own == recordServiceChanges(folder.openOriginal(.agent)))
        #expect(
            own.map { $0.map(\.count) } == [
                [1, 0, 0], [1, 0, 0], [1, 1, 0], [1, 1, 1], [2, 1, 1], [2, 1, 1], [1, 1, 1], [1, 1, 1], [0, 1, 1],
            ]
        )
        let ids = own.map { $0.map { $0.hash[0] } }
        #expect(
            ids == [
                [1, 0, 0], [1, 0, 0], [1, 3, 0], [1, 3, 4], [3, 3, 4], [3, 3, 4], [2, 3, 4], [2, 3, 4], [0, 3, 4],
            ]
        )
    }
}

extension DatabaseConnection {
    /// Defines the SQL function of the apps that adds the id of a queue to a hash, or removes it. The function of this
    /// test combines bytes of the id itself, so the hash shows which queues are in it.
    fileprivate func defineQueueHash() throws {
        let code = sqlite3_create_function_v2(
            handle,
            "simplex_xor_md5_combine",
            2,
            SQLITE_UTF8,
            nil,
            { call, _, arguments in
                func readBytes(_ index: Int) -> [UInt8] {
                    guard let value = arguments?[index], let start = sqlite3_value_blob(value) else { return [] }
                    let count = Int(sqlite3_value_bytes(value))
                    return Array(UnsafeRawBufferPointer(start: start, count: count))
                }
                var hash = readBytes(0)
                for (index, byte) in readBytes(1).enumerated() where index < hash.count { hash[index] ^= byte }
                // With the value of the C macro SQLITE_TRANSIENT, SQLite copies the bytes before the call returns.
                let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
                sqlite3_result_blob(call, hash, Int32(hash.count), transient)
            },
            nil,
            nil,
            nil
        )
        try #require(code == SQLITE_OK)
    }
}
