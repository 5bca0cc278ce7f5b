internal import SQLCipher

/// The number of files with a path, and their total size in bytes. Triggers update both numbers when a path or a size
/// changes, so that no query has to read all files. No trigger for insertions is needed, since a new row has no path
/// yet. Imports insert rows with paths, and then call ``recountFiles(in:)``.
package enum FileTotals {
    /// The maximum size of a file in bytes.
    package static let maximumFileSize: Int64 = 5 << 30

    /// Counts all files again.
    package static func recountFiles(in db: StoreConnection) throws {
        try db.execute(
            """
            UPDATE file_totals SET files = (SELECT count(*) FROM files WHERE file_path IS NOT NULL),
              bytes = (SELECT coalesce(sum(\(cappedSizeExpression("file_size"))), 0) FROM files WHERE file_path IS NOT NULL)
            """,
            []
        )
    }

    /// Returns an SQL expression for the size of a file. The size is limited, since a peer has sent it.
    package static func cappedSizeExpression(_ column: String) -> String {
        "min(max(\(column), 0), \(maximumFileSize))"
    }
}
