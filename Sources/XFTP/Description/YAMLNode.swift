/// The part of YAML that descriptions of files need: mappings and sequences in block style, empty ones also as `{}` and
/// `[]`, plain or quoted scalars on one line, comments, and the marks `---` and `...` around a document. Other syntax,
/// such as anchors, tags and texts over several lines, is an error.
enum YAMLNode: Hashable {
    /// A scalar. If it is not quoted, it may be a number or a reserved word, such as `null`.
    case scalar(String, isQuoted: Bool)
    case list([YAMLNode])
    case mapping([String: YAMLNode])
    case null

    init(parsing text: String) throws(FileDescriptionError) {
        var parser = YAMLParser(text)
        self = try parser.parseDocument()
    }
}

private struct YAMLParser {
    private struct SourceLine {
        var indent: Int
        var content: Substring
    }

    private static let maxDepth = 8
    private var lines: [SourceLine] = []
    private var lineIndex = 0

    init(_ text: String) {
        for (number, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated() {
            let indent = line.prefix { $0 == " " }.count
            let content = line.dropFirst(indent)
            guard let first = content.first, first != "#" else { continue }
            if line == "---" || line == "...", number == 0 || line == "..." {
                if line == "..." { return }
                continue
            }
            lines.append(SourceLine(indent: indent, content: content))
        }
    }

    mutating func parseDocument() throws(FileDescriptionError) -> YAMLNode {
        guard let first = lines.first else { throw .malformed("empty") }
        let node = try parseBlock(indent: first.indent, depth: 0)
        guard lineIndex == lines.count else { throw .malformed("indentation") }
        return node
    }

    private var currentLine: SourceLine? { lineIndex < lines.count ? lines[lineIndex] : nil }

    private static func isItem(_ content: Substring) -> Bool { content == "-" || content.hasPrefix("- ") }

    private mutating func parseBlock(indent: Int, depth: Int) throws(FileDescriptionError) -> YAMLNode {
        guard depth < Self.maxDepth else { throw .malformed("depth") }
        guard let line = currentLine else { return .null }
        if Self.isItem(line.content) { return try parseSequence(indent: indent, depth: depth) }
        if Self.splitKey(line.content) != nil { return try parseMapping(indent: indent, depth: depth) }
        lineIndex += 1
        return try Self.parseScalar(line.content)
    }

    private mutating func parseSequence(indent: Int, depth: Int) throws(FileDescriptionError) -> YAMLNode {
        var items: [YAMLNode] = []
        while let line = currentLine, line.indent == indent, Self.isItem(line.content) {
            let spaces = line.content.dropFirst().prefix { $0 == " " }.count
            let rest = line.content.dropFirst(1 + spaces)
            if rest.isEmpty || rest.first == "#" {
                lineIndex += 1
                items.append(try parseChild(of: indent, depth: depth))
            } else {
                // The text after the dash is parsed as a separate line with a deeper indentation.
                lines[lineIndex] = SourceLine(indent: indent + 1 + spaces, content: rest)
                items.append(try parseBlock(indent: indent + 1 + spaces, depth: depth + 1))
            }
        }
        return .list(items)
    }

    private mutating func parseMapping(indent: Int, depth: Int) throws(FileDescriptionError) -> YAMLNode {
        var fields: [String: YAMLNode] = [:]
        while let line = currentLine, line.indent == indent {
            guard let (key, rest) = Self.splitKey(line.content) else { throw .malformed("key") }
            lineIndex += 1
            let value: YAMLNode
            if rest.isEmpty || rest.first == "#" {
                if let next = currentLine, next.indent == indent, Self.isItem(next.content) {
                    value = try parseSequence(indent: indent, depth: depth + 1)
                } else {
                    value = try parseChild(of: indent, depth: depth)
                }
            } else {
                value = try Self.parseScalar(rest)
            }
            guard fields.updateValue(value, forKey: key) == nil else { throw .malformed("repeated key") }
        }
        return .mapping(fields)
    }

    /// Parses the node in the next lines, which must be indented further than the parent. Returns null when there is no
    /// further indentation.
    private mutating func parseChild(of indent: Int, depth: Int) throws(FileDescriptionError) -> YAMLNode {
        guard let next = currentLine, next.indent > indent else { return .null }
        return try parseBlock(indent: next.indent, depth: depth + 1)
    }

    /// Returns the key in a line of a mapping, and the text after the key.
    private static func splitKey(_ content: Substring) -> (key: String, rest: Substring)? {
        let letters = content.prefix { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_" || $0 == "-") }
        let rest = content.dropFirst(letters.count)
        guard !letters.isEmpty, rest.first == ":", rest.count == 1 || rest.dropFirst().first == " " else { return nil }
        return (String(letters), rest.dropFirst().drop { $0 == " " })
    }

    private static func parseScalar(_ content: Substring) throws(FileDescriptionError) -> YAMLNode {
        guard let first = content.first else { return .null }
        switch first {
        case "'", "\"": return .scalar(try parseQuoted(content.dropFirst(), by: first), isQuoted: true)
        case "[", "{":
            switch withoutComment(content) {
            case "[]": return .list([])
            case "{}": return .mapping([:])
            default: throw .malformed("flow style")
            }
        case "&", "*", "!", "|", ">", "%", "@", "`", "?", ",", "]", "}": throw .malformed("scalar")
        default: return .scalar(String(withoutComment(content)), isQuoted: false)
        }
    }

    private static func withoutComment(_ content: Substring) -> Substring {
        var end = content.endIndex
        var previous: Character = "x"
        for index in content.indices {
            if content[index] == "#", previous == " " {
                end = index
                break
            }
            previous = content[index]
        }
        var text = content[..<end]
        while text.last == " " || text.last == "\t" { text.removeLast() }
        return text
    }

    private static func parseQuoted(_ content: Substring, by quote: Character) throws(FileDescriptionError) -> String {
        var rest = content
        var text = ""
        while let character = rest.popFirst() {
            if character == quote {
                if quote == "'", rest.first == "'" {
                    rest.removeFirst()
                    text.append("'")
                    continue
                }
                guard withoutComment(" " + rest).isEmpty else { break }
                return text
            }
            guard quote == "\"", character == "\\" else {
                text.append(character)
                continue
            }
            switch rest.popFirst() {
            case "n": text.append("\n")
            case "t": text.append("\t")
            case "\\": text.append("\\")
            case "\"": text.append("\"")
            case "/": text.append("/")
            default: throw .malformed("escape")
            }
        }
        throw .malformed("quotes")
    }
}
