/// Removes the word `STRICT` from SQL statements, because an old SQLite library does not know this word.
package enum StrictTables {
    /// Returns the statement that creates a table without the word STRICT at its end; nil if it does not end with this
    /// word.
    package static func removeStrictKeyword(_ sql: String) -> String? {
        var text = sql[...]
        func trim() { while let last = text.last, last.isWhitespace { text.removeLast() } }
        trim()
        guard text.suffix(6).uppercased() == "STRICT" else { return nil }
        text.removeLast(6)
        trim()
        if text.last == "," { text.removeLast() }
        return String(text)
    }
}
