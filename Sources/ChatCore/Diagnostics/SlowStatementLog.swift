internal import Logging
internal import SQLCipher

extension Logger {
    /// The shortest duration of a statement in the log, in microseconds: one second.
    private static let minLoggedMicroseconds: Int64 = 1_000_000
    /// Maximal number of characters of a statement in the log.
    private static let maxStatementLength = 300

    /// Writes a warning for each statement of a database that takes a second or more. The warning does not contain the
    /// arguments of the statement.
    func reportSlowStatements(of statements: SlowStatements, database: String) {
        statements.setReportFunction { text, microseconds in
            guard microseconds >= Self.minLoggedMicroseconds else { return }
            let words = text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
            warning(
                "a statement of the database was slow",
                metadata: [
                    "database": "\(database)", "milliseconds": "\(microseconds / 1_000)",
                    "statement": "\(words.prefix(Self.maxStatementLength))",
                ]
            )
        }
    }
}
