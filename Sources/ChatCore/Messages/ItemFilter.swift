internal import ChatAPI

/// Which items of a chat are asked for: those with a text, those with a kind of content, or both.
struct ItemFilter: Sendable {
    var search = ""
    var contentTag: MsgContentTag?
    /// What is kept of the index between searches.
    var outline = SearchOutline()

    static let all = ItemFilter()

    var isReports: Bool { contentTag == .report }

    /// The condition that an item `i` is in the chat. Reports of a group are in its support chats.
    func place(in chat: some Conversation) -> (sql: String, arguments: [Argument]) {
        if isReports, case .group(let groupId) = chat.key { return ("i.user_id = ? AND i.support_group_id = ?", [chat.userId, groupId]) }
        return ("i.user_id = ? AND i.chat_type = ? AND i.chat_id = ?", chat.keyArguments)
    }

    /// The condition, to be put behind others, and its arguments.
    var condition: (sql: String, arguments: [Argument]) {
        var sql = ""
        var arguments: [Argument] = []
        if contentTag == .link {
            // A link in the text of any message is one, too.
            sql += " AND i.has_link = 1"
        } else if isReports {
            // Part of the text, for the index of them.
            sql += " AND i.msg_content_tag = 'report'"
        } else if let contentTag {
            sql += " AND i.msg_content_tag = ?"
            arguments.append(contentTag.rawValue)
        }
        if !search.isEmpty {
            // instr and not LIKE: what is searched for is text, not a pattern.
            sql += " AND instr(lower(i.item_text), lower(?)) > 0"
            arguments.append(search)
        }
        return (sql, arguments)
    }
}
