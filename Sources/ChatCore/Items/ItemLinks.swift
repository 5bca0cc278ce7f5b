internal import ChatAPI

extension CIContent {
    /// The content of a message; nil for an item that is not a message, for example a call.
    var messageContent: MsgContent? {
        switch self {
        case .sndMsgContent(let content), .rcvMsgContent(let content): content
        default: nil
        }
    }

    /// Whether the content contains a link. Each item stores this value, so a search for links does not read the texts.
    func hasLink(_ markup: ItemMarkup, in text: String) -> Bool {
        messageContent?.hasLink(markup.fragments(of: text)) ?? false
    }
}

extension MsgContent {
    /// Whether the content is a link with a preview, or its text contains a link.
    /// - Parameter fragments: the parsed text.
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
