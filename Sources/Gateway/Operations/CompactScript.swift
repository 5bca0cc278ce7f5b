/// Makes a script shorter. It removes comments, indentation, and spaces and ends of lines that do not separate tokens.
/// It replaces `const` by `let`. It shortens the names of private members, which only their class can use, and the
/// names that only the script itself uses. Other names stay.
/// It supports the scripts of this program, not every script: it reads a `/` after a brace as a division.
struct CompactScript {
    private let source: [UInt8]
    private var next = 0
    private var output: [UInt8] = []
    private var names = OwnNames()
    /// Whether a `/` would begin a regular expression, according to the token before it.
    private var expectsOperand = true
    /// Whether the last token is a regular expression: a name after it would be its flags.
    private var endsExpression = false
    /// The open brackets around the present position, the innermost last: parentheses and brackets, `$` for `${`, and
    /// for braces the result of `OwnNames`.
    private var brackets: [UInt8] = []
    /// The short names of private members.
    private var privateNames: [ArraySlice<UInt8>: [UInt8]] = [:]

    static func bytes(of source: [UInt8]) -> [UInt8] {
        var script = CompactScript(source: source)
        script.compact()
        return script.names.shortened(in: script.output)
    }

    private init(source: [UInt8]) {
        self.source = source
        output.reserveCapacity(source.count)
    }

    private mutating func compact() {
        while let byte = peek() {
            if Self.isSpace(byte) || isComment {
                passSpace()
            } else if Self.isWord(byte) {
                copyWord()
            } else {
                copySign(byte)
            }
        }
    }

    // MARK: Space

    private var isComment: Bool { peek() == UInt8(ascii: "/") && [UInt8(ascii: "/"), UInt8(ascii: "*")].contains(peek(1)) }

    /// Skips spaces and comments. It writes the end of a line if that may end a statement: not after a token that opens
    /// or separates something, and not before a token that closes something.
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

    /// Skips a comment and returns whether a line ends in it. The line feed after a line comment does not belong to the
    /// comment.
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

    /// Whether two bytes would join without a space: two words to one word, a number and a point to a number, two
    /// operators to another operator.
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
        let isPrivate = source[start] == UInt8(ascii: "#")
        var word = source[start..<next]
        // The checks of the scripts ensure that no constant is assigned.
        if word.elementsEqual("const".utf8) { word = ArraySlice("let".utf8) }
        if !isPrivate { names.read(word, after: output, within: brackets) }
        output += isPrivate ? shortName(of: word) : Array(word)
        expectsOperand = Self.operandFollows.contains(String(decoding: word, as: UTF8.self))
        endsExpression = false
    }

    /// The short name of a private member: `#a`, `#b`, …, the same for the same name in the whole script.
    private mutating func shortName(of name: ArraySlice<UInt8>) -> [UInt8] {
        if let known = privateNames[name] { return known }
        let short = [UInt8(ascii: "#")] + Self.shortName(privateNames.count)
        privateNames[name] = short
        return short
    }

    /// The short name for a number: `a`, …, `z`, `A`, …, `Z`, and then longer ones.
    static func shortName(_ number: Int) -> [UInt8] {
        var number = number, short: [UInt8] = []
        repeat {
            let letter = UInt8(number % 52)
            short.append(letter < 26 ? UInt8(ascii: "a") + letter : UInt8(ascii: "A") + letter - 26)
            number /= 52
        } while number > 0
        return short
    }

    private mutating func copySign(_ byte: UInt8) {
        endsExpression = false
        names.readSign(byte, peek(1))
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "'"):
            copyText(to: byte)
            expectsOperand = false
        case UInt8(ascii: "`"):
            copyTemplate()
        case UInt8(ascii: "/") where expectsOperand:
            copyExpression()
        case UInt8(ascii: "}") where brackets.last == UInt8(ascii: "$"):
            brackets.removeLast()
            copyTemplate()
        default:
            if "([{".utf8.contains(byte) {
                brackets.append(names.open(byte, after: output))
            } else if ")]}".utf8.contains(byte), brackets.last ?? UInt8(ascii: "$") != UInt8(ascii: "$") {
                names.close(brackets.removeLast())
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

    /// Copies a template up to its next value or its end. It begins at the start of the template or after a value.
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
                brackets.append(UInt8(ascii: "$"))
                expectsOperand = true
                return
            }
            if byte == UInt8(ascii: "\\") { copy() }
            copy()
        }
    }

    /// Copies a regular expression. A `/` within brackets does not end it.
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
    /// Whether a byte can be in a word. Bytes of private names and of letters beyond ASCII can.
    static func isWord(_ byte: UInt8) -> Bool {
        isDigit(byte) || (0x41...0x5a).contains(byte) || (0x61...0x7a).contains(byte) || byte >= 0x80 || "_$#".utf8.contains(byte)
    }
}
