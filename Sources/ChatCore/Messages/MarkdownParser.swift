internal import Agent
internal import ChatAPI

/// The markup of messages: `*bold*`, `_italic_`, `~strike~`, `` `code` ``, `#secret#`, `!1 red!`, `@mention`, `/command`, links, addresses and phone
/// numbers are recognised. Marks that do not close are text; formats do not nest, and do not cross lines.
struct MarkdownParser {
    /// The fragments of a text; nil when nothing in it is formatted. The texts of the fragments together are the text without its marks.
    static func parse(_ text: String) -> [FormattedText]? {
        isPlain(text) ? nil : fragments(of: text)
    }

    /// Whether nothing in a text can be formatted, as in most: it has none of the marks, nor digits, nor a point inside of a word.
    private static func isPlain(_ text: String) -> Bool {
        var follows: UInt8 = 0x20
        for byte in text.utf8.reversed() {
            switch byte {
            case UInt8(ascii: "*"), UInt8(ascii: "_"), UInt8(ascii: "~"), UInt8(ascii: "`"), UInt8(ascii: "#"), UInt8(ascii: "@"), UInt8(ascii: "/"),
                UInt8(ascii: "["), UInt8(ascii: "+"), UInt8(ascii: "0")...UInt8(ascii: "9"):
                return false
            case UInt8(ascii: "."), UInt8(ascii: "!"):
                guard follows == 0x20 || follows == 0x0a || follows == byte else { return false }
            default: break
            }
            follows = byte
        }
        return true
    }

    /// As `parse`, for any text.
    static func fragments(of text: String) -> [FormattedText]? {
        if let command = wholeCommand(text) { return [command] }
        var fragments: [FormattedText] = []
        for (index, line) in lines(of: text).enumerated() {
            if index > 0 { append(FormattedText(format: nil, text: "\n"), to: &fragments) }
            var parser = MarkdownParser(rest: line)
            while let fragment = parser.next() { fragment.forEach { append($0, to: &fragments) } }
        }
        return fragments.contains { $0.format != nil } ? fragments : nil
    }

