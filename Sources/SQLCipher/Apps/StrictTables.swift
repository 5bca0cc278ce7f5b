/// `STRICT` is younger than the SQLite that this program may run on.
public enum StrictTables {
    /// The statement that makes a table, without the word STRICT at its end; nil when it does not have that word.
    public static func withoutStrict(_ sql: String) -> String? {
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
