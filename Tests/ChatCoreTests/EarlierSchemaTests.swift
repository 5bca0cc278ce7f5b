import Foundation
import JSON
import SimpleXCrypto
import SQLCipher
import TestSupport
import Testing

@testable import Agent
@testable import ChatCore

/// Stores of every earlier schema. They are not files that earlier programs have written: for each change of a schema, a database is made by the changes before it,
/// and gets the rows of a store of today, as far as its tables and columns had them.
/// (`earlier` restores the former form of a value that a later change gave another form.) Then this program opens it.
@Suite(.overSockets) struct EarlierSchemaTests {
    /// The rows of a database, by table.
    private struct Contents: Sendable {
        var tables: [String: (columns: [String], rows: [[DatabaseValue]])] = [:]
        var sequences: [String: Int64] = [:]

        init(_ path: String, _ key: DatabaseKey, _ migrations: [Migration]) async throws {
            let database = try await Database.open(at: path, key: key, migrations: migrations, readers: 1, create: false)
            self = try await database.read { db in
                var contents = Contents()
                for table in try EarlierSchemaTests.tables(db) {
                    let columns = try db.query("PRAGMA table_info(\(table))").map { try $0.string("name") }
                    contents.tables[table] = (columns, try db.query("SELECT * FROM \(table)").map(\.values))
                }
                for row in try db.query("SELECT name, seq FROM sqlite_sequence") { contents.sequences[try row.string("name")] = try row.int64("seq") }
                return contents
            }
            await database.close()
        }

        private init() {}
    }

    private static func tables(_ db: StoreConnection) throws -> [String] {
        try db.query("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND name <> 'migrations'").map { try $0.string("name") }
    }

    /// The value of a column that a later change has replaced; nil for none, and an empty list where the row cannot have been there.
    private static func earlier(_ column: String, in table: String, _ row: [String: DatabaseValue], isBeforeForms: Bool) throws -> DatabaseValue? {
        switch (table, column) {
        case ("events", "event"):
            // From that change on they may be compressed.
            guard isBeforeForms, case .blob(let stored)? = row["event"] else { return nil }
            return .blob(try StoredEvent.text(of: stored))
        // Each had a message, whose number is elsewhere now.
        case ("deliveries", "message_id"): return row["message_id"] ?? .integer(0)
        case (_, "contact_id") where row["chat_type"] == .integer(ChatKey.Kind.contact.rawValue): return row["chat_id"]
        case (_, "note_folder_id") where row["chat_type"] == .integer(ChatKey.Kind.notes.rawValue): return row["chat_id"]
        case ("chat_item_days", "chat"):
            guard case .integer(let id)? = row["chat_id"] else { return nil }
            return .integer(row["chat_type"] == .integer(ChatKey.Kind.notes.rawValue) ? -id : id)
        default: return nil
        }
    }

    /// Whether a row can have been there before chats had one key.
    private static func isPossible(_ row: [String: DatabaseValue], columns: Set<String>) -> Bool {
        guard case .integer(let type)? = row["chat_type"], !columns.contains("chat_type") else { return true }
        return [ChatKey.Kind.contact.rawValue, ChatKey.Kind.notes.rawValue].contains(type)
    }

