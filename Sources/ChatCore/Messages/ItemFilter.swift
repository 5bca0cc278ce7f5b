internal import ChatAPI

/// Which items of a chat are asked for: those with a text, those with a kind of content, or both.
struct ItemFilter: Sendable {
    var search = ""
    var contentTag: MsgContentTag?
    /// What is kept of the index between searches.
    var outline = SearchOutline()

    static let all = ItemFilter()

    /// The condition, to be put behind others, and its arguments.
    var condition: (sql: String, arguments: [Argument]) {
        var sql = ""
        var arguments: [Argument] = []
        if contentTag == .link {
            // A link in the text of any message is one, too.
            sql += " AND i.has_link = 1"
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