    /// The end of the last line is not the beginning of another, and not shown.
    private static func lines(of text: String) -> [Substring.UnicodeScalarView] {
        let lines = text.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false)
        return text.hasSuffix("\n") ? lines.dropLast() : lines
    }

    /// A text of one line that begins with a slash is a command as a whole.
    private static func wholeCommand(_ text: String) -> FormattedText? {
        let lines = lines(of: text)
        guard lines.count == 1, let line = lines.first else { return nil }
        let trimmed = line.drop { $0 == " " }
        guard trimmed.first == "/", trimmed.count > 1 else { return nil }
        return FormattedText(format: .command(commandStr: String(trimmed.dropFirst())), text: String(line))
    }

    private static func append(_ fragment: FormattedText, to fragments: inout [FormattedText]) {
        guard !fragment.text.isEmpty else { return }
        if let last = fragments.indices.last, fragments[last].format == fragment.format {
            fragments[last].text += fragment.text
        } else {
            fragments.append(fragment)
        }
    }

    private var rest: Substring.UnicodeScalarView

    private init(rest: Substring.UnicodeScalarView) {
        self.rest = rest
    }

    /// The next word or formatted stretch; a word may leave punctuation behind it as text.
    private mutating func next() -> [FormattedText]? {
        guard let first = rest.first else { return nil }
        switch first {
        case " ":
            let spaces = rest.prefix { $0 == " " }
            return take(spaces.count, format: nil)
        case "*": return delimited(first, .bold)
        case "_": return delimited(first, .italic)
        case "~": return delimited(first, .strikeThrough)
        case "`": return delimited(first, .snippet)
        case "#": return secret()
        case "!": return colored() ?? word()
        case "@": return prefixed { .mention(memberName: $0) } ?? word()
        case "/": return prefixed { Self.isCommand($0) ? .command(commandStr: $0) : nil } ?? word()
        case "[": return hyperLink() ?? word()
        case "+", "0"..."9": return phone() ?? word()
        default: return word()
        }
    }

    private mutating func take(_ count: Int, format: TextFormat?) -> [FormattedText] {
        let text = String(rest.prefix(count))
        rest = rest.dropFirst(count)
        return [FormattedText(format: format, text: text)]
    }

    private mutating func delimited(_ mark: Unicode.Scalar, _ format: TextFormat) -> [FormattedText] {
        let inner = rest.dropFirst().prefix { $0 != mark }
        guard rest.count > inner.count + 1 else { return take(rest.count, format: nil) }
        if inner.isEmpty || inner.first == " " || inner.last == " " { return take(inner.count + 2, format: nil) }
        let text = String(inner)
        rest = rest.dropFirst(inner.count + 2)
        return [FormattedText(format: format, text: text)]
    }

    /// One mark at each end is taken off, further ones are shown.
    private mutating func secret() -> [FormattedText] {
        let opening = rest.dropFirst().prefix { $0 == "#" }.count
        let inner = rest.dropFirst(1 + opening).prefix { $0 != "#" }
        let closing = rest.dropFirst(1 + opening + inner.count).prefix { $0 == "#" }.count
        let length = 1 + opening + inner.count + closing
        guard closing > 0, !inner.isEmpty, inner.first != " ", inner.last != " " else { return take(length, format: nil) }
        let text = String(rest.dropFirst().prefix(length - 2))
        rest = rest.dropFirst(length)
        return [FormattedText(format: .secret, text: text)]
    }

    private mutating func colored() -> [FormattedText]? {
        let name = String(rest.dropFirst().prefix { $0 != " " && $0 != "!" })
        guard let color = Color(markup: name) else { return nil }
        let body = rest.dropFirst(1 + name.unicodeScalars.count)
        guard body.first == " " else { return nil }
        let inner = body.dropFirst().prefix { $0 != "!" }
        guard body.count > inner.count + 1, let first = inner.first, first != " ", inner.last != " " else { return nil }
        let text = String(inner)
        rest = body.dropFirst(inner.count + 2)
        return [FormattedText(format: .colored(color: color), text: text)]
    }

    /// `@name`, or `@'a name with spaces'`. Punctuation that a word ends in is not of the name, of which nothing may be left.
    private mutating func prefixed(_ format: (String) -> TextFormat?) -> [FormattedText]? {
        let body = rest.dropFirst()
        if body.first == "'" {
            let inner = body.dropFirst().prefix { $0 != "'" }
            guard body.count > inner.count + 1, inner.first?.beginsName == true, let format = format(String(inner)) else { return nil }
            return take(inner.count + 3, format: format)
        }
        guard body.first?.beginsName == true else { return nil }
        let word = body.prefix { !$0.separatesNames }
        let name = word.dropLast(word.reversed().prefix { $0.properties.generalCategory.isPunctuation }.count)
        guard let format = format(String(name)) else { return nil }
        return take(name.count + 1, format: format) + take(word.count - name.count, format: nil)
    }

    /// Whether the first word of what follows a slash inside of a text is a keyword: letters, digits and underscores; a path is none.
    private static func isCommand(_ name: String) -> Bool {
        guard let keyword = name.unicodeScalars.split(whereSeparator: \.separatesNames).first else { return false }
        return keyword.allSatisfy { $0.isDigit || $0 == "_" || $0.properties.generalCategory.isLetter }
    }

    private mutating func hyperLink() -> [FormattedText]? {
        let shown = rest.dropFirst().prefix { $0 != "]" }
        let after = rest.dropFirst(shown.count + 1)
        guard !shown.isEmpty, after.starts(with: "](".unicodeScalars) else { return nil }
        let target = after.dropFirst(2).prefix { $0 != ")" }
        guard !target.isEmpty, after.count > target.count + 2 else { return nil }
        let (text, uri) = (String(shown), String(target))
        // A text that looks like an address must be the address: it would be used to mislead.
        let misleads = shown.contains { $0.properties.generalCategory.isPunctuation && $0 != "-" && $0 != "_" }
        guard !misleads || text == uri || "https://" + text == uri else { return nil }
        let length = shown.count + target.count + 4
        if let link = shortLink(uri, showText: text) { return take(length, format: link) }
        return WebAddress.isURI(uri) ? take(length, format: .hyperLink(showText: text, linkUri: uri)) : nil
    }

    /// 7 to 22 characters: an optional country code, an optional code in parentheses, digits in groups.
    private mutating func phone() -> [FormattedText]? {
        var end = rest.startIndex
        func digits() -> Bool {
            let start = end
            while end < rest.endIndex, rest[end].isDigit { end = rest.index(after: end) }
            return end > start
        }
        func separated(_ body: () -> Bool) -> Bool {
            let start = end
            if end < rest.endIndex, " -.".unicodeScalars.contains(rest[end]) { end = rest.index(after: end) }
            if body() { return true }
            end = start
            return false
        }
        func character(_ scalar: Unicode.Scalar) -> Bool {
            guard end < rest.endIndex, rest[end] == scalar else { return false }
            end = rest.index(after: end)
            return true
        }
        if character("+"), !digits() { return nil }
        _ = separated { character("(") && digits() && character(")") }
        while separated(digits) {}
        let length = rest[..<end].count
        return (7...22).contains(length) ? take(length, format: .phone) : nil
    }

    /// A link of the network, shown with what it is for and the hosts that it leads to.
    private func connectionLink(_ text: String) -> TextFormat? {
        guard text.contains("#"), text.hasPrefix("simplex:/") || text.hasPrefix("https://") else { return nil }
        guard text.contains("#/?") else { return shortLink(text, showText: nil) }
        guard let request = try? ConnectionRequest(parsing: text) else { return nil }
        let isGroup = request.clientData.map { $0.contains("\"group\"") } ?? false
        return .simplexLink(
            showText: nil, linkType: request.isInvitation ? .invitation : isGroup ? .group : .contact, simplexUri: request.uri,
            smpHosts: request.queues.flatMap { $0.server.hosts.map(\.str) })
    }

    private func shortLink(_ text: String, showText: String?) -> TextFormat? {
        guard var link = try? ShortLink(parsing: text) else { return nil }
        link.scheme = .simplex
        let type: SimplexLinkType =
            switch link.kind {
            case .invitation: .invitation
            case .contact(.contact): .contact
            case .contact(.group): .group
            case .contact(.channel): .channel
            case .contact(.relay): .relay
            }
        return .simplexLink(showText: showText, linkType: type, simplexUri: link.uri, smpHosts: link.server.hosts.map(\.str))
    }

    private mutating func word() -> [FormattedText] {
        let word = rest.prefix { $0 != " " }
        let core = word.dropLast(word.reversed().prefix { $0.endsWord }.count)
        let text = String(core)
        let format: TextFormat? =
            if let link = connectionLink(text) { link } else if WebAddress.isURI(text) || WebAddress.isDomain(text) { .uri } else if WebAddress.isEmail(text) { .email } else { nil }
        guard format != nil else { return take(word.count, format: nil) }
        return take(core.count, format: format) + take(word.count - core.count, format: nil)
    }
}

