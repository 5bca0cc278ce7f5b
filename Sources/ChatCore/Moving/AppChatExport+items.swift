internal import Agent
internal import ChatAPI
internal import ChatMoving
internal import ChatStore
internal import JSON
internal import SimpleXCrypto
internal import SQLCipher

extension AppChatExport {
    mutating func exportItems() throws {
        var given = 0
        try forEachRow("chat_items", by: "chat_item_id") { row in
            let user = try row.int64("user_id"), key = try ChatKey(row), id = try row.int64("chat_item_id")
            var place: [(String, Argument)] = []
            switch key {
            case .contact(let contact): place = [("contact_id", contactNumbers[user, contact])]
            case .group(let group): place = [("group_id", groupNumbers[user, group])]
            case .notes: place = [("note_folder_id", user)]
            case .memberSupport(let member), .supportChatReference(_, let member?):
                let group = try row.int64("support_group_id")
                let isOwn = memberships[AppRowIDs.Key(user: user, id: group)] == member
                place = [
                    ("group_id", groupNumbers[user, group]), ("group_scope_tag", "member_support"),
                    ("group_scope_group_member_id", isOwn ? nil : memberNumbers[user, member]),
                ]
            case .supportChatReference: return
            }
            let own = try row.string("item_content")
            let stored = unacceptedItemIds.contains(id) ? Self.reopenInvitation(own) : own
            let content = (try? JSONValue(parsing: stored, limits: .ownText)).flatMap(AppContent.appForm)
            let sent = try row.bool("item_sent")
            try appDB.insert(
                into: "chat_items",
                columns: place + makeQuoteColumns(row, user) + makeForwardingColumns(row, user) + [
                    ("chat_item_id", id), ("user_id", user),
                    (
                        "group_member_id",
                        try row.int64OrNil("author_member_id").flatMap { memberNumbers.assignedNumber(user, $0) }
                    ),
                    ("item_sent", sent),
                    ("item_ts", try Self.timeText(row, "item_ts")), ("item_deleted", row["item_deleted"]),
                    ("item_content", content?.text ?? stored),
                    ("item_text", row["item_text"]), ("created_at", try Self.timeText(row, "created_at")),
                    ("updated_at", try Self.timeText(row, "updated_at")),
                    ("item_status", ItemStatus(stored: try row.string("item_status")).api.appText),
                    ("shared_msg_id", row["shared_msg_id"]),
                    ("item_edited", row["item_edited"]), ("timed_ttl", row["timed_ttl"]),
                    ("timed_delete_at", try Self.timeText(row, "timed_delete_at")),
                    ("item_live", row["item_live"]),
                    (
                        "item_deleted_by_group_member_id",
                        try row.int64OrNil("item_deleted_by").flatMap { memberNumbers.assignedNumber(user, $0) }
                    ),
                    ("item_deleted_ts", try Self.timeText(row, "item_deleted_ts")),
                    (
                        "forwarded_by_group_member_id",
                        try row.int64OrNil("forwarded_by_member_id").flatMap { memberNumbers.assignedNumber(user, $0) }
                    ),
                    ("item_content_tag", content?.tag), ("via_proxy", row["via_proxy"]),
                    ("msg_content_tag", row["msg_content_tag"]),
                    ("user_mention", row["user_mention"]), ("show_group_as_sender", row["show_group_as_sender"]),
                    ("has_link", row["has_link"]),
                    ("msg_signed", try row.stringOrNil("msg_signed").map { $0 == "signedNoKey" ? "no_key" : $0 }),
                ]
            )
            if let group = key.groupNumber(groupNumbers, user, row) {
                for (name, member) in Mentions(stored: try row.stringOrNil("mentions")).memberIDs {
                    try appDB.insert(
                        into: "chat_item_mentions",
                        [
                            "group_id": group, "member_id": member.bytes, "chat_item_id": id, "display_name": name,
                        ]
                    )
                }
            }
            given += 1
        }
        counts.countMoved("items", given)
        try exportVersions()
        try exportReactions()
        for row in try db.query(
            "SELECT s.*, i.user_id FROM group_item_statuses s JOIN chat_items i USING (chat_item_id)",
            []
        ) {
            guard let member = memberNumbers.assignedNumber(try row.int64("user_id"), try row.int64("group_member_id"))
            else {
                continue
            }
            try appDB.insert(
                into: "group_snd_item_statuses",
                [
                    "chat_item_id": row["chat_item_id"], "group_member_id": member,
                    "group_snd_item_status": GroupSndStatus(stored: try row.string("status")).appText,
                    "via_proxy": row["via_proxy"],
                ]
            )
        }
    }

