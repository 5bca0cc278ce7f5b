/// Tables and indices of a database, in a short notation, and the statements that create them.
///
/// A line without indentation names a table: `users`, or `servers without rowid`. The indented lines after it are its
/// columns, keys, references and indices:
///
///     name type [key [autoincrement]] [required] [checked] [unique] [= default] [-> reference]
///     + key (columns)
///     + unique (columns)
///     + (columns) -> reference
///     [unique] index name (columns) [where condition]
///
/// A reference is `table [(columns)] [delete action] [update action] [deferred]`. A `required` column is NOT NULL. A
/// `checked` column has a CHECK with the same effect: SQLite can add a column with a CHECK to a table that has rows.
///
/// An unknown word is copied into the statement, so that SQLite refuses the statement.
package struct SchemaNotation: Sendable {
    /// Statements that create the tables as STRICT tables.
    package private(set) var tables: [String] = []
    /// Statements that create the indices.
    package private(set) var indices: [String] = []

    package init(_ notation: String) {
        var table: (heading: Substring, parts: [String])?
        for line in notation.split(separator: "\n") {
            guard line.hasPrefix(" ") else {
                if let table { tables.append(Self.makeTableSQL(table.heading, table.parts)) }
                table = (line, [])
                continue
            }
            let fact = line.drop { $0 == " " }
            if let index = Self.makeIndexSQL(fact, of: table?.heading ?? "") {
                indices.append(index)
            } else {
                table?.parts.append(Self.makePartSQL(fact))
            }
        }
        if let table { tables.append(Self.makeTableSQL(table.heading, table.parts)) }
    }

    private static func makeTableSQL(_ heading: Substring, _ parts: [String]) -> String {
        let options = heading.hasSuffix(" without rowid") ? "WITHOUT ROWID, STRICT" : "STRICT"
        return "CREATE TABLE \(parseTableName(heading)) (\n  \(parts.joined(separator: ",\n  "))\n) \(options)"
    }

    private static func parseTableName(_ heading: Substring) -> Substring { heading.prefix { $0 != " " } }

    private static func makeIndexSQL(_ fact: Substring, of heading: Substring) -> String? {
        let isUnique = fact.hasPrefix("unique index ")
        guard isUnique || fact.hasPrefix("index "), let columns = fact.firstIndex(of: "(") else { return nil }
        let words = fact[..<columns].split(separator: " ")
        return
            "CREATE \(isUnique ? "UNIQUE " : "")INDEX \(words.last ?? "") ON \(parseTableName(heading)) \(fact[columns...])"
    }

    /// Converts a line for a column, key or reference to SQL for a CREATE TABLE statement.
    private static func makePartSQL(_ fact: Substring) -> String {
        let parts = fact.split(separator: " -> ", maxSplits: 1)
        let reference = parts.count > 1 ? " " + Self.makeReferenceSQL(parts[1]) : ""
        let definition = parts.first ?? fact
        guard definition.hasPrefix("+ ") else { return makeColumnSQL(definition) + reference }
        let rest = definition.dropFirst(2)
        if rest.hasPrefix("(") { return "FOREIGN KEY \(rest)\(reference)" }
        return rest.hasPrefix("key ") ? "PRIMARY \(rest)" : String(rest)
    }

    private static func makeColumnSQL(_ definition: Substring) -> String {
        let parts = definition.split(separator: " = ", maxSplits: 1)
        let words = (parts.first ?? definition).split(separator: " ")
        let name = words.first ?? ""
        var sql =
            name
            + words.dropFirst().map { word in
                switch word {
                case "key": " PRIMARY KEY"
                case "required": " NOT NULL"
                case "checked": " CHECK (\(name) NOT NULL)"
                default: " \(word.uppercased())"
                }
            }.joined()
        if parts.count > 1 { sql += parts[1].contains("(") ? " DEFAULT (\(parts[1]))" : " DEFAULT \(parts[1])" }
        return String(sql)
    }

    private static func makeReferenceSQL(_ fact: Substring) -> String {
        "REFERENCES "
            + fact.replacing(" delete ", with: " ON DELETE ").replacing(" update ", with: " ON UPDATE ")
            .replacing(" deferred", with: " DEFERRABLE INITIALLY DEFERRED")
    }
}
