package import SimpleXCrypto

extension DatabaseFilling {
    /// Creates a database file whose tables accept rows of any version of the app: the tables have keys, but neither
    /// checks nor defaults. In a row of an older version, the columns that the older version lacks are null.
    /// - Parameters:
    ///   - tables: the statements that create the tables of the latest version.
    ///   - indicesAndTriggers: statements for triggers, and for the indices by which rows are found.
    package convenience init(at path: String, key: DatabaseKey, tables: [String], indicesAndTriggers: [String]) throws {
        try self.init(at: path, key: key) { db in
            for table in tables { try db.execute(StrictTables.removeStrictKeyword(table) ?? table) }
            let names = try db.query("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%'")
                .map { try $0.string("name") }
            let loose = try names.map { try db.makeLooseTableStatement($0) }
            for name in names { try db.execute("DROP TABLE \(name)") }
            for statement in loose + indicesAndTriggers { try db.execute(statement) }
        }
    }
}

extension DatabaseConnection {
    /// Returns the statement that creates a table with the columns and keys of an existing table, without its other
    /// constraints.
    fileprivate func makeLooseTableStatement(_ name: String) throws -> String {
        let columns = try query("PRAGMA table_info(\(name))")
        let key = try columns.filter { try $0.int64("pk") > 0 }.sorted { try $0.int64("pk") < $1.int64("pk") }.map {
            try $0.string("name")
        }
        var parts = try columns.map { "\(try $0.string("name")) \(try $0.string("type"))" }
        // The key is written as a constraint of the table. A primary key of one integer column still becomes an alias
        // of the row id.
        if !key.isEmpty { parts.append("PRIMARY KEY (\(key.joined(separator: ", ")))") }
        for index in try query("PRAGMA index_list(\(name))") where try index.string("origin") == "u" {
            let names = try query("PRAGMA index_info(\(index.string("name")))").map { try $0.string("name") }
            parts.append("UNIQUE (\(names.joined(separator: ", ")))")
        }
        for (_, rows) in Dictionary(grouping: try query("PRAGMA foreign_key_list(\(name))"), by: { $0["id"] }) {
            let targets = try rows.compactMap { try $0.stringOrNil("to") }
            parts.append(
                """
                FOREIGN KEY (\(try rows.map { try $0.string("from") }.joined(separator: ", "))) REFERENCES \(try rows.first?.string("table") ?? "")\
                \(targets.isEmpty ? "" : " (\(targets.joined(separator: ", ")))")
                """
            )
        }
        return "CREATE TABLE \(name) (\(parts.joined(separator: ", ")))"
    }
}