extension Color {
    fileprivate init?(markup: String) {
        switch markup {
        case "1", "r", "red": self = .red
        case "2", "g", "green": self = .green
        case "3", "b", "blue": self = .blue
        case "4", "y", "yellow": self = .yellow
        case "5", "c", "cyan": self = .cyan
        case "6", "m", "magenta": self = .magenta
        default: return nil
        }
    }
}

extension Unicode.Scalar {
    fileprivate var isDigit: Bool { value >= 0x30 && value <= 0x39 }

    /// Punctuation that ends a sentence rather than an address.
    fileprivate var endsWord: Bool { self != "/" && self != ")" && properties.generalCategory.isPunctuation }

    fileprivate var beginsName: Bool { value > 0x20 && self != "#" && self != "@" && self != "'" }

    /// Spaces, tabs and ends of lines; of others only those that are nothing but space.
    fileprivate var separatesNames: Bool { (0x09...0x0D).contains(value) || properties.generalCategory == .spaceSeparator }
}

extension Unicode.GeneralCategory {
    var isLetter: Bool {
        switch self {
        case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter: true
        default: false
        }
    }

    var isPunctuation: Bool {
        switch self {
        case .connectorPunctuation, .dashPunctuation, .openPunctuation, .closePunctuation, .initialPunctuation, .finalPunctuation,
            .otherPunctuation: true
        default: false
        }
    }
}
