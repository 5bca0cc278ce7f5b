/// Parser of terminal commands that begin with a sign: `@bob hello`, `> @bob (quoted) reply`, `! @bob (old) new`,
/// `\ @bob text`, `+1 @bob text`, `\\ #team @bob text`.
enum ConsoleSyntax {
    /// Parses a terminal command that begins with a sign.
    /// - Throws: `unsupported` for any other text that begins with a character of `firstCharacters`, or with a word of
    ///   `unsupportedWords`; `malformed` for all other texts.
    static func parseCommand(_ text: Substring) throws(CommandParseError) -> ConsoleCommand {
        var scanner = CommandScanner(text)
        do throws(CommandParseError) {
            return try scanCommand(&scanner)
        } catch {
            let word = text.prefix { $0 != " " }
            throw unsupportedWords.contains(String(word)) || (text.first.map(firstCharacters.contains) ?? false)
                ? .unsupported(String(word)) : error
        }
    }

    private static func scanCommand(_ scanner: inout CommandScanner) throws(CommandParseError) -> ConsoleCommand {
        switch scanner.remainingText.first {
        case "@" where scanner.skipPrefix("@#"):
            let group = try scanner.scanDisplayName()
            return .group(
                name: group,
                action: .sendToMember(try scanner.scanContactName(), text: try scanner.scanMessage())
            )
        case "@", "#", "*": return try scanMessageToChat(&scanner)
        case ">": return try scanReply(&scanner)
        case "\\" where scanner.remainingText.hasPrefix("\\\\"): return try scanModeration(&scanner)
        case "\\": return try scanDeletion(&scanner)
        case "!": return try scanEdit(&scanner)
        case "+", "-": return try scanReaction(&scanner)
        default: throw .malformed
        }
    }

    /// Scans a message to a chat or to a support chat, or the forwarding of an item to a chat or to the notes.
    private static func scanMessageToChat(_ scanner: inout CommandScanner) throws(CommandParseError) -> ConsoleCommand {
        let chat = try scanner.scanChatName()
        if chat.chatType == .group, let support = try scanner.scanSupportChatIfAny() {
            return .group(
                name: chat.chatName,
                action: .sendToSupport(of: support.member, text: try scanner.scanMessage())
            )
        }
        if scanner.skipPrefix(" <- ") {
            if scanner.skipPrefix("*") {
                return .chat(
                    name: chat,
                    action: .forward(
                        from: ChatName(chatType: .local, chatName: ""),
                        text: try scanner.scanMessage()
                    )
                )
            }
            let from = try scanner.scanChatName()
            // In a group, a word such as `@bob` before the text counts as the name of a member.
            let member = from.chatType == .group ? scanner.scanMemberNameIfAny() : nil
            return .chat(name: chat, action: .forward(from: from, of: member, text: try scanner.scanMessage()))
        }
        // The command `/*` writes notes, so a text with the sign `*` of the notes is malformed.
        guard chat.chatType != .local else { throw .malformed }
        return .chat(name: chat, action: .send(text: try scanner.scanMessage()))
    }

    /// Scans a reply to a received message (`> @bob (quoted) reply`) or to a sent message (`>> @bob (quoted) reply`).
    private static func scanReply(_ scanner: inout CommandScanner) throws(CommandParseError) -> ConsoleCommand {
        let isSent = scanner.skipPrefix(">>") || !scanner.skipPrefix(">")
        _ = scanner.skipPrefix(" ")
        if !isSent, scanner.skipPrefix("#") {
            let group = try scanner.scanDisplayName()
            let author = scanner.remainingText.hasPrefix(" (") ? nil : try scanner.scanContactName()
            guard scanner.skipPrefix(" ") else { throw .malformed }
            let quoted = try scanner.scanQuotedText()
            return .group(
                name: group,
                action: .reply(to: author, quoted: quoted, text: try scanner.scanMessageAfterQuote())
            )
        }
        guard scanner.remainingText.hasPrefix("@") else { throw .malformed }
        let chat = try scanner.scanChatName()
        guard scanner.skipPrefix(" ") else { throw .malformed }
        let quoted = try scanner.scanQuotedText()
        return .chat(
            name: chat,
            action: .reply(quoted: quoted, isSent: isSent, text: try scanner.scanMessageAfterQuote())
        )
    }

