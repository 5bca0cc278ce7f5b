internal import ChatAPI
internal import ChatStore

extension GroupRecord {
    /// Updates the counts of the support chat after a new item.
    mutating func countWrittenItem(_ item: NewItem, _ tx: Transaction) throws {
        guard let member = supportMember, item.isSentOrUnread || item.content.isReport else { return }
        var support = member.supportChat ?? SupportChat(ts: tx.now)
        support.chatTs = tx.now
        let isUnread = item.status == .rcvNew
        if isUnread { support.unreadCount += 1 }
        if isUnread, item.mentions.includesUser(isSent: false, quoted: item.quotedMessage, in: self) {
            support.mentionCount += 1
        }
        if scope?.member != nil, let author = item.author {
            if author.memberId == member.memberId {
                if isUnread { support.attentionCount += 1 }
                if let time = item.itemTs { support.lastMessageTime = time }
            } else if let last = support.lastMessageTime, let time = item.itemTs, last < time {
                // The sender is another moderator, who has answered the member. So no message of the member waits for
                // an answer.
                support.attentionCount = 0
            }
        }
        try setSupportChat(support, tx)
    }

    /// Subtracts read or deleted items from the counts of the support chat.
    mutating func subtractUnread(_ items: [ItemRecord], _ tx: Transaction) throws {
        let unread = items.filter { $0.status == .rcvNew }
        guard let member = supportMember, var support = member.supportChat, !unread.isEmpty else { return }
        support.unreadCount = max(0, support.unreadCount - Int64(unread.count))
        support.mentionCount = max(0, support.mentionCount - Int64(unread.count(where: \.mentionsUser)))
        if scope?.member != nil {
            support.attentionCount = max(
                0,
                support.attentionCount - Int64(unread.count { $0.authorId == member.memberId })
            )
        }
        try setSupportChat(support, tx)
    }
}
