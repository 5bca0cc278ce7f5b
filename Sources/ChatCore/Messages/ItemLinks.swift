internal import ChatAPI

extension CIContent {
    /// The content, if a person has written it.
    var message: MsgContent? {
        switch self {
        case .sndMsgContent(let content), .rcvMsgContent(let content): content
        default: nil
        }
    }

    /// Whether the content has a link. Items store the answer, so that the links of a chat are found without reading
    /// its texts.
    func hasLink(_ markup: ItemMarkup, in text: String) -> Bool {
        message?.hasLink(markup.fragments(of: text)) ?? false
    }
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
