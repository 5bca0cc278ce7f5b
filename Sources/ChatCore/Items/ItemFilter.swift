internal import ChatAPI
internal import ChatStore

/// A filter of items by text, by kind of content, and by further conditions that only HTTP requests can set
/// (``messageFilter``).
struct ItemFilter: Sendable {
    var searchText = ""
    var contentTag: MsgContentTag?
    var messageFilter = MessageFilter.all
    /// The state of the search index, which is kept in memory between searches.
    var searchOutline = SearchOutline()

    static let all = ItemFilter()

    var selectsReports: Bool { contentTag == .report }

    /// The SQL table expression for the items of one chat, with the alias `i`. With a filter by kind of content, the
    /// expression names the index that SQLite must use. For a page that begins or ends at a time, SQLite would
    /// otherwise choose the index of all items of the chat.
    var tableClause: String {
        let isOfKind = contentTag != nil && contentTag != .link && !selectsReports
        return isOfKind ? "chat_items i INDEXED BY idx_chat_items_content" : "chat_items i"
    }

    /// Returns the SQL condition that selects the items of a chat, in a table with the alias `i`. Reports of a group
    /// are items of its support chats, so a filter for reports selects the support chats.
    ///
    /// With a filter by time, the condition also limits the time that orders the items of the chat. So a query reads
    /// only the part of an index that contains the wanted times.
    func chatCondition(in chat: some Conversation) -> (sql: String, arguments: [Argument]) {
        var (sql, arguments): (String, [Argument]) =
            if selectsReports, case .group(let groupId) = chat.chatKey {
                ("i.user_id = ? AND i.support_group_id = ?", [chat.userId, groupId])
            } else {
                ("i.user_id = ? AND i.chat_type = ? AND i.chat_id = ?", chat.keyArguments)
            }
        if let since = messageFilter.since {
            sql += " AND i.order_ts >= ?"
            arguments.append(chat.chatKey.leastOrderTime(sentSince: since).nanoseconds)
        }
        return (sql, arguments)
    }

    /// The SQL condition of this filter, which begins with `AND`, and its arguments; empty if the filter selects all
    /// items.
    var filterCondition: (sql: String, arguments: [Argument]) {
        var sql = ""
        var arguments: [Argument] = []
        if contentTag == .link {
            // The filter for links selects messages of any kind whose text contains a link.
            sql += " AND i.has_link = 1"
        } else if selectsReports {
            // The tag `report` is a literal in the SQL text, so that SQLite can use the partial index of reports.
            sql += " AND i.msg_content_tag = 'report'"
        } else if let contentTag {
            sql += " AND i.msg_content_tag = ?"
            arguments.append(contentTag.rawValue)
        }
        if let isSent = messageFilter.isSent { sql += " AND i.item_sent = \(isSent ? 1 : 0)" }
        if let sender = messageFilter.sender {
            sql += " AND i.author_member_id = ?"
            arguments.append(sender)
        }
        if let since = messageFilter.since {
            sql += " AND i.item_ts >= ?"
            arguments.append(since.nanoseconds)
        }
        if !searchText.isEmpty {
            // `instr` is used and not `LIKE`, since the search text is not a pattern.
            sql += " AND instr(lower(i.item_text), lower(?)) > 0"
            arguments.append(searchText)
        }
        return (sql, arguments)
    }
}