    private func makeQuoteColumns(_ row: Row, _ user: Int64) throws -> [(String, Argument)] {
        guard let quote = try StoredJSON.decodeIfPresent(CIQuote.self, row.stringOrNil("quoted_item")) else {
            return []
        }
        let author = try row.int64OrNil("quoted_member_id")
        var isSent: Bool?
        switch quote.chatDir {
        case .directSnd?, .groupSnd?, .localSnd?: isSent = true
        case .directRcv?, .groupRcv?, .localRcv?: isSent = false
        default: isSent = author.map { $0 == 0 }
        }
        let member = try author.flatMap { author in
            author == 0
                ? nil
                : try db.queryFirst(
                    "SELECT member_id FROM group_members WHERE user_id = ? AND group_member_id = ?",
                    [user, author]
                )?.blob("member_id")
        }
        return [
            ("quoted_shared_msg_id", row["quoted_shared_msg_id"]),
            ("quoted_sent_at", Timestamp(parsing: quote.sentAt)?.appText),
            ("quoted_content", try StoredJSON.encode(quote.content)), ("quoted_sent", isSent),
            ("quoted_member_id", member),
        ]
    }

    /// Returns the content of an accepted invitation with the status of an open one.
    private static func reopenInvitation(_ stored: String) -> String {
        guard var content = try? JSONValue(parsing: stored, limits: .ownText).objectValue,
            var invitation = content["groupInvitation"]?.objectValue, invitation["status"] == "accepted"
        else { return stored }
        invitation["status"] = "pending"
        content["groupInvitation"] = .object(invitation)
        return JSONValue.object(content).text
    }

    private func makeForwardingColumns(_ row: Row, _ user: Int64) throws -> [(String, Argument)] {
        guard let stored = try row.stringOrNil("item_forwarded") else { return [] }
        let (chat, item) = (try row.int64OrNil("forwarded_chat_id"), try row.int64OrNil("forwarded_item_id"))
        let known = try item.flatMap {
            try db.queryFirst("SELECT 1 FROM chat_items WHERE chat_item_id = ?", [$0]) == nil ? nil : $0
        }
        func origin(_ tag: String, _ name: String, _ direction: MsgDirection) -> [(String, Argument)] {
            [
                ("fwd_from_tag", tag), ("fwd_from_chat_name", name), ("fwd_from_msg_dir", direction == .snd),
                ("fwd_from_chat_item_id", known),
            ]
        }
        return switch try? StoredJSON.decode(CIForwardedFrom.self, stored) {
        case .contact(let name, let direction, _, _)?:
            origin("contact", name, direction) + [
                ("fwd_from_contact_id", chat.flatMap { contactNumbers.assignedNumber(user, $0) })
            ]
        case .group(let name, let direction, _, _)?:
            origin("group", name, direction) + [
                ("fwd_from_group_id", chat.flatMap { groupNumbers.assignedNumber(user, $0) })
            ]
        default: [("fwd_from_tag", "unknown")]
        }
    }

    private func exportVersions() throws {
        try forEachRow("chat_item_versions", by: "chat_item_version_id") { row in
            try appDB.insert(
                into: "chat_item_versions",
                [
                    "chat_item_version_id": row["chat_item_version_id"], "chat_item_id": row["chat_item_id"],
                    "msg_content": row["msg_content"], "item_version_ts": try Self.timeText(row, "item_version_ts"),
                    "created_at": try Self.timeText(row, "created_at"),
                ]
            )
        }
    }

