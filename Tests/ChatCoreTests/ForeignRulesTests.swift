import Foundation
import SimpleXCrypto
import TestSupport
import Testing

@testable import Agent
@testable import ChatCore
@testable import ForeignData
@testable import SQLCipher

/// The rules of columns that come from databases of others.
@Suite struct ForeignRulesTests {
    /// Columns that can have any text: words of people, keys and links that are looked at when they are used, and words
    /// of which this program takes unknown ones too.
    private static let free: [String: Set<String>] = ["chat": [], "agent": []]

    /// The columns of a schema that are declared as texts, and are read from databases of others.
    private func texts(_ migrations: [Migration], _ rules: DatabaseRules) async throws -> [String] {
        let path = FileManager.default.temporaryDirectory.appending(path: "rules-\(UUID().uuidString).db").path
        defer { for part in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + part) } }
        let database = try await Database.open(at: path, key: .none, migrations: migrations)
        let names = try await database.read { db in
            try db.query(
                """
                SELECT name FROM sqlite_master
                WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND name <> 'migrations'
                """
            ).map { try $0.string(0) }
                .filter { !rules.isDerived($0) }
                .flatMap { table in
                    try db.query("PRAGMA table_info(\(table))").filter { try $0.string("type") == "TEXT" }.map {
                        "\(table).\(try $0.string("name"))"
                    }
                }
        }
        await database.close()
        return names
    }

    @Test("Each column of texts has a rule, or is known as one of any texts", arguments: ["chat", "agent"])
    func columns(database: String) async throws {
        let (migrations, rules) =
            database == "chat"
            ? (ChatSchema.migrations, ChatRules.rules(objects: "a")) : (AgentSchema.migrations, AgentRules.rules)
        let texts = try await texts(migrations, rules)
        let ruled = Set(
            texts.filter { name in
                let parts = name.split(separator: ".").map(String.init)
                return rules.rule(parts[0], parts[1]) != nil
            })
        #expect(Set(texts).subtracting(ruled).symmetricDifference(Self.free[database] ?? []).sorted() == [])
    }
}
