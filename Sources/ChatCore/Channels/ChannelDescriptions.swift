internal import ChatAPI
internal import SQLCipher

/// Descriptions of files as relays pass them on, each in its parts: the first relay that has passed on all of them counts. An owner may have described the
/// file to each relay in other words, and a relay may keep parts back.
enum ChannelDescriptions {
    static let schema = """
        CREATE TABLE channel_descriptions (
          file_id INTEGER NOT NULL REFERENCES files ON DELETE CASCADE,
          -- the relay
          group_member_id INTEGER NOT NULL,
          part_no INTEGER NOT NULL,
          descr_text TEXT NOT NULL,
          PRIMARY KEY (file_id, group_member_id)
        ) WITHOUT ROWID;
        """

    /// The next part from a relay. It may begin again: what was sent before comes once more with the history.
    /// - Returns: the description when it is complete now; nil when it was before, or is not yet.
    /// - Throws: `rcvFileInvalidDescrPart`
    static func add(_ part: FileDescr, to file: FileRecord, from relay: Int64, _ tx: Transaction) throws -> FileDescriptionRecord? {
        guard var description = try file.description(tx.db) else { throw ChatFailure(StoreError.rcvFileInvalidDescrPart) }
        guard !description.isComplete else { return nil }
        let known = try tx.db.first(
            "SELECT part_no, descr_text FROM channel_descriptions WHERE file_id = ? AND group_member_id = ?", [file.fileId, relay])
        let number = Int64(part.fileDescrPartNo)
        let before = number == 1 ? nil : known
        guard try number == (before?.count("part_no") ?? 0) + 1, number <= ReceivedFiles.partLimit else {
            throw ChatFailure(StoreError.rcvFileInvalidDescrPart)
        }
        let text = try (before?.string("descr_text") ?? "") + part.fileDescrText
        guard text.utf8.count <= ReceivedFiles.textLimit else { throw ChatFailure(StoreError.rcvFileInvalidDescrPart) }
        guard part.fileDescrComplete else {
            try tx.db.execute("INSERT OR REPLACE INTO channel_descriptions VALUES (?, ?, ?, ?)", [file.fileId, relay, number, text])
            return nil
        }
        (description.text, description.partNo, description.isComplete) = (text, number, true)
        try description.store(tx)
        try tx.db.execute("DELETE FROM channel_descriptions WHERE file_id = ?", [file.fileId])
        return description
    }
}
