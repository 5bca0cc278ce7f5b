internal import ChatAPI

extension CIContent {
    /// The content, if a person has written it; otherwise nil.
    var messageContent: MsgContent? {
        switch self {
        case .sndMsgContent(let content), .rcvMsgContent(let content): content
        default: nil
        }
    }

    /// Whether the content contains a link. Each item stores this value, so that a search for the links of a chat reads
    /// no texts.
    func hasLink(_ markup: ItemMarkup, in text: String) -> Bool {
        messageContent?.hasLink(markup.fragments(of: text)) ?? false
    }
}

extension MsgContent {
    /// Whether the content is a link, or its text contains a link.
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
