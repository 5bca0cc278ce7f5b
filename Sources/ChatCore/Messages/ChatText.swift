public import ChatAPI

/// What clients ask about a text before they send it; no database is needed.
public enum ChatText {
    /// The fragments of a message with their formats; nothing when there is no markup.
    public static func markdown(of text: String) -> ParsedMarkdown {
        ParsedMarkdown(formattedText: MarkdownParser.parse(text))
    }

    /// The name for display that is left of `name`; may be empty.
    public static func validName(_ name: String) -> String { DisplayName.valid(name) }
}
