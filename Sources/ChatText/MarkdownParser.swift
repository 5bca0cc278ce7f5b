internal import Agent
package import ChatAPI
internal import SMP

/// The parser of markup in messages: `*bold*`, `_italic_`, `~strike~`, `` `code` ``, `#secret#`, `!1 red!`, `@mention`,
/// `/command`, SimpleX names (`@alice.simplex`, `#news`), links, addresses and phone numbers. A mark without its
/// closing mark is plain text. Formats cannot be nested, and cannot cross the end of a line.
package struct MarkdownParser {
    /// Returns the parts of a text with their formats; nil if the text contains no format. The joined texts of the
    /// parts are the text without its marks.
    package static func parse(_ text: String) -> [FormattedText]? {
        isPlain(text) ? nil : parseFragments(of: text)
    }

    /// Returns whether a text cannot contain a format, because it has no marks, no digits, and no point or exclamation
    /// mark inside a word. Most texts are plain.
    private static func isPlain(_ text: String) -> Bool {
        var follows: UInt8 = 0x20
        for byte in text.utf8.reversed() {
            switch byte {
            case UInt8(ascii: "*"), UInt8(ascii: "_"), UInt8(ascii: "~"), UInt8(ascii: "`"), UInt8(ascii: "#"),
                UInt8(ascii: "@"), UInt8(ascii: "/"),
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

    /// Parses any text, also a text without marks. Returns nil if the text contains no format.
    static func parseFragments(of text: String) -> [FormattedText]? {
        var work = 0
        return parseFragments(of: text, work: &work)
    }

    /// Parses any text, and counts the work.
    /// - Parameter work: a counter that increases by one whenever a scalar is examined or copied. The increase is at
    ///   most a small multiple of the length of the text.
    static func parseFragments(of text: String, work: inout Int) -> [FormattedText]? {
        if let command = parseWholeCommand(text) { return [command] }
        let scalars = Array(text.unicodeScalars)
        work += scalars.count
        var fragments: [FormattedText] = []
        // A line end at the end of the text does not begin another line, and is not shown.
        let end = text.hasSuffix("\n") ? scalars.count - 1 : scalars.count
        var start = 0
        while start <= end {
            let lineEnd = scalars[start..<end].firstIndex(of: "\n") ?? end
            if start > 0 { appendFragment(FormattedText(format: nil, text: "\n"), to: &fragments) }
            var parser = MarkdownParser(line: scalars[start..<lineEnd])
            while let fragment = parser.parseNextFragments() { fragment.forEach { appendFragment($0, to: &fragments) } }
            work += lineEnd - start + parser.examinedCount
            start = lineEnd + 1
        }
        return fragments.contains { $0.format != nil } ? fragments : nil
    }

    /// Returns the command in a text of a single line that begins with a slash; nil for other texts.
    private static func parseWholeCommand(_ text: String) -> FormattedText? {
        let line = text.hasSuffix("\n") ? text.unicodeScalars.dropLast() : text.unicodeScalars[...]
        let trimmed = line.drop { $0 == " " }
        guard trimmed.first == "/", trimmed.dropFirst().first != nil, !line.contains("\n") else { return nil }
        return FormattedText(format: .command(commandStr: String(trimmed.dropFirst())), text: String(line))
    }

    private static func appendFragment(_ fragment: FormattedText, to fragments: inout [FormattedText]) {
        guard !fragment.text.isEmpty else { return }
        if let last = fragments.indices.last, fragments[last].format == fragment.format {
            fragments[last].text += fragment.text
        } else {
            fragments.append(fragment)
        }
    }

    private var line: ScalarLine
    private var position: Int { line.position }
    private var examinedCount: Int { line.examinedCount }

    private init(line: ArraySlice<Unicode.Scalar>) {
        self.line = ScalarLine(line)
    }

    /// Reads the next word or formatted part of the line. Punctuation at the end of a word may become a separate
    /// fragment.
    private mutating func parseNextFragments() -> [FormattedText]? {
        guard let first = line[position] else { return nil }
        switch first {
        case " ": return consumeText(to: line.findRunEnd(of: position) { $0 == " " }, format: nil)
        case "*": return parseDelimitedText(first, .bold)
        case "_": return parseDelimitedText(first, .italic)
        case "~": return parseDelimitedText(first, .strikeThrough)
        case "`": return parseDelimitedText(first, .snippet)
        case "#":
            return parseSecret() ?? parseName()
                ?? consumeText(to: line.findRunEnd(of: position + 1) { $0 != " " }, format: nil)
        case "!": return parseColoredText() ?? parseWord()
        case "@": return parseName() ?? parsePrefixedName { .mention(memberName: $0) } ?? parseWord()
        case "/": return parsePrefixedName { Self.isCommand($0) ? .command(commandStr: $0) : nil } ?? parseWord()
        case "[": return parseHyperLink() ?? parseWord()
        case "+", "0"..."9": return parsePhone() ?? parseWord()
        default: return parseWord()
        }
    }

    private mutating func consumeText(to end: Int, format: TextFormat?) -> [FormattedText] {
        consumeText(position..<end, of: end, format: format)
    }

    /// Moves the position to `end`. Returns a fragment with the displayed text.
    /// - Parameter shown: the range of the displayed text in the line. Marks that set the format are outside of this
    ///   range.
    private mutating func consumeText(_ shown: Range<Int>, of end: Int, format: TextFormat?) -> [FormattedText] {
        defer { line.position = end }
        return [FormattedText(format: format, text: line.readText(shown))]
    }

    /// Returns whether the text between two marks is empty, or begins or ends with a blank.
    private func isEmptyOrBlankAtEdge(_ inner: Range<Int>) -> Bool {
        inner.isEmpty || line[inner.lowerBound] == " " || line[inner.upperBound - 1] == " "
    }

    private mutating func parseDelimitedText(_ mark: Unicode.Scalar, _ format: TextFormat) -> [FormattedText] {
        guard let closing = line.findNext(mark, from: position + 1) else {
            return consumeText(to: line.end, format: nil)
        }
        let inner = position + 1..<closing
        return isEmptyOrBlankAtEdge(inner)
            ? consumeText(to: closing + 1, format: nil) : consumeText(inner, of: closing + 1, format: format)
    }

    /// Reads a secret, a text between marks `#`. One mark at each end is removed, and additional marks are shown.
    private mutating func parseSecret() -> [FormattedText]? {
        let opened = line.findRunEnd(of: position) { $0 == "#" }
        guard let closing = line.findNext("#", from: opened), !isEmptyOrBlankAtEdge(opened..<closing) else {
            return nil
        }
        let end = line.findRunEnd(of: closing) { $0 == "#" }
        return consumeText(position + 1..<end - 1, of: end, format: .secret)
    }

    /// Reads a SimpleX name: `@alice.simplex`, `#news.simplex`, or `#news`, which means `#news.simplex`. Punctuation at
    /// the end of the word is not part of the name. A contact's name without a point is a mention.
    private mutating func parseName() -> [FormattedText]? {
        let longest = 253
        let wordEnd = line.findRunEnd(of: position + 1) { $0 != " " }
        let nameEnd = line.findTrimmedEnd(position + 1..<wordEnd) { $0.properties.generalCategory.isPunctuation }
        guard nameEnd - position <= longest + 1 else { return nil }
        var text = line.readText(position + 1..<nameEnd)
        let type: SimplexNameType = line[position] == "@" ? .contact : .publicGroup
        if type == .publicGroup, !text.utf8.contains(UInt8(ascii: ".")) { text += ".simplex" }
        guard let domain = try? NameDomain(parsing: text.utf8) else { return nil }
        let info = SimplexNameInfo(nameType: type, nameDomain: SimplexDomain(domain))
        return consumeText(to: nameEnd, format: .simplexName(nameInfo: info)) + consumeText(to: wordEnd, format: nil)
    }

    private mutating func parseColoredText() -> [FormattedText]? {
        let blank = line.findRunEnd(of: position + 1) { $0 != " " && $0 != "!" }
        guard blank - position <= Color.maxMarkupLength + 1, line[blank] == " ",
            let color = Color(markup: line.readText(position + 1..<blank)),
            let closing = line.findNext("!", from: blank + 1), !isEmptyOrBlankAtEdge(blank + 1..<closing)
        else { return nil }
        return consumeText(blank + 1..<closing, of: closing + 1, format: .colored(color: color))
    }

    /// Reads a name after its sign: `@name`, or `@'a name with spaces'`. Punctuation at the end is not part of a name
    /// without quotation marks. A name in quotation marks must not be empty.
    private mutating func parsePrefixedName(_ format: (String) -> TextFormat?) -> [FormattedText]? {
        if line[position + 1] == "'" {
            guard let closing = line.findNext("'", from: position + 2), line[position + 2]?.beginsName == true,
                closing > position + 2,
                let format = format(line.readText(position + 2..<closing))
            else { return nil }
            return consumeText(to: closing + 1, format: format)
        }
        guard line[position + 1]?.beginsName == true else { return nil }
        let wordEnd = line.findRunEnd(of: position + 1) { !$0.separatesNames }
        let nameEnd = line.findTrimmedEnd(position + 1..<wordEnd) { $0.properties.generalCategory.isPunctuation }
        guard let format = format(line.readText(position + 1..<nameEnd)) else { return nil }
        return consumeText(to: nameEnd, format: format) + consumeText(to: wordEnd, format: nil)
    }

    /// Returns whether a slash inside of a text begins a command. The first word after the slash must consist of
    /// letters, digits and underscores, so that a path is not a command.
    private static func isCommand(_ name: String) -> Bool {
        guard let keyword = name.unicodeScalars.split(whereSeparator: \.separatesNames).first else { return false }
        return keyword.allSatisfy { $0.isDigit || $0 == "_" || $0.properties.generalCategory.isLetter }
    }

    private mutating func parseHyperLink() -> [FormattedText]? {
        guard let bracket = line.findNext("]", from: position + 1), bracket > position + 1, line[bracket + 1] == "(",
            let closing = line.findNext(")", from: bracket + 2), closing > bracket + 2
        else { return nil }
        let shown = position + 1..<bracket, target = bracket + 2..<closing
        // The shown text of a link may look like an address if it contains punctuation. Such a text must equal the
        // target of the link, with or without `https://`, since another address would mislead the reader.
        let misleads =
            line.findRunEnd(of: shown.lowerBound) {
                $0 == "-" || $0 == "_" || !$0.properties.generalCategory.isPunctuation
            }
            < bracket
        if misleads {
            // This cheap test avoids most comparisons: equal texts have the same number of blanks.
            guard line.countBlanks(in: shown) == line.countBlanks(in: target) else { return nil }
            let (text, uri) = (line.readText(shown), line.readText(target))
            guard text == uri || "https://" + text == uri else { return nil }
        }
        let blank = line.findNext(" ", from: target.lowerBound) ?? line.end
        if blank >= closing, let link = shortLinkFormat(line.readText(target), showText: line.readText(shown)) {
            return consumeText(to: closing + 1, format: link)
        }
        guard isWebAddress(target, blank: blank) else { return nil }
        return consumeText(
            to: closing + 1,
            format: .hyperLink(showText: line.readText(shown), linkUri: line.readText(target))
        )
    }

    /// Returns whether the text in a range of the line is a web address, by the rules of ``WebAddress/isURI(_:)``. For
    /// speed, this function does not copy the query, which may contain any characters. It also reuses the result of the
    /// last check of a fragment.
    /// - Parameter blank: the position of the first blank in or after the range. A blank before the query is not
    ///   permitted.
    private mutating func isWebAddress(_ range: Range<Int>, blank: Int) -> Bool {
        let hash = line.findNext("#", from: range.lowerBound).flatMap { $0 < range.upperBound ? $0 : nil }
        let query = line.findNext("?", from: range.lowerBound).flatMap { $0 < range.upperBound ? $0 : nil }
        let location = range.lowerBound..<min(hash ?? range.upperBound, query ?? range.upperBound)
        guard range.count >= WebAddress.minLength, blank >= location.upperBound,
            WebAddress.isAddressWithoutQuery(line.readText(location)[...].utf8)
        else { return false }
        return hash.map {
            line.allSatisfy($0 + 1..<range.upperBound) { $0.isASCII && WebAddress.isFragmentCharacter(UInt8($0.value)) }
        } ?? true
    }

    /// Reads a phone number with 7 to 22 characters: an optional country code, an optional code in parentheses, and
    /// digits in groups.
    private mutating func parsePhone() -> [FormattedText]? {
        let longest = 22
        var end = position
        func skipDigits() -> Bool {
            let first = end
            while line[end]?.isDigit == true { end += 1 }
            line.addExaminedCount(end - first)
            return end > first
        }
        func skipAfterSeparator(_ body: () -> Bool) -> Bool {
            let first = end
            if let scalar = line[end], " -.".unicodeScalars.contains(scalar) { end += 1 }
            if body() { return true }
            end = first
            return false
        }
        func skipCharacter(_ expected: Unicode.Scalar) -> Bool {
            guard line[end] == expected else { return false }
            end += 1
            return true
        }
        if skipCharacter("+"), !skipDigits() { return nil }
        _ = skipAfterSeparator { skipCharacter("(") && skipDigits() && skipCharacter(")") }
        // The loop ends as soon as the sequence exceeds the limit, since a longer sequence is not a phone number.
        while end - position <= longest, skipAfterSeparator(skipDigits) {}
        return (7...longest).contains(end - position) ? consumeText(to: end, format: .phone) : nil
    }

    /// Returns the format of a SimpleX link, with the purpose of the link and the hosts of its relays; nil for other
    /// texts.
    private func connectionLinkFormat(_ text: String) -> TextFormat? {
        guard text.contains("#"), text.hasPrefix("simplex:/") || text.hasPrefix("https://") else { return nil }
        guard text.contains("#/?") else { return shortLinkFormat(text, showText: nil) }
        guard let request = try? ConnectionRequest(parsing: text) else { return nil }
        let isGroup = request.leadsToGroup
        return .simplexLink(
            showText: nil,
            linkType: request.isInvitation ? .invitation : isGroup ? .group : .contact,
            simplexUri: request.uri,
            smpHosts: request.queues.flatMap { $0.server.hosts.map(\.str) }
        )
    }

    private func shortLinkFormat(_ text: String, showText: String?) -> TextFormat? {
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
        return .simplexLink(
            showText: showText,
            linkType: type,
            simplexUri: link.uri,
            smpHosts: link.server.hosts.map(\.str)
        )
    }

    private mutating func parseWord() -> [FormattedText] {
        let wordEnd = line.findRunEnd(of: position) { $0 != " " }
        let coreEnd = line.findTrimmedEnd(position..<wordEnd, \.endsWord)
        let text = line.readText(position..<coreEnd)
        let format: TextFormat? =
            if let link = connectionLinkFormat(text) {
                link
            } else if WebAddress.isURI(text) || WebAddress.isDomain(text) {
                .uri
            } else if WebAddress.isEmail(text) { .email } else { nil }
        guard format != nil else { return consumeText(to: wordEnd, format: nil) }
        return consumeText(to: coreEnd, format: format) + consumeText(to: wordEnd, format: nil)
    }
}

extension Color {
    fileprivate static let maxMarkupLength = 7

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

    /// Whether the scalar is punctuation that ends a sentence, and does not belong to an address.
    fileprivate var endsWord: Bool { self != "/" && self != ")" && properties.generalCategory.isPunctuation }

    fileprivate var beginsName: Bool { value > 0x20 && self != "#" && self != "@" && self != "'" }

    /// Whether the scalar is a space, a tab, a line end, or another character of the Unicode category for spaces.
    fileprivate var separatesNames: Bool {
        (0x09...0x0D).contains(value) || properties.generalCategory == .spaceSeparator
    }
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
        case .connectorPunctuation, .dashPunctuation, .openPunctuation, .closePunctuation, .initialPunctuation,
            .finalPunctuation,
            .otherPunctuation:
            true
        default: false
        }
    }
}

extension [FormattedText] {
    /// The names of the mentioned members, in the order of the text.
    package var mentionedNames: [String] {
        compactMap { if case .mention(let name)? = $0.format { name } else { nil } }
    }
}
