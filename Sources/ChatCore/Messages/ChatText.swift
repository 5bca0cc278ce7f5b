public import ChatAPI

/// Parsing and checks of a text before a client sends it. No database is needed.
public enum ChatText {
    /// The fragments of a message with their formats; nothing when there is no markup.
    public static func markdown(of text: String) -> ParsedMarkdown {
        ParsedMarkdown(formattedText: MarkdownParser.parse(text))
    }

    /// The display name that remains of `name` without characters that are not allowed; may be empty.
    public static func validName(_ name: String) -> String { DisplayName.valid(name) }
}
