internal import ChatAPI
internal import ChatStore
internal import SQLCipher

/// The stored description of a file on file servers. Its text consists of the parts that were received so far.
struct FileDescriptionRecord: Sendable {
    let descriptionId: Int64
    var text: String
    var partNo: Int64
    var isComplete: Bool

    static func find(_ id: Int64, in db: StoreConnection) throws -> FileDescriptionRecord? {
        try db.queryFirst(
            "SELECT descr_id, descr_text, part_no, is_complete FROM file_descriptions WHERE descr_id = ?",
            [id]
        ).map { row in
            FileDescriptionRecord(
                descriptionId: try row.int64("descr_id"),
                text: try row.string("descr_text"),
                partNo: try row.readCount("part_no"),
                isComplete: try row.bool("is_complete")
            )
        }
    }

    static func create(
        _ text: String,
        partNo: Int64,
        isComplete: Bool,
        of fileId: Int64,
        _ tx: Transaction
    ) throws -> FileDescriptionRecord {
        try tx.db.insert(
            into: "file_descriptions",
            ["file_id": fileId, "descr_text": text, "part_no": partNo, "is_complete": isComplete]
        )
        return FileDescriptionRecord(
            descriptionId: tx.db.lastInsertRowID,
            text: text,
            partNo: partNo,
            isComplete: isComplete
        )
    }

    func store(_ tx: Transaction) throws {
        try tx.db.update(
            "file_descriptions",
            or: .fail,
            set: ["descr_text": text, "part_no": partNo, "is_complete": isComplete],
            where: ["descr_id": descriptionId]
        )
    }

    var api: RcvFileDescr {
        RcvFileDescr(
            fileDescrId: descriptionId,
            fileDescrText: text,
            fileDescrPartNo: Int(clamping: partNo),
            fileDescrComplete: isComplete
        )
    }
}
