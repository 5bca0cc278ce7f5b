internal import SQLCipher

/// The number of files, and their bytes. Triggers update them, so that no query has to read all files.
enum FileTotals {
    static let migration = Migration(
        name: "20261125_file_totals",
        up: """
            CREATE TABLE file_totals (files INTEGER NOT NULL, bytes INTEGER NOT NULL);
            INSERT INTO file_totals SELECT count(*), coalesce(sum(\(bytes("file_size"))), 0) FROM files WHERE file_path IS NOT NULL;
            CREATE TRIGGER file_totals_insert AFTER INSERT ON files WHEN NEW.file_path IS NOT NULL BEGIN
              UPDATE file_totals SET files = files + 1, bytes = bytes + \(bytes("NEW.file_size"));
            END;
            CREATE TRIGGER file_totals_delete AFTER DELETE ON files WHEN OLD.file_path IS NOT NULL BEGIN
              UPDATE file_totals SET files = files - 1, bytes = bytes - \(bytes("OLD.file_size"));
            END;
            CREATE TRIGGER file_totals_update AFTER UPDATE OF file_path, file_size ON files
            WHEN (OLD.file_path IS NULL) <> (NEW.file_path IS NULL) OR OLD.file_size <> NEW.file_size BEGIN
              UPDATE file_totals SET
                files = files + (NEW.file_path IS NOT NULL) - (OLD.file_path IS NOT NULL),
                bytes = bytes + CASE WHEN NEW.file_path IS NULL THEN 0 ELSE \(bytes("NEW.file_size")) END
                  - CASE WHEN OLD.file_path IS NULL THEN 0 ELSE \(bytes("OLD.file_size")) END;
            END;
            """)

    /// Counts all files again.
    static func count(in db: StoreConnection) throws {
        try db.execute(
            """
            UPDATE file_totals SET files = (SELECT count(*) FROM files WHERE file_path IS NOT NULL),
              bytes = (SELECT coalesce(sum(\(bytes("file_size"))), 0) FROM files WHERE file_path IS NOT NULL)
            """, [])
    }

    /// The size of a file within its limits, since a peer has sent it.
    private static func bytes(_ column: String) -> String { "min(max(\(column), 0), \(FileRecord.hardLimit))" }
}