    /// Scans the command by which a moderator deletes a member's message: `\\ #team @bob text`.
    private static func scanModeration(_ scanner: inout CommandScanner) throws(CommandParseError) -> ConsoleCommand {
        _ = scanner.skipPrefix("\\\\ ") || scanner.skipPrefix("\\\\")
        guard scanner.skipPrefix("#") else { throw .malformed }
        let group = try scanner.scanDisplayName()
        let member = try scanner.scanContactName()
        return .group(name: group, action: .moderate(member: member, text: try scanner.scanRemainder()))
    }

    /// Scans the command that deletes an item: `\ @bob text`.
    private static func scanDeletion(_ scanner: inout CommandScanner) throws(CommandParseError) -> ConsoleCommand {
        _ = scanner.skipPrefix("\\")
        _ = scanner.skipPrefix(" ")
        let chat = try scanner.scanChatName()
        return .chat(name: chat, action: .delete(text: try scanner.scanRemainder()))
    }

    /// Scans the command that edits a sent item: `! @bob (old) new`.
    private static func scanEdit(_ scanner: inout CommandScanner) throws(CommandParseError) -> ConsoleCommand {
        _ = scanner.skipPrefix("!")
        _ = scanner.skipPrefix(" ")
        let chat = try scanner.scanChatName()
        guard scanner.remainingText.hasPrefix(" (") else {
            return .chat(name: chat, action: .edit(old: "", text: try scanner.scanMessage()))
        }
        _ = scanner.skipPrefix(" ")
        let old = try scanner.scanQuotedText()
        return .chat(name: chat, action: .edit(old: old, text: try scanner.scanMessageAfterQuote()))
    }

    /// Scans the command that adds or removes a reaction: `+1 @bob text`, `-1 @bob text`.
    private static func scanReaction(_ scanner: inout CommandScanner) throws(CommandParseError) -> ConsoleCommand {
        let add = scanner.skipPrefix("+")
        if !add { _ = scanner.skipPrefix("-") }
        let reaction = try scanner.scanTypedReaction()
        let chat =
            scanner.remainingText.hasPrefix(" @") || scanner.remainingText.hasPrefix(" #")
                || scanner.remainingText.hasPrefix(" *")
            ? try scanner.scanSpacedChatName()
            : ChatName(chatType: .direct, chatName: try scanner.scanContactName())
        return .chat(name: chat, action: .react(add: add, reaction: reaction, text: try scanner.scanRemainder()))
    }

    /// The characters with which terminal commands without a slash begin.
    private static let firstCharacters: Set<Character> = ["@", "#", ">", "!", "\\", "+", "-", "*"]

    /// First words of terminal commands of the original. An unknown command that begins with one of these words is
    /// reported as `unsupported`.
    private static let unsupportedWords: Set = ["/acceptmember", "/create", "/member", "/messages", "/r", "/set"]
}

extension CommandScanner {
    /// Parses a space and the name of a member with its sign; nil if no such name follows.
    fileprivate mutating func scanMemberNameIfAny() -> String? {
        guard remainingText.hasPrefix(" @") else { return nil }
        var ahead = self
        guard let name = try? ahead.scanContactName(), !ahead.isAtEnd else { return nil }
        self = ahead
        return name
    }

    /// Parses `(support)`, or `(support: name)` for a member's chat with the moderators. Another text that begins with
    /// `(support` is malformed, so that it is not sent to the whole group.
    fileprivate mutating func scanSupportChatIfAny() throws(CommandParseError) -> ConsoleSupportChat? {
        var ahead = self
        while ahead.skipPrefix(" ") {}
        guard ahead.skipPrefix("(support") else { return nil }
        self = ahead
        if skipPrefix(")") { return ConsoleSupportChat(member: nil) }
        guard skipPrefix(":") else { throw .malformed }
        while skipPrefix(" ") {}
        let isQuoted = remainingText.hasPrefix("'")
        let name = try scanDisplayName()
        if isQuoted, skipPrefix(")") { return ConsoleSupportChat(member: name) }
        // The name may contain brackets, so the last bracket ends the name.
        guard !isQuoted, name.hasSuffix(")"), name.count > 1 else { throw .malformed }
        return ConsoleSupportChat(member: String(name.dropLast()))
    }

    /// Parses the text of a reply after the quotation. The space before the text may be missing.
    fileprivate mutating func scanMessageAfterQuote() throws(CommandParseError) -> String {
        if !remainingText.hasPrefix(" ") { self = CommandScanner(" " + remainingText) }
        return try scanMessage()
    }
}

/// A chat with the moderators, as a command names it: the chat of a member, or the user's own chat if `member` is nil.
private struct ConsoleSupportChat {
    let member: String?
}
