internal import ChatAPI
internal import ChatStore
internal import SQLCipher

/// Converts a file to types of the API, for events and answers about transfers.
extension FileRecord {
    /// This sent file in the form of the API.
    var apiMeta: FileTransferMeta {
        FileTransferMeta(
            fileId: fileId,
            xftpSndFile: agentFileId.map {
                XFTPSndFile(
                    agentSndFileId: BytesText.base64URL($0),
                    privateSndFileDescr: senderDescription,
                    agentSndFileDeleted: false,
                    cryptoArgs: cryptoArgs
                )
            },
            xftpRedirectFor: redirectedFileId,
            fileName: name,
            filePath: path?.text ?? (redirectedFileId == nil ? "" : name),
            fileSize: size,
            chunkSize: chunkSize,
            cancelled: isCancelled
        )
    }

    /// Returns the recipients of this sent file in the form of the API.
    func apiRecipients(_ db: StoreConnection) throws -> [SndFileTransfer] {
        try db.query(
            """
            SELECT s.connection_id, s.group_member_id, s.file_status, s.descr_id, cn.agent_conn_id,
              coalesce(m.local_display_name, c.local_display_name, '') AS name
            FROM snd_files s JOIN connections cn ON cn.connection_id = s.connection_id
            LEFT JOIN contacts c ON c.user_id = cn.user_id AND c.contact_id = cn.contact_id
            LEFT JOIN group_members m ON m.user_id = cn.user_id AND m.group_member_id = s.group_member_id
            WHERE s.file_id = ? ORDER BY s.snd_file_id
            """,
            [fileId]
        ).map { row in
            SndFileTransfer(
                fileId: fileId,
                fileName: name,
                filePath: path?.text ?? "",
                fileSize: size,
                chunkSize: chunkSize,
                recipientDisplayName: try row.string("name"),
                connId: try row.int64("connection_id"),
                agentConnId: BytesText.base64URL(try row.string("agent_conn_id")),
                groupMemberId: try row.int64OrNil("group_member_id"),
                fileStatus: FileStatus(rawValue: try row.string("file_status")),
                fileDescrId: try row.int64OrNil("descr_id")
            )
        }
    }

    /// Returns this received file in the form of the API.
    func apiReceivedTransfer(_ db: StoreConnection) throws -> RcvFileTransfer {
        // A file without an item comes from a link, and the link contains its description.
        let descr = itemId == nil ? nil : try findDescription(db)
        return RcvFileTransfer(
            fileId: fileId,
            xftpRcvFile: descr.map {
                XFTPRcvFile(
                    rcvFileDescription: $0.api,
                    agentRcvFileId: agentFileId.map { BytesText.base64URL($0) },
                    agentRcvFileDeleted: false,
                    userApprovedRelays: approvesRelays
                )
            },
            fileInvitation: FileInvitation(fileName: name, fileSize: size, fileInline: inlineMode),
            fileStatus: apiTransferStatus,
            fileType: .normal,
            rcvFileInline: receivingStatus == .new ? nil : inlineMode,
            senderDisplayName: try findSenderName(db),
            chunkSize: chunkSize,
            cancelled: isCancelled,
            grpMemberId: memberId,
            cryptoArgs: cryptoArgs
        )
    }

    private var apiTransferStatus: RcvFileStatus {
        switch (receivingStatus, path?.text) {
        case (.accepted, let path?): .accepted(filePath: path)
        case (.connected, let path?): .connected(filePath: path)
        case (.complete, let path?): .complete(filePath: path)
        case (.cancelled, let path): .cancelled(filePath_: path)
        default: .new
        }
    }

    /// Returns the name of the contact, member or group that sends the file. Returns an empty text for a file without a
    /// message.
    private func findSenderName(_ db: StoreConnection) throws -> String {
        try db.queryFirst(
            """
            SELECT coalesce(m.local_display_name, c.local_display_name, g.local_display_name) AS name FROM chat_items i
            LEFT JOIN group_members m ON m.user_id = i.user_id AND m.group_member_id = i.author_member_id
            LEFT JOIN contacts c ON c.user_id = i.user_id AND i.chat_type = \(ChatKey.Kind.contact.rawValue) AND c.contact_id = i.chat_id
            LEFT JOIN groups g ON g.user_id = i.user_id AND g.group_id = coalesce(i.support_group_id, i.chat_id)
              AND i.chat_type IN (\(ChatKey.Kind.group.rawValue), \(ChatKey.Kind.support.rawValue))
            WHERE i.chat_item_id = ?
            """,
            [itemId]
        )?.stringOrNil("name") ?? ""
    }
}