    private mutating func exportReactions() throws {
        var given = 0
        try forEachRow("chat_item_reactions", by: "chat_item_reaction_id") { row in
            let user = try row.int64("user_id"), ts = try Self.timeText(row, "reaction_ts")
            var place: [(String, Argument)]
            switch try ChatKey(row) {
            case .contact(let id): place = [("contact_id", contactNumbers.assignedNumber(user, id))]
            case .group(let id):
                // The author of the user's own items is the membership of the user.
                let author = try row.int64("item_author_id"), reacting = try row.int64("author_member_id")
                let item = author == 0 ? memberships[AppRowIDs.Key(user: user, id: id)] ?? 0 : author
                let member = try db.queryFirst(
                    "SELECT member_id FROM group_members WHERE user_id = ? AND group_member_id = ?",
                    [user, item]
                )
                place = [
                    ("group_id", groupNumbers.assignedNumber(user, id)),
                    ("item_member_id", try member?.blob("member_id")),
                    ("group_member_id", reacting == 0 ? nil : memberNumbers.assignedNumber(user, reacting)),
                ]
            case .notes, .memberSupport, .supportChatReference: return
            }
            place += [
                ("shared_msg_id", row["shared_msg_id"]), ("reaction", row["reaction"]),
                ("reaction_sent", row["reaction_sent"]), ("reaction_ts", ts),
                ("created_at", ts), ("updated_at", ts),
            ]
            try appDB.insert(into: "chat_item_reactions", columns: place)
            given += 1
        }
        counts.countMoved("reactions", given)
    }

    // MARK: Files

    mutating func exportFiles() throws {
        var given = 0, unsent = 0, unreceived = 0
        try forEachRow("files", by: "file_id") { row in
            let file = try FileRecord(row)
            guard file.redirectedFileId == nil else { return }
            let created = try Self.timeText(row, "created_at"), updated = try Self.timeText(row, "updated_at")
            let item = try file.itemId.flatMap {
                try db.queryFirst(
                    "SELECT user_id, chat_type, chat_id, support_group_id FROM chat_items WHERE chat_item_id = ?",
                    [$0]
                )
            }
            var place: [(String, Argument)] = []
            if let item {
                switch try ChatKey(item) {
                case .contact(let id): place = [("contact_id", contactNumbers.assignedNumber(file.userId, id))]
                case .group(let id): place = [("group_id", groupNumbers.assignedNumber(file.userId, id))]
                case .notes: place = [("note_folder_id", file.userId)]
                case .memberSupport, .supportChatReference:
                    place = [
                        (
                            "group_id",
                            try item.int64OrNil("support_group_id").flatMap {
                                groupNumbers.assignedNumber(file.userId, $0)
                            }
                        )
                    ]
                }
            }
            let isLocal = file.transport.rawValue == "local"
            var status = file.status
            switch status {
            case .sndStored where !isLocal, .sndTransfer, .sndWarning: (status, unsent) = (.sndCancelled, unsent + 1)
            case .rcvAccepted, .rcvTransfer, .rcvWarning: (status, unreceived) = (.rcvInvitation, unreceived + 1)
            default: break
            }
            try appDB.insert(
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
            var description: Int64?
            if let text = try db.queryFirst(
                "SELECT * FROM file_descriptions WHERE file_id = ? ORDER BY is_complete DESC, part_no DESC LIMIT 1",
                [file.fileId]
            ) {
                try appDB.insert(
                    into: "xftp_file_descriptions",
                    [
                        "user_id": file.userId, "file_descr_text": text["descr_text"],
                        "file_descr_part_no": text["part_no"], "file_descr_complete": text["is_complete"],
                    ]
                )
                description = appDB.lastInsertRowID
            }
            let state = status == .rcvComplete ? "complete" : status == .rcvCancelled ? "cancelled" : "new"
            try appDB.insert(
                into: "rcv_files",
                [
                    "file_id": file.fileId, "file_status": state,
                    "group_member_id": file.memberId.flatMap { memberNumbers.assignedNumber(file.userId, $0) },
                    "created_at": created,
                    "updated_at": updated, "file_descr_id": description, "agent_rcv_file_deleted": 1,
                ]
            )
        }
        counts.countMoved("files", given)
        counts.countOmitted("files that were being sent", unsent)
        counts.countOmitted("files that were being received (they can be asked for again)", unreceived)
    }

    private static func fileName(_ path: String) -> String { path.split(separator: "/").last.map(String.init) ?? path }
}

extension ChatKey {
    fileprivate func groupNumber(_ groups: AppRowIDs, _ user: Int64, _ row: Row) -> Int64? {
        switch self {
        case .group(let id): groups.assignedNumber(user, id)
        case .memberSupport: (try? row.int64OrNil("support_group_id"))?.flatMap { groups.assignedNumber(user, $0) }
        case .contact, .notes, .supportChatReference: nil
        }
    }
}
