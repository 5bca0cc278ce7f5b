internal import ChatAPI
internal import ChatMoving
internal import ChatStore
internal import SimpleXCrypto
internal import SQLCipher

extension AppChatExport {
    mutating func exportFiles() throws {
        var given = 0, unsent = 0, unreceived = 0
        try forEachRow("files", by: "file_id") { row in
            let file = try FileRecord(row)
            guard file.redirectedFileId == nil else { return }
            let created = try Self.timeText(row, "created_at"), updated = try Self.timeText(row, "updated_at")
            let item = try findItem(of: file)
            let place = try item.map { try makeChatColumns($0, file.userId) } ?? []
            let isLocal = file.transport.rawValue == "local"
            var status = file.status
            switch status {
            case .sndStored where !isLocal, .sndTransfer, .sndWarning: (status, unsent) = (.sndCancelled, unsent + 1)
            case .rcvAccepted, .rcvTransfer, .rcvWarning: (status, unreceived) = (.rcvInvitation, unreceived + 1)
            default: break
            }
            try appDatabase.insert(
                into: "files",
                columns: place + [
                    ("file_id", file.fileId), ("file_name", file.name),
                    ("file_path", status.hasLocalContents ? (file.path?.text).map(Self.fileName) : nil),
                    ("file_size", file.size),
                    ("chunk_size", file.chunkSize), ("created_at", created), ("user_id", file.userId),
                    ("chat_item_id", item == nil ? nil : file.itemId),
                    ("updated_at", updated), ("cancelled", file.isCancelled || status == .sndCancelled ? 1 : nil),
                    ("ci_file_status", status.appText),
                    ("agent_snd_file_id", file.isSent ? file.agentFileId.map { Array($0.utf8) } : nil),
                    ("private_snd_file_descr", file.senderDescription),
                    ("agent_snd_file_deleted", file.hasAgentFinished ? 1 : 0), ("protocol", file.transport.rawValue),
                    ("file_crypto_key", file.cryptoArgs.flatMap { try? Base64URL.decode($0.fileKey) }),
                    ("file_crypto_nonce", file.cryptoArgs.flatMap { try? Base64URL.decode($0.fileNonce) }),
                ]
            )
            given += 1
            guard !file.isSent else { return }
            try exportReceivedFile(file, status, created: created, updated: updated)
        }
        counts.countMoved("files", given)
        counts.countOmitted("files that were being sent", unsent)
        counts.countOmitted("files that were being received (they can be asked for again)", unreceived)
    }

    private func findItem(of file: FileRecord) throws -> Row? {
        try file.itemId.flatMap {
            try db.queryFirst(
                "SELECT user_id, chat_type, chat_id, support_group_id FROM chat_items WHERE chat_item_id = ?",
                [$0]
            )
        }
    }

    /// Returns the columns that store the chat of a file in the apps' database, with their values. The chat of a file
    /// is the chat of the item with the file.
    private func makeChatColumns(_ item: Row, _ user: Int64) throws -> [(String, Argument)] {
        switch try ChatKey(item) {
        case .contact(let id): [("contact_id", contactNumbers.assignedNumber(user, id))]
        case .group(let id): [("group_id", groupNumbers.assignedNumber(user, id))]
        case .notes: [("note_folder_id", user)]
        case .memberSupport, .supportChatReference:
            [
                (
                    "group_id",
                    try item.int64OrNil("support_group_id").flatMap { groupNumbers.assignedNumber(user, $0) }
                )
            ]
        }
    }

    /// Exports the properties that only received files have.
    private func exportReceivedFile(
        _ file: FileRecord,
        _ status: CIFileStatus,
        created: String?,
        updated: String?
    ) throws {
        let description = try exportDescription(of: file)
        let state = status == .rcvComplete ? "complete" : status == .rcvCancelled ? "cancelled" : "new"
        try appDatabase.insert(
            into: "rcv_files",
            [
                "file_id": file.fileId, "file_status": state,
                "group_member_id": file.memberId.flatMap { memberNumbers.assignedNumber(file.userId, $0) },
                "created_at": created,
                "updated_at": updated, "file_descr_id": description, "agent_rcv_file_deleted": 1,
            ]
        )
    }

    /// Exports the description with which a received file can be downloaded.
    /// - Returns: the number of the new row; nil for a file without a description.
    private func exportDescription(of file: FileRecord) throws -> Int64? {
        guard
            let text = try db.queryFirst(
                "SELECT * FROM file_descriptions WHERE file_id = ? ORDER BY is_complete DESC, part_no DESC LIMIT 1",
                [file.fileId]
            )
        else { return nil }
        try appDatabase.insert(
            into: "xftp_file_descriptions",
            [
                "user_id": file.userId, "file_descr_text": text["descr_text"],
                "file_descr_part_no": text["part_no"], "file_descr_complete": text["is_complete"],
            ]
        )
        return appDatabase.lastInsertRowID
    }

    private static func fileName(_ path: String) -> String { path.split(separator: "/").last.map(String.init) ?? path }
}