    /// Fills the tables that there are.
    /// - Returns: how many rows each table has.
    private static func fill(_ db: StoreConnection, with contents: Contents, isBeforeForms: Bool) throws -> [String: Int] {
        try db.execute("PRAGMA defer_foreign_keys = ON")
        // The rows contain the results of triggers.
        let triggers = try db.query("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'").map { (try $0.string("name"), try $0.string("sql")) }
        for (name, _) in triggers { try db.execute("DROP TRIGGER \(name)") }
        var counts: [String: Int] = [:]
        for table in try tables(db) {
            guard let found = contents.tables[table] else { continue }
            try db.execute("DELETE FROM \(table)")
            let info = try db.query("PRAGMA table_info(\(table))")
            let names = Set(try info.map { try $0.string("name") })
            for values in found.rows {
                let row = Dictionary(uniqueKeysWithValues: zip(found.columns, values))
                guard isPossible(row, columns: names) else { continue }
                var (columns, bound) = ([String](), [DatabaseValue]())
                for column in info {
                    let name = try column.string("name")
                    if let value = try earlier(name, in: table, row, isBeforeForms: isBeforeForms) ?? row[name] {
                        columns.append(name)
                        bound.append(value)
                    } else if try column.int64("notnull") != 0, column["dflt_value"] == .null {
                        columns.append(name)
                        let type = try column.string("type").uppercased()
                        bound.append(type == "TEXT" ? .text("") : type == "BLOB" ? .blob([]) : .integer(0))
                    }
                }
                try db.execute("INSERT INTO \(table) (\(columns.joined(separator: ", "))) VALUES (\(columns.map { _ in "?" }.joined(separator: ", ")))", arguments: bound)
            }
            counts[table] = Int(try db.first("SELECT count(*) FROM \(table)")?.int64(0) ?? 0)
        }
        for (table, seq) in contents.sequences { try db.execute("UPDATE sqlite_sequence SET seq = ? WHERE name = ?", seq, table) }
        for (_, text) in triggers { try db.execute(text) }
        return counts
    }

