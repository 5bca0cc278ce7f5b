internal import ChatAPI
internal import ChatStore
internal import SQLCipher

/// File descriptions that relays forward in parts. The parts from each relay are collected separately, and the first
/// complete description is used. An owner may have sent a different description to each relay, and a relay may withhold
/// parts.
enum ForwardedFileDescriptions {
    /// Adds the next part from a relay. Part 1 begins a new description, because the history of the channel repeats
    /// earlier parts.
    /// - Returns: the description when this part completes it; nil when it is incomplete, or was complete before.
    /// - Throws: `rcvFileInvalidDescrPart`
    static func addPart(
        _ part: FileDescr,
        to file: FileRecord,
        from relay: Int64,
        _ tx: Transaction
    ) throws -> FileDescriptionRecord? {
        guard var description = try file.findDescription(tx.db) else {
            throw ChatFailure(StoreError.rcvFileInvalidDescrPart)
        }
        guard !description.isComplete else { return nil }
        let known = try tx.db.firstRow(
            """
            SELECT part_no, descr_text FROM channel_descriptions
            WHERE file_id = :file_id AND group_member_id = :group_member_id
            """,
            ["file_id": file.fileId, "group_member_id": relay]
        )
        let number = Int64(part.fileDescrPartNo)
        let before = number == 1 ? nil : known
        guard try number == (before?.readCount("part_no") ?? 0) + 1, number <= ReceivedFiles.maxDescriptionParts else {
            throw ChatFailure(StoreError.rcvFileInvalidDescrPart)
        }
        let text = try (before?.string("descr_text") ?? "") + part.fileDescrText
        guard text.utf8.count <= ReceivedFiles.maxDescriptionBytes else {
            throw ChatFailure(StoreError.rcvFileInvalidDescrPart)
        }
        guard part.fileDescrComplete else {
            try tx.db.insert(
                into: "channel_descriptions",
                or: .replace,
                [
                    "file_id": file.fileId, "group_member_id": relay, "part_no": number, "descr_text": text,
                ]
            )
            return nil
        }
        (description.text, description.partNo, description.isComplete) = (text, number, true)
        try description.store(tx)
        try tx.db.execute("DELETE FROM channel_descriptions WHERE file_id = ?", [file.fileId])
        return description
    }
}
