internal import ChatAPI
internal import ChatProtocol
internal import ChatStore
internal import ChatText
internal import JSON

/// The markup of an item's text, which is parsed once and stored with the item.
enum ItemMarkup: Sendable, Hashable {
    /// The text was not parsed. This is the case for items that older versions of this program have stored.
    case unparsed
    /// The text was parsed; nil if no part of the text is formatted.
    case parsed([FormattedText]?)

    init(of text: String) { self = .parsed(MarkdownParser.parse(text)) }

    /// Reads the stored form. An empty text means that nothing is formatted.
    init(stored: String?) {
        switch stored {
        case nil: self = .unparsed
        case ""?: self = .parsed(nil)
        case let text?: self = (try? StoredJSON.decode([FormattedText].self, text)).map { .parsed($0) } ?? .unparsed
        }
    }

    func storedText() throws -> String? {
        switch self {
        case .unparsed: nil
        case .parsed(nil): ""
        case .parsed(let fragments?): try StoredJSON.encode(fragments)
        }
    }

    /// Returns the formatted fragments of `text`, which must be the text from which the markup was made.
    func fragments(of text: String) -> [FormattedText]? {
        switch self {
        case .unparsed: MarkdownParser.parse(text)
        case .parsed(let fragments): fragments
        }
    }
}

/// The content of a message with the markup of its text. It is created before the transaction, since parsing a long
/// text takes time.
struct MarkedContent: Sendable {
    let content: MsgContent
    let markup: ItemMarkup

    init(_ content: MsgContent) {
        self.content = content
        markup = ItemMarkup(of: content.text)
    }

    init(_ content: MsgContent, _ markup: ItemMarkup) {
        self.content = content
        self.markup = markup
    }

    /// Decodes the content, and parses its text.
    /// - Parameter json: the content in the form that a peer has sent.
    init(_ json: JSONValue) throws { self.init(try JSONDecoder().decode(MsgContent.self, from: json)) }
}

/// The contents of one chat message that an agent message contains: the content to show, and the content that the
/// message quotes.
struct ReceivedContents: Sendable {
    private var shownResult: Result<MarkedContent, any Error>?
    private var quotedResult: Result<MarkedContent, any Error>?

    init(_ element: MessageElement) {
        guard case .success(.message(let message)) = element.content else { return }
        switch message.event {
        case .messageNew(let container):
            shownResult = Result { try MarkedContent(container.content) }
            quotedResult = container.quote.map { quote in Result { try MarkedContent(quote.content) } }
        case .messageUpdate(let update): shownResult = Result { try MarkedContent(update.content) }
        default: break
        }
    }

    private struct MissingContent: Error {}

    /// Returns the content of a new or changed message. Throws an error if there is no content, or if it could not be
    /// decoded.
    func requireContent() throws -> MarkedContent { try (shownResult ?? .failure(MissingContent())).get() }

    /// Returns the content that a new message quotes. Throws an error if there is no quote, or if it could not be
    /// decoded.
    func requireQuotedContent() throws -> MarkedContent { try (quotedResult ?? .failure(MissingContent())).get() }
}