    private static func remove(_ path: String) { for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + suffix) } }

    /// Makes a database of the first changes alone.
    private static func make(_ path: String, _ key: DatabaseKey, _ migrations: [Migration], _ contents: Contents, isBeforeForms: Bool = false) async throws -> [String: Int] {
        remove(path)
        let database = try await Database.open(at: path, key: key, migrations: migrations, readers: 1)
        let counts: [String: Int]
        do { counts = try await database.write { db in try fill(db, with: contents, isBeforeForms: isBeforeForms) } } catch {
            await database.close()
            throw error
        }
        await database.close()
        return counts
    }

    private static let key = World.key(of: "alice")
    /// Tables with users' data, which must be kept.
    private static let kept = ["users", "contact_profiles", "contacts", "connections", "chat_items", "groups", "group_members", "chat_tags", "events", "note_folders", "addresses"]

    /// A store with a contact, messages of both, a group, a tag, an address and an invitation; and its peer.
    private func store(_ world: World) async throws -> (folder: String, texts: [String]) {
        let (alice, bob) = try await world.pair()
        var texts: [String] = []
        for index in 0..<6 {
            let (sender, receiver) = index.isMultiple(of: 2) ? (alice, bob) : (bob, alice)
            texts.append("text \(index)")
            _ = try await sender.run(#"/_send @1 live=off ttl=default json [{"msgContent":{"type":"text","text":"text \#(index)"},"mentions":{}}]"#)
            try await waitForText("text \(index)", receiver)
        }
        for command in [
            #"/_group 1 incognito=off {"displayName":"team","fullName":""}"#, #"/_create tag {"text":"friends"}"#, "/_tags @1 1", "/_address 1", "/_connect 1 incognito=off",
        ] {
            let answer = try await alice.run(command)
            #expect(answer.errorType == nil, "\(command): \(answer)")
        }
        for core in [alice, bob] { await core.controller.close() }
        return (world.directory.appending(path: "alice").path, texts)
    }

    @Test("A store of every earlier schema of the chat database opens, keeps its contents, and continues")
    func chats() async throws {
        let world = try await World()
        let (folder, texts) = try await store(world)
        let chat = folder + "/simplex_v1_chat.db"
        let contents = try await Contents(chat, Self.key, ChatSchema.migrations)
        let forms = try #require(ChatSchema.migrations.firstIndex { $0.name == JournalSchema.forms.name })
        for count in 1..<ChatSchema.migrations.count {
            let last = ChatSchema.migrations[count - 1].name
            let before: [String: Int]
            do { before = try await Self.make(chat, Self.key, Array(ChatSchema.migrations.prefix(count)), contents, isBeforeForms: count <= forms) } catch {
                Issue.record("\(last): the store cannot be made: \(error)")
                continue
            }
            do {
                let core = try await world.core("alice")
                let after = try await core.controller.store.read { db in
                    #expect(try db.query("PRAGMA foreign_key_check").isEmpty, "\(last)")
                    #expect(try db.first("PRAGMA integrity_check")?.string(0) == "ok", "\(last)")
                    return try Dictionary(uniqueKeysWithValues: Self.kept.compactMap { table in
                        try Self.tables(db).contains(table) ? (table, Int(try db.first("SELECT count(*) FROM \(table)")?.int64(0) ?? 0)) : nil
                    })
                }
                for table in Self.kept {
                    guard let count = before[table] else { continue }
                    // The start may emit some.
                    #expect(table == "events" ? after[table] ?? 0 >= count : after[table] == count, "\(last): \(table)")
                }
                // From the first schema with messages on.
                if before["chat_items"] ?? 0 > 0 {
                    let chat = try await core.run("/_get chat @1 count=100")
                    #expect(chat.itemTexts.filter { $0.hasPrefix("text ") } == texts, "\(last): \(chat)")
                }
                await core.controller.close()
            } catch {
                Issue.record("\(last): the store cannot be opened: \(error)")
            }
        }
    }

    @Test("A store of every earlier schema of the agent's database opens with its connections, and can talk")
    func agents() async throws {
        let world = try await World()
        let (folder, _) = try await store(world)
        let agent = folder + "/simplex_v1_agent.db"
        let contents = try await Contents(agent, Self.key, AgentSchema.migrations)
        let chat = try Data(contentsOf: URL(filePath: folder + "/simplex_v1_chat.db"))
        for count in (1..<AgentSchema.migrations.count).reversed() {
            let last = AgentSchema.migrations[count - 1].name
            do {
                let before = try await Self.make(agent, Self.key, Array(AgentSchema.migrations.prefix(count)), contents)
                try await Agent.migrate(databaseAt: agent, key: Self.key)
                let after = try await Contents(agent, Self.key, AgentSchema.migrations)
                for table in ["users", "connections", "rcv_queues", "snd_queues"] where before[table] != nil {
                    #expect(after.tables[table]?.rows.count == before[table] && before[table] ?? 0 > 0, "\(last): \(table)")
                }
            } catch {
                Issue.record("\(last): \(error)")
            }
        }
        // The last one that was made is of the first schema.
        try chat.write(to: URL(filePath: folder + "/simplex_v1_chat.db"))
        let (alice, bob) = (try await world.core("alice"), try await world.core("bob"))
        for (sender, receiver, text) in [(alice, bob, "text there"), (bob, alice, "text back")] {
            _ = try await sender.run(#"/_send @1 live=off ttl=default json [{"msgContent":{"type":"text","text":"\#(text)"},"mentions":{}}]"#)
            try await waitForText(text, receiver)
        }
        for core in [alice, bob] { await core.controller.close() }
    }

    @Test("A copy made before migration opens with the earlier schema, which refuses the migrated store unchanged")
    func back() async throws {
        let world = try await World()
        let (folder, texts) = try await store(world)
        let chat = folder + "/simplex_v1_chat.db"
        let contents = try await Contents(chat, Self.key, ChatSchema.migrations)
        let earlier = Array(ChatSchema.migrations.dropLast(3))
        let before = try await Self.make(chat, Self.key, earlier, contents)
        let copy = chat + ".copy"
        try FileManager.default.copyItem(atPath: chat, toPath: copy)
        // The new program, once.
        await (try await world.core("alice", started: false)).controller.close()
        let changed = try Data(contentsOf: URL(filePath: chat))
        let first = ChatSchema.migrations[earlier.count].name
        await #expect(throws: DatabaseError.newerSchema(migration: first)) { _ = try await Database.open(at: chat, key: Self.key, migrations: earlier, readers: 1) }
        #expect(try Data(contentsOf: URL(filePath: chat)) == changed)
        // The program of before, with the copy.
        let database = try await Database.open(at: copy, key: Self.key, migrations: earlier, readers: 1)
        let found = try await database.read { db in try db.query("SELECT item_text FROM chat_items WHERE item_text LIKE 'text %' ORDER BY chat_item_id").map { try $0.string(0) } }
        #expect(found == texts && before["chat_items"] ?? 0 >= texts.count)
        await database.close()
        Self.remove(copy)
    }
}
