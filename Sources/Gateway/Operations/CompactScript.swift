/// A script without what only its readers need: comments, indentation, spaces and ends of lines between tokens that are two without them, and the names
/// of private members, which nothing outside of their class can say. Other names stay.
/// It reads the scripts of this program, not any script: a `/` after a brace divides.
struct CompactScript {
    private let source: [UInt8]
    private var next = 0
    private var output: [UInt8] = []
    /// Whether a `/` would begin a regular expression, by the token before it.
    private var expectsOperand = true
    /// Whether the last token is a regular expression: a name after it would be its flags.
    private var endsExpression = false
    /// How many braces are open in each `${` around this place.
    private var substitutions: [Int] = []
    /// The short names of private members.
    private var privateNames: [ArraySlice<UInt8>: [UInt8]] = [:]

    static func bytes(of source: [UInt8]) -> [UInt8] {
        var script = CompactScript(source: source)
        return script.compacted()
    }

    private init(source: [UInt8]) {
        self.source = source
        output.reserveCapacity(source.count)
    }

    private mutating func compacted() -> [UInt8] {
        while let byte = peek() {
            if Self.isSpace(byte) || isComment {
                passSpace()
            } else if Self.isWord(byte) {
                copyWord()
            } else {
                copySign(byte)
            }
        }
        return output
    }

    // MARK: Space

    private var isComment: Bool { peek() == UInt8(ascii: "/") && [UInt8(ascii: "/"), UInt8(ascii: "*")].contains(peek(1)) }

    /// Spaces and comments, one after another. The end of a line may end a statement, but not after what opens or separates something, nor before what closes it.
    private mutating func passSpace() {
        var endsLine = false
        while let byte = peek() {
            if isComment {
                endsLine = passComment() || endsLine
            } else if Self.isSpace(byte) {
                endsLine = endsLine || byte == UInt8(ascii: "\n")
                next += 1
            } else {
                break
            }
        }
        guard let before = output.last, let after = peek() else { return }
        if endsLine, !"{([,;".utf8.contains(before), !"})]".utf8.contains(after) {
            output.append(UInt8(ascii: "\n"))
        } else if endsExpression || Self.belongApart(before, after) {
            output.append(UInt8(ascii: " "))
        }
        endsExpression = false
    }

    /// Whether a line ends in it. The end of the line that ends a comment is not of the comment.
    private mutating func passComment() -> Bool {
        let isBlock = peek(1) == UInt8(ascii: "*")
        var endsLine = false
        next += 2
        while let byte = peek() {
            if isBlock, byte == UInt8(ascii: "*"), peek(1) == UInt8(ascii: "/") {
                next += 2
                break
            }
            if byte == UInt8(ascii: "\n") {
                guard isBlock else { break }
                endsLine = true
            }
            next += 1
        }
        return endsLine
    }

    /// Two words would be one, a number and a point a longer number, and these operators others.
    private static func belongApart(_ before: UInt8, _ after: UInt8) -> Bool {
        if isWord(before) && isWord(after) || isDigit(before) && after == UInt8(ascii: ".") { return true }
        switch before {
        case UInt8(ascii: "+"), UInt8(ascii: "/"): return after == before
        case UInt8(ascii: "-"): return after == before || after == UInt8(ascii: ">")
        case UInt8(ascii: "<"): return after == UInt8(ascii: "!")
        case UInt8(ascii: "?"): return after == UInt8(ascii: ".")
        default: return false
        }
    }

    // MARK: Tokens

    private mutating func copyWord() {
        let start = next
        while let byte = peek(), Self.isWord(byte) { next += 1 }
        output += source[start] == UInt8(ascii: "#") ? shortName(of: source[start..<next]) : Array(source[start..<next])
        expectsOperand = Self.operandFollows.contains(String(decoding: source[start..<next], as: UTF8.self))
        endsExpression = false
    }

    /// `#a`, `#b`, …, the same for the same name in the whole script.
    private mutating func shortName(of name: ArraySlice<UInt8>) -> [UInt8] {
        if let known = privateNames[name] { return known }
        var number = privateNames.count
        var short = [UInt8(ascii: "#")]
        repeat {
            short.append(UInt8(ascii: "a") + UInt8(number % 26))
            number /= 26
        } while number > 0
        privateNames[name] = short
        return short
    }

    private mutating func copySign(_ byte: UInt8) {
        endsExpression = false
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "'"):
            copyText(to: byte)
            expectsOperand = false
        case UInt8(ascii: "`"):
            copyTemplate()
        case UInt8(ascii: "/") where expectsOperand:
            copyExpression()
        case UInt8(ascii: "}") where substitutions.last == 0:
            substitutions.removeLast()
            copyTemplate()
        default:
            if let open = substitutions.last {
                if byte == UInt8(ascii: "{") { substitutions[substitutions.count - 1] = open + 1 }
                if byte == UInt8(ascii: "}") { substitutions[substitutions.count - 1] = open - 1 }
            }
            copy()
            expectsOperand = ![UInt8(ascii: ")"), UInt8(ascii: "]"), UInt8(ascii: "}")].contains(byte)
        }
    }

    private mutating func copyText(to quote: UInt8) {
        copy()
        while let byte = peek(), byte != quote {
            if byte == UInt8(ascii: "\\") { copy() }
            copy()
        }
        copy()
    }

    /// From its beginning, or from the end of a value in it, to the next value or to its end.
    private mutating func copyTemplate() {
        copy()
        while let byte = peek() {
            if byte == UInt8(ascii: "`") {
                copy()
                expectsOperand = false
                return
            }
            if byte == UInt8(ascii: "$"), peek(1) == UInt8(ascii: "{") {
                copy()
                copy()
                substitutions.append(0)
                expectsOperand = true
                return
            }
            if byte == UInt8(ascii: "\\") { copy() }
            copy()
        }
    }

    /// A regular expression. A `/` within brackets does not end it.
    private mutating func copyExpression() {
        var isClass = false
        copy()
        while let byte = peek(), byte != UInt8(ascii: "\n"), isClass || byte != UInt8(ascii: "/") {
            if byte == UInt8(ascii: "[") { isClass = true }
            if byte == UInt8(ascii: "]") { isClass = false }
            if byte == UInt8(ascii: "\\") { copy() }
            copy()
        }
        copy()
        while let byte = peek(), Self.isWord(byte) { copy() }
        expectsOperand = false
        endsExpression = true
    }

    private func peek(_ distance: Int = 0) -> UInt8? { next + distance < source.count ? source[next + distance] : nil }

    private mutating func copy() {
        guard let byte = peek() else { return }
        output.append(byte)
        next += 1
    }

    // MARK: Kinds of bytes

    private static let operandFollows: Set = ["return", "typeof", "case", "in", "of", "new", "delete", "void", "throw", "instanceof", "else", "do", "await", "yield"]

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0d).contains(byte) }
    private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }
    /// Also of the names of private members, and of letters beyond ASCII.
    private static func isWord(_ byte: UInt8) -> Bool {
        isDigit(byte) || (0x41...0x5a).contains(byte) || (0x61...0x7a).contains(byte) || byte >= 0x80 || "_$#".utf8.contains(byte)
    }
}
