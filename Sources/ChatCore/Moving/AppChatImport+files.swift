internal import Agent
internal import ChatAPI
internal import ChatStore
internal import ChatText
internal import Files
internal import JSON
internal import SimpleXCrypto
internal import SQLCipher

extension AppChatImport {
    mutating func importFiles() throws {
        var taken = 0, left = 0, unsent = 0, unreceived = 0
        try app.forEach("files", by: "file_id") { row in
            guard (row.text("file_type") ?? "normal") == "normal", let id = row.int("file_id"),
                let user = row.int("user_id")
            else { return }
            let item = row.int("chat_item_id")
            guard try item == nil || db.queryFirst("SELECT 1 FROM chat_items WHERE chat_item_id = ?", [item]) != nil
            else {
                left += 1
                return
            }
            let received = try app.query("SELECT * FROM rcv_files WHERE file_id = ?", id).first
            let isLocal = row.text("protocol") == "local",
                stored = row.text("ci_file_status") ?? (received == nil ? "snd_complete" : "rcv_complete")
            let status = CIFileStatus(app: stored, isLocal: isLocal)
            if status == .sndCancelled, !stored.hasPrefix("snd_cancelled") { unsent += 1 }
            if status == .rcvInvitation, !stored.hasPrefix("rcv_invitation") { unreceived += 1 }
            let isHere = status.hasLocalContents, created = row.readNanoseconds("created_at") ?? now.nanoseconds
            let path = isHere ? row.text("file_path").flatMap { Self.fileName($0) } : nil
            let recipients =
                try app.query("SELECT count(*) AS n FROM snd_files WHERE file_id = ?", id).first?.int("n") ?? 0
            let transfer =
                received == nil
                ? "new" : status == .rcvComplete ? "complete" : status == .rcvCancelled ? "cancelled" : "new"
            try db.insert(
                into: "files",
                [
                    "file_id": id, "user_id": user, "chat_item_id": item, "is_sent": received == nil,
                    "protocol": row.text("protocol") ?? "xftp",
                    "file_name": FileName.safeName(row.text("file_name") ?? ""), "file_size": row.int("file_size") ?? 0,
                    "chunk_size": row.int("chunk_size") ?? FileRecord.chunkSize, "file_path": path,
                    "file_key": path == nil ? nil : row.blob("file_crypto_key").map { Base64URL.encode($0) },
                    "file_nonce": path == nil ? nil : row.blob("file_crypto_nonce").map { Base64URL.encode($0) },
                    "item_status": try StoredJSON.encode(status),
                    "cancelled": row.flag("cancelled") || status == .sndCancelled,
                    "agent_file_id":
                        received == nil ? row.text("agent_snd_file_id").flatMap { FileID(text: $0)?.text } : nil,
                    "agent_done": true, "recipients": recipients, "sender_descr": row.text("private_snd_file_descr"),
                    "transfer_status": transfer,
                    "group_member_id": try received?.int("group_member_id").flatMap { try hasMember($0) ? $0 : nil },
                    "created_at": created, "updated_at": row.readNanoseconds("updated_at") ?? created,
                ]
            )
            if let item { try db.update("chat_items", set: ["file_id": id], where: ["chat_item_id": item]) }
            if let received { try importDescription(received.int("file_descr_id"), of: id) }
            taken += 1
        }
        // The triggers of the database do not count files that are inserted with a path. So all files are counted now.
        try FileTotals.recountFiles(in: db)
        counts.countMoved("files", taken)
        counts.countOmitted("files of items that were left behind", left)
        counts.countOmitted("files that were being sent", unsent)
        counts.countOmitted("files that were being received (they can be asked for again)", unreceived)
    }

    /// Imports the description with which a file can be received.
    private func importDescription(_ number: Int64?, of file: Int64) throws {
        guard let number,
            let row = try app.query("SELECT * FROM xftp_file_descriptions WHERE file_descr_id = ?", number).first
        else { return }
        try db.insert(
            into: "file_descriptions",
            [
                "file_id": file, "descr_text": row.text("file_descr_text") ?? "",
                "part_no": row.int("file_descr_part_no") ?? 0, "is_complete": row.flag("file_descr_complete"),
            ]
        )
        try db.update("files", set: ["descr_id": db.lastInsertRowID], where: ["file_id": file])
    }

    /// Returns the name of the file at a path, without its folder, since this program has another folder for files.
    /// Returns nil if the path does not end with a name.
    private static func fileName(_ path: String) -> String? {
        guard let name = path.split(separator: "/").last.map(String.init), name != ".", name != ".." else { return nil }
        return name
    }
}
