package import SimpleXCrypto
package import SQLCipher

/// A database file that another program may have written. A process without rights reads the file, and its rows are
/// copied into a database that this program has created.
package struct ForeignDatabase: Sendable {
    let path: String
    let key: KeyMaterial
    let program: ReaderProgram

    package init(_ path: String, key: KeyMaterial, program: ReaderProgram) {
        self.path = path
        self.key = key
        self.program = program
    }

    /// The tables to read from a foreign database, with the allowed values of their columns.
    struct ReadingPlan {
        let tables: [(name: String, columns: [ColumnFacts])]
        /// The names of tables and triggers that are not reported as unread contents (`knownNames`), and the tables
        /// with AUTOINCREMENT (`autoincrementTables`).
        let knownNames: Set<String>
        let autoincrementTables: Set<String>

        init(_ filling: DatabaseFilling, _ rules: DatabaseRules) throws {
            let db = filling.connection
            var tables: [(String, [ColumnFacts])] = [], counted: Set<String> = []
            var known = Set(filling.triggerNames.map { "trigger \($0)" })
            for row in try db.query("SELECT name, coalesce(sql, '') AS sql FROM sqlite_master WHERE type = 'table'") {
                let name = try row.string("name")
                known.insert("table \(name)")
                guard name != "migrations", name != "sqlite_sequence", !rules.isDerivedTable(name) else { continue }
                tables.append((name, try ColumnFacts.readColumns(name, db, rules)))
                if try row.string("sql").uppercased().contains("AUTOINCREMENT") { counted.insert(name) }
            }
            (self.tables, self.knownNames, self.autoincrementTables) = (tables, known, counted)
        }
    }

    /// Returns the names of the migrations in the database, and whether its table of migrations has a column
    /// `applied_at`, as in this program's databases.
    /// - Throws: ``ForeignDataError``.
    package func readMigrations(
        onStart: (@escaping @Sendable () -> Void) -> Void = { _ in }
    ) throws -> (names: Set<String>, hasAppliedAtColumn: Bool) {
        let table = ForeignTable("migrations", ["name", "applied_at"])
        var rows = try ForeignRows(path, key: key, [table], program: program)
        onStart(rows.cancelFunction)
        var names: Set<String> = [], hasAppliedAtColumn = false
        while let item = try rows.readNextItem() {
            switch item {
            case .otherObject: break
            case .table(_, let columns):
                guard let columns, columns.first == 0 else {
                    throw ForeignDataError.missingPart(
                        "the table migrations: it is not a database of this program or of an app"
                    )
                }
                hasAppliedAtColumn = columns == [0, 1]
            case .row(let values):
                guard case .text(let name)? = values.first, name.count <= 100 else {
                    throw ForeignDataError.badValue(column: "migrations.name", reason: "is not a name")
                }
                names.insert(String(decoding: name, as: UTF8.self))
                guard names.count <= 10_000 else { throw ForeignDataError.tooLarge("its list of migrations") }
            }
        }
        return (names, hasAppliedAtColumn)
    }

    /// Fills a new database with the rows of this database. Blocks the thread.
    /// - Parameter onStart: receives a closure that ends the reading and the filling from another thread.
    /// - Returns: the contents that were not read: triggers, views, unknown tables.
    /// - Throws: ``ForeignDataError``, and `DatabaseError` when rows contradict each other.
    package func fillDatabase(
        _ filling: DatabaseFilling,
        _ rules: DatabaseRules,
        onStart: (@escaping @Sendable () -> Void) -> Void = { _ in }
    ) throws -> [String] {
        let db = filling.connection
        let plan = try ReadingPlan(filling, rules)
        // Removes rows that a new database contains from the start.
        for table in plan.tables { try db.execute("DELETE FROM \(table.name)") }
        var wanted = plan.tables.map { ForeignTable($0.name, $0.columns.map(\.name)) }
        wanted.append(ForeignTable("sqlite_sequence", ["name", "seq"]))
        var rows = try ForeignRows(path, key: key, wanted, program: program)
        onStart { [cancel = rows.cancelFunction, end = filling.interruptStatements] in
            cancel()
            end()
        }
        var others: [String] = [], counts: [String: Int64] = [:]
        var table = 0, columns: [ColumnFacts] = [], insert = "", left = Int.max
        while let item = try rows.readNextItem() {
            switch item {
            case .otherObject(let name): if !plan.knownNames.contains(name) { others.append(name) }
            case .table(let number, let present):
                table = number
                guard number < plan.tables.count else { break }
                columns = try Self.selectPresentColumns(of: plan.tables[number], present, rules)
                insert = Self.makeInsertStatement(into: plan.tables[number].name, columns)
                left = rules.maxRows[plan.tables[number].name] ?? .max
            case .row(let values):
                if table < plan.tables.count {
                    let name = plan.tables[table].name
                    guard let checked = try Self.checkValues(values, columns, in: name, rules) else { break }
                    guard left > 0 else { throw ForeignDataError.tooLarge("the table \(name)") }
                    left -= 1
                    try db.execute(insert, arguments: checked)
                } else if values.count == 2, case .text(let name) = values[0], case .integer(let last) = values[1] {
                    let name = String(decoding: name, as: UTF8.self)
                    if plan.autoincrementTables.contains(name) { counts[name] = max(counts[name] ?? 0, last) }
                }
            }
        }
        try Self.setCounters(of: plan.autoincrementTables, counts, db)
        return others
    }

    /// Checks the values of a row. Returns nil for a row that is left out.
    private static func checkValues(
        _ values: [ForeignValue],
        _ columns: [ColumnFacts],
        in table: String,
        _ rules: DatabaseRules
    ) throws(ForeignDataError) -> [(any DatabaseBindable)?]? {
        guard values.reduce(0, { $0 + $1.byteCount }) <= rules.maxRowBytes else { throw .tooLarge("a row of \(table)") }
        var checked: [(any DatabaseBindable)?] = []
        checked.reserveCapacity(values.count)
        for (column, value) in zip(columns, values) {
            do throws(ForeignDataError) { checked.append(try column.convertAndCheck(value, in: table)) } catch {
                guard case .badValue(_, ColumnFacts.missingReason) = error, rules.tablesWithOptionalRows.contains(table)
                else {
                    throw error
                }
                return nil
            }
        }
        return checked
    }

    private static func selectPresentColumns(
        of table: (name: String, columns: [ColumnFacts]),
        _ present: [Int]?,
        _ rules: DatabaseRules
    ) throws(ForeignDataError) -> [ColumnFacts] {
        guard let present else {
            guard rules.mayLackColumns else { throw .missingPart("the table \(table.name)") }
            return []
        }
        if !rules.mayLackColumns, let missing = table.columns.indices.first(where: { !present.contains($0) }) {
            throw .missingPart("\(table.name).\(table.columns[missing].name)")
        }
        return present.map { table.columns[$0] }
    }

    private static func makeInsertStatement(into table: String, _ columns: [ColumnFacts]) -> String {
        let names = columns.map { "\"\($0.name)\"" }.joined(separator: ", ")
        let marks = columns.map { _ in "?" }.joined(separator: ", ")
        return "INSERT INTO \(table) (\(names)) VALUES (\(marks))"
    }

    /// Sets the counters of AUTOINCREMENT so that numbers of deleted rows are not used again. A counter is the greatest
    /// number of the inserted rows, or the counter in the foreign file if that is greater. The counter in the foreign
    /// file is limited to ``maxCounter``.
    private static func setCounters(of tables: Set<String>, _ foreign: [String: Int64], _ db: DatabaseConnection) throws
    {
        try db.execute("DELETE FROM sqlite_sequence")
        for table in tables.sorted() {
            let last = try db.firstRow("SELECT coalesce(max(rowid), 0) AS last FROM \(table)")?.int64("last") ?? 0
            let sane = min(max(foreign[table] ?? 0, 0), maxCounter)
            guard max(last, sane) > 0 else { continue }
            try db.insert(into: "sqlite_sequence", ["name": table, "seq": max(last, sane)])
        }
    }

    /// Maximal counter that is accepted from the foreign file. Later a counter may grow to twice this number, so enough
    /// numbers are left for new rows.
    static let maxCounter: Int64 = 1 << 49
}
