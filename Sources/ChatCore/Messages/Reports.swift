internal import ChatAPI
internal import ChatStore
internal import SQLCipher

/// Reports of messages to the moderators. A report is in the support chat of its author, and quotes the reported
/// message.
enum Reports {
    /// Returns the ids of the reports that no moderator has handled yet.
    /// - Parameter message: the reported message; nil for all received reports.
    static func findReceivedReportIds(
        in group: GroupRecord,
        of message: ItemRecord? = nil,
        _ db: StoreConnection
    ) throws -> [Int64] {
        try db.query(
            """
            SELECT chat_item_id FROM chat_items WHERE user_id = ? AND support_group_id = ? AND msg_content_tag = 'report' AND item_deleted = 0
              AND \(message == nil ? "item_sent = 0" : "quoted_shared_msg_id = ? AND quoted_member_id = ?") ORDER BY order_ts, chat_item_id
            """,
            [group.userId, group.groupId] + (message.map { [$0.sharedID?.bytes, $0.authorId ?? 0] } ?? [])
        ).map { try $0.int64("chat_item_id") }
    }

    /// Archives reports: marks them as deleted by a moderator.
    static func archiveReportItems(
        _ itemIds: [Int64],
        by moderator: MemberRecord,
        in group: GroupRecord,
        at time: Timestamp,
        _ tx: Transaction
    ) throws {
        for chunk in itemIds.chunks(of: 500) {
            for var item in try ItemQueries.findItems(Array(chunk), anywhereIn: group, tx.db) {
                try ItemWriter.markItemDeleted(&item, by: moderator, at: time, tx)
            }
        }
    }

    /// Archives the reports about messages that a moderator has deleted.
    static func archiveReportItems(
        reportsOf items: [ItemRecord],
        by moderator: MemberRecord,
        in group: GroupRecord,
        byUser: Bool,
        _ user: UserRecord,
        at time: Timestamp,
        _ tx: Transaction
    ) throws {
        let ids = try items.flatMap { try findReceivedReportIds(in: group, of: $0, tx.db) }
        guard !ids.isEmpty else { return }
        try archiveReportItems(ids, by: moderator, in: group, at: time, tx)
        try tx.emit(
            .groupChatItemsDeleted(
                user: user.api,
                groupInfo: group.api(user),
                chatItemIDs: ids,
                byUser: byUser,
                member_: moderator.api(user)
            ),
            user: user.userId
        )
    }
}

extension RunningCommand {
    /// `/_report #`: sends a report of a message to the moderators.
    func sendReport(
        _ itemId: Int64,
        in groupId: Int64,
        reason: ReportReason,
        text: String,
        as userId: Int64?
    ) async throws -> ChatResponse {
        try await store.writeAndAnswer { tx in
            let user = try Self.findUserOrActive(userId, tx.db)
            let group = try GroupRecord.get(groupId, user: user, in: tx.db)
            var chat = group.supportChatGroup(of: group.membership)
            // Moderators with older programs support reports, but not support chats.
            chat.scope?.minModeratorChatVersion = SupportChats.firstChatVersionWithReports
            var report = OutgoingItem(content: .report(text: text, reason: reason), markup: .unparsed, forwarded: nil)
            report.quotedItemId = itemId
            return try Self.sendItems([report], in: chat, live: false, ttl: nil, user, tx)
        }
    }

    /// `/_archive reports #`: archives all received reports.
    func archiveReports(in groupId: Int64, user: UserRecord) async throws -> ChatResponse {
        try await store.writeAndAnswer { tx in
            let group = try GroupRecord.get(groupId, user: user, in: tx.db)
            let ids = try Reports.findReceivedReportIds(in: group, tx.db)
            try Reports.archiveReportItems(ids, by: group.membership, in: group, at: tx.now, tx)
            return .groupChatItemsDeleted(
                user: user.api,
                groupInfo: group.api(user),
                chatItemIDs: ids,
                byUser: true,
                member_: group.membership.api(user)
            )
        }
    }

    /// `/_delete reports #`: deletes reports only for the user, or for all moderators.
    /// - Throws: `commandError` for items that are not reports.
    func deleteReports(
        _ itemIds: [Int64],
        in groupId: Int64,
        mode: CIDeleteMode,
        user: UserRecord
    ) async throws -> ChatResponse {
        guard CIDeleteMode.knownValues.contains(mode) else {
            throw ChatFailure.commandError("the mode \(mode.rawValue) is not supported")
        }
        return try await store.writeAndAnswer { tx in
            let group = try GroupRecord.get(groupId, user: user, in: tx.db)
            let items = try Self.findExistingItems(itemIds, in: group, user, tx)
            guard items.allSatisfy({ !$0.isSent && $0.content.isReport }) else {
                throw ChatFailure.commandError("not all of the items are reports that you received")
            }
            let deletions: [ChatItemDeletion]
            switch mode {
            case .internal: deletions = try ItemDeletion.deleteItems(items, in: group, user, tx)
            case .internalMark: deletions = try ItemDeletion.markItemsDeleted(items, in: group, user, at: tx.now, tx)
            case .broadcast:
                let moderators = try MemberRecord.findModerators(in: group, tx.db).filter(\.status.isCurrent)
                deletions = try Self.moderateItems(
                    items,
                    in: group,
                    to: Recipients(members: moderators, tx.db),
                    user,
                    tx
                )
            default: throw ChatFailure(ChatErrorType.invalidChatItemDelete)
            }
            return .chatItemsDeleted(user: user.api, chatItemDeletions: deletions, byUser: true, timed: false)
        }
    }
}
