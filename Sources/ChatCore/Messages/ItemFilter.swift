internal import ChatAPI

/// A filter of the items of a chat: by a text, by a kind of content, or by both.
struct ItemFilter: Sendable {
    var search = ""
    var contentTag: MsgContentTag?
    /// The state of the index that is kept between searches.
    var outline = SearchOutline()

    static let all = ItemFilter()

    var isReports: Bool { contentTag == .report }

    /// The condition that an item `i` is in the chat. Reports of a group are in its support chats.
    func place(in chat: some Conversation) -> (sql: String, arguments: [Argument]) {
        if isReports, case .group(let groupId) = chat.key {
            return ("i.user_id = ? AND i.support_group_id = ?", [chat.userId, groupId])
        }
        return ("i.user_id = ? AND i.chat_type = ? AND i.chat_id = ?", chat.keyArguments)
    }

    /// The condition, to be appended to others, and its arguments.
    var condition: (sql: String, arguments: [Argument]) {
        var sql = ""
        var arguments: [Argument] = []
        if contentTag == .link {
            // A message of any kind with a link in its text counts as a link, too.
            sql += " AND i.has_link = 1"
        } else if isReports {
            // A literal in the SQL text, so that the partial index of reports applies.
            sql += " AND i.msg_content_tag = 'report'"
        } else if let contentTag {
            sql += " AND i.msg_content_tag = ?"
            arguments.append(contentTag.rawValue)
        }
        if !search.isEmpty {
            // `instr` and not `LIKE`: the search text is no pattern.
            sql += " AND instr(lower(i.item_text), lower(?)) > 0"
            arguments.append(search)
        }
        return (sql, arguments)
    }
}
