internal import ChatAPI
internal import SQLCipher

/// The mark of items that have links, so that the links of a chat are found without reading its texts.
enum ItemLinks {
    /// Marks the existing items. If the markup of an item was not parsed, `https://` in its text counts as a link, as
    /// in the original.
    static let migration = Migration(
        name: "20261122_has_link",
        up: """
            ALTER TABLE chat_items ADD COLUMN has_link INTEGER NOT NULL DEFAULT 0;
            UPDATE chat_items SET has_link = 1 WHERE msg_content_tag = 'link' OR msg_content_tag IS NOT NULL AND (
              formatted_text LIKE '%{"type":"uri"%' OR formatted_text LIKE '%{"type":"hyperLink"%' OR formatted_text LIKE '%{"type":"simplexLink"%'
              OR formatted_text IS NULL AND item_text LIKE '%https://%');
            CREATE INDEX idx_chat_items_links ON chat_items (user_id, chat_type, chat_id, created_at, chat_item_id) WHERE has_link = 1;
            """)
}

extension CIContent {
    /// The content, if a person has written it.
    var message: MsgContent? {
        switch self {
        case .sndMsgContent(let content), .rcvMsgContent(let content): content
        default: nil
        }
    }

    func hasLink(_ markup: ItemMarkup, in text: String) -> Bool { message?.hasLink(markup.fragments(of: text)) ?? false }
}

extension MsgContent {
    /// Whether the content is a link, or its text has one.
    func hasLink(_ fragments: [FormattedText]?) -> Bool {
        if case .link = self { return true }
        return fragments?.contains { $0.format?.isLink ?? false } ?? false
    }
}

extension TextFormat {
    fileprivate var isLink: Bool {
        switch self {
        case .uri, .hyperLink, .simplexLink, .simplexName: true
        default: false
        }
    }
}
