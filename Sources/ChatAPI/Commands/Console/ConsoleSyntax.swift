/// Commands that begin with a sign: `@bob hello`, `> @bob (quoted) reply`, `! @bob (old) new`, `\ @bob text`,
/// `+1 @bob text`, `\\ #team @bob text`.
enum ConsoleSyntax {
    /// Parses a command that begins with a sign or a word of the terminal.
    /// - Throws: `unsupported` for commands of the terminal client that this core does not have.
    static func command(_ text: Substring) throws(CommandParseError) -> ConsoleCommand {
        var scanner = CommandScanner(text)
        do throws(CommandParseError) {
            return try read(&scanner)
        } catch {
            let word = text.prefix { $0 != " " }
            throw words.contains(String(word)) || (text.first.map(signs.contains) ?? false)
                ? .unsupported(String(word)) : error
        }
    }

    private static func read(_ scanner: inout CommandScanner) throws(CommandParseError) -> ConsoleCommand {
        switch scanner.rest.first {
        case "@" where scanner.take("@#"):
            let group = try scanner.displayName()
            return .group(name: group, action: .sendToMember(try scanner.contactName(), text: try scanner.message()))
        case "@", "#", "*":
            let chat = try scanner.chatName()
            if chat.chatType == .group, let support = try scanner.supportIfAny() {
                return .group(
                    name: chat.chatName,
                    action: .sendToSupport(of: support.member, text: try scanner.message())
                )
            }
            if scanner.take(" <- ") {
                if scanner.take("*") {
                    return .chat(
                        name: chat,
                        action: .forward(from: ChatName(chatType: .local, chatName: ""), text: try scanner.message())
                    )
                }
                let from = try scanner.chatName()
                // A word that can be the name of a member counts as the name.
                let member = from.chatType == .group ? scanner.memberNameIfAny() : nil
                return .chat(name: chat, action: .forward(from: from, of: member, text: try scanner.message()))
            }
            // Notes are written with the command `/*`.
            guard chat.chatType != .local else { throw .malformed }
            return .chat(name: chat, action: .send(text: try scanner.message()))
        case ">":
            let isSent = scanner.take(">>") || !scanner.take(">")
            _ = scanner.take(" ")
            if !isSent, scanner.take("#") {
                let group = try scanner.displayName()
                let author = scanner.rest.hasPrefix(" (") ? nil : try scanner.contactName()
                guard scanner.take(" ") else { throw .malformed }
                let quoted = try scanner.quoted()
                return .group(
                    name: group,
                    action: .reply(to: author, quoted: quoted, text: try scanner.messageAfterQuote())
                )
            }
            guard scanner.rest.hasPrefix("@") else { throw .malformed }
            let chat = try scanner.chatName()
            guard scanner.take(" ") else { throw .malformed }
            let quoted = try scanner.quoted()
            return .chat(
                name: chat,
                action: .reply(quoted: quoted, isSent: isSent, text: try scanner.messageAfterQuote())
            )
        case "\\" where scanner.rest.hasPrefix("\\\\"):
            _ = scanner.take("\\\\ ") || scanner.take("\\\\")
            guard scanner.take("#") else { throw .malformed }
            let group = try scanner.displayName()
            let member = try scanner.contactName()
            return .group(name: group, action: .moderate(member: member, text: try scanner.remainder()))
        case "\\":
            _ = scanner.take("\\")
            _ = scanner.take(" ")
            let chat = try scanner.chatName()
            return .chat(name: chat, action: .delete(text: try scanner.remainder()))
        case "!":
            _ = scanner.take("!")
            _ = scanner.take(" ")
            let chat = try scanner.chatName()
            guard scanner.rest.hasPrefix(" (") else {
                return .chat(name: chat, action: .edit(old: "", text: try scanner.message()))
            }
            _ = scanner.take(" ")
            let old = try scanner.quoted()
            return .chat(name: chat, action: .edit(old: old, text: try scanner.messageAfterQuote()))
        case "+", "-":
            let add = scanner.take("+")
            if !add { _ = scanner.take("-") }
            let reaction = try scanner.typedReaction()
            let chat =
                scanner.rest.hasPrefix(" @") || scanner.rest.hasPrefix(" #") || scanner.rest.hasPrefix(" *")
                ? try scanner.spacedChatName() : ChatName(chatType: .direct, chatName: try scanner.contactName())
            return .chat(name: chat, action: .react(add: add, reaction: reaction, text: try scanner.remainder()))
        default: throw .malformed
        }
    }

    /// The first characters of messages and reactions.
    private static let signs: Set<Character> = ["@", "#", ">", "!", "\\", "+", "-", "*"]

    /// Commands of the terminal client that are not supported: links to groups and support chats.
    private static let words: Set = ["/acceptmember", "/create", "/member", "/messages", "/r", "/set"]
}

extension CommandScanner {
    /// Parses a space and the name of a member with its sign; nil if no such name follows.
    fileprivate mutating func memberNameIfAny() -> String? {
        guard rest.hasPrefix(" @") else { return nil }
        var ahead = self
        guard let name = try? ahead.contactName(), !ahead.isAtEnd else { return nil }
        self = ahead
        return name
    }

    /// Parses `(support)`, or `(support: name)` for a member's chat with the moderators. Another text that begins with
    /// `(support` is malformed, so that it is not sent to the whole group.
    fileprivate mutating func supportIfAny() throws(CommandParseError) -> ConsoleSupport? {
        var ahead = self
        while ahead.take(" ") {}
        guard ahead.take("(support") else { return nil }
        self = ahead
        if take(")") { return ConsoleSupport(member: nil) }
        guard take(":") else { throw .malformed }
        while take(" ") {}
        let isQuoted = rest.hasPrefix("'")
        let name = try displayName()
        if isQuoted, take(")") { return ConsoleSupport(member: name) }
        // The name may contain brackets, so the last bracket ends the name.
        guard !isQuoted, name.hasSuffix(")"), name.count > 1 else { throw .malformed }
        return ConsoleSupport(member: String(name.dropLast()))
    }

    /// Parses a message after a quotation. The space before the message may be missing.
    fileprivate mutating func messageAfterQuote() throws(CommandParseError) -> String {
        if !rest.hasPrefix(" ") { self = CommandScanner(" " + rest) }
        return try message()
    }
}

/// The chat with the moderators in a command: the chat of a member, or the user's own chat.
private struct ConsoleSupport {
    let member: String?
}
