/// The words of a script that is being shortened, and the names among them that can be shortened: imported names, and
/// names that the script declares but does not export. Each such name gets a short one that occurs nowhere in the
/// script. The short name replaces it everywhere, so that scopes need not be known.
/// A name stays if it is also exported, if it is or may be the name of a member, or if the browser has the same name.
struct OwnNames {
    private struct Word {
        let name: ArraySlice<UInt8>
        /// The position of the word in the output.
        let start: Int
        /// The byte before the word, and the word before it if only a space separates the two.
        let before: UInt8
        let wordBefore: String
        /// The innermost open bracket around the word.
        let within: UInt8?
        let depth: Int
        let isImported: Bool
        let isExported: Bool
        var isDeclared: Bool
        /// Whether the word and the parentheses after it are before a brace.
        var isMethod = false
    }

    /// Parentheses: the index of the word before them, and of the first word in them.
    private struct Parentheses {
        let callee: Int?
        let first: Int
    }

    private var words: [Word] = []
    private var open: [Parentheses] = []
    /// The last closed parentheses, if nothing follows them yet.
    private var closed: Parentheses?
    private var isImport = false
    /// Whether declarations of the outermost scope are exported here.
    private var isExport = false

    private static let newLine = UInt8(ascii: "\n"), space = UInt8(ascii: " "), arrowHead = UInt8(ascii: ">")
    private static let object = UInt8(ascii: "{"), block = UInt8(ascii: "b"), classBody = UInt8(ascii: "c")

    // MARK: Reading

    mutating func read(_ name: ArraySlice<UInt8>, after output: [UInt8], within brackets: [UInt8]) {
        let before = output.last ?? Self.newLine
        let last = words.last.flatMap { $0.start + $0.name.count + 1 == output.count && before == Self.space ? String(decoding: $0.name, as: UTF8.self) : nil } ?? ""
        if brackets.isEmpty, before == Self.newLine || before == UInt8(ascii: ";") {
            isImport = name.elementsEqual("import".utf8)
            isExport = name.elementsEqual("export".utf8)
        }
        let declares = Self.declarations.contains(last) || brackets.isEmpty && before == UInt8(ascii: ",")
        words.append(
            Word(
                name: name, start: output.count, before: before, wordBefore: last, within: brackets.last, depth: brackets.count,
                isImported: isImport && brackets == [Self.object] && !name.elementsEqual("as".utf8),
                isExported: brackets.isEmpty && isExport && (declares || last == "class"), isDeclared: declares && !(brackets.isEmpty && isExport)))
        closed = nil
    }

    /// The kind of a bracket that opens; for a brace whether it is an object, a block or the body of a class.
    mutating func open(_ bracket: UInt8, after output: [UInt8]) -> UInt8 {
        defer { closed = nil }
        let last = words.last.flatMap { $0.start + $0.name.count == output.count ? words.count - 1 : nil }
        if bracket == UInt8(ascii: "(") { open.append(Parentheses(callee: last, first: words.count)) }
        guard bracket == Self.object else { return bracket }
        if let last {
            let word = words[last]
            if word.wordBefore == "class" || word.wordBefore == "extends" { return Self.classBody }
            return Self.beforeBlocks.contains(String(decoding: word.name, as: UTF8.self)) ? Self.block : Self.object
        }
        if let closed { declareParameters(of: closed) }
        return output.last.map { "){};\n>".utf8.contains($0) } ?? true ? Self.block : Self.object
    }

    mutating func close(_ bracket: UInt8) { closed = bracket == UInt8(ascii: "(") ? open.popLast() : nil }

    /// Notes a sign. Parentheses before an arrow contain parameters.
    mutating func readSign(_ sign: UInt8, _ next: UInt8?) {
        if let closed, sign == UInt8(ascii: "="), next == Self.arrowHead { declareParameters(of: Parentheses(callee: nil, first: closed.first)) }
        if sign != Self.object { closed = nil }
    }

    private mutating func declareParameters(of list: Parentheses) {
        if let callee = list.callee {
            if Self.beforeParentheses.contains(String(decoding: words[callee].name, as: UTF8.self)) { return }
            words[callee].isMethod = words[callee].wordBefore != "function"
        }
        guard list.first < words.count else { return }
        let depth = words[list.first...].map(\.depth).min() ?? 0
        for index in list.first..<words.count where words[index].depth == depth && "(,".utf8.contains(words[index].before) && words[index].within == UInt8(ascii: "(") {
            words[index].isDeclared = true
        }
    }

    // MARK: Shortening

    func shortened(in output: [UInt8]) -> [UInt8] {
        let short = shortNames(in: output)
        var result: [UInt8] = []
        result.reserveCapacity(output.count)
        var end = 0
        for word in words {
            guard let name = short[word.name], !Self.isMember(word, in: output) else { continue }
            // In `a as b`, only the second name belongs to this script.
            if word.isImported, Self.next(after: word, in: output).elementsEqual(" as ".utf8) { continue }
            result += output[end..<word.start]
            if word.isImported, word.wordBefore != "as" { result += word.name + Array(" as ".utf8) }
            result += name
            end = word.start + word.name.count
        }
        return result + output[end...]
    }

    /// Short names for the names that can be shortened. The shortest ones go to the names that save the most bytes.
    private func shortNames(in output: [UInt8]) -> [ArraySlice<UInt8>: [UInt8]] {
        let uses = Dictionary(grouping: words, by: \.name)
        let own = uses.filter { name, words in
            name.count > 1 && words.contains { $0.isImported || $0.isDeclared || Self.isParameter($0, in: output) }
                && !words.contains { $0.isExported || Self.mayBeMember($0, in: output) } && !Self.kept.contains(String(decoding: name, as: UTF8.self))
        }
        let gains = own.map { name, words in
            (name: name, gain: words.count { !Self.isMember($0, in: output) } * (name.count - 1) - (words.contains(where: \.isImported) ? name.count + 4 : 0))
        }
        var short: [ArraySlice<UInt8>: [UInt8]] = [:]
        var number = 0
        for (name, gain) in gains.sorted(by: { $0.gain != $1.gain ? $0.gain > $1.gain : $0.name.lexicographicallyPrecedes($1.name) }) where gain > 0 {
            var next: [UInt8]
            repeat {
                next = CompactScript.shortName(number)
                number += 1
            } while uses[next[...]] != nil || Self.reserved.contains(String(decoding: next, as: UTF8.self))
            if next.count < name.count { short[name] = next }
        }
        return short
    }

    /// Whether a word is a member, as in `a.name`, but not in `...name`.
    private static func isMember(_ word: Word, in output: [UInt8]) -> Bool {
        word.before == UInt8(ascii: ".") && !(word.start > 1 && output[word.start - 2] == UInt8(ascii: "."))
    }

    /// Whether a word is the parameter of an arrow function, as in `name => …`.
    private static func isParameter(_ word: Word, in output: [UInt8]) -> Bool { next(after: word, in: output).prefix(2).elementsEqual("=>".utf8) }

    /// Whether a word may be the name of a member: `{name}`, `{name: …}`, and in a class `name() {…}` and `name = …`.
    private static func mayBeMember(_ word: Word, in output: [UInt8]) -> Bool {
        guard word.within == object || word.within == classBody, !word.isImported, !isMember(word, in: output) else { return false }
        if word.isMethod { return true }
        guard (word.within == object ? "{," : "{;}\n").utf8.contains(word.before) || word.wordBefore == "static" else { return false }
        let next = next(after: word, in: output), isAssigned = next.starts(with: "=".utf8) && !next.starts(with: "==".utf8) && !next.starts(with: "=>".utf8)
        return isAssigned || next.isEmpty || ",};:\n".utf8.contains(next[next.startIndex])
    }

    /// The four bytes after a word.
    private static func next(after word: Word, in output: [UInt8]) -> ArraySlice<UInt8> { output[(word.start + word.name.count)...].prefix(4) }

    private static let declarations: Set = ["const", "let", "function"]
    private static let beforeBlocks: Set = ["else", "try", "finally", "do"]
    private static let beforeParentheses: Set = ["if", "for", "while", "switch"]
    private static let reserved: Set = ["as", "do", "if", "in", "is", "of"]
    /// Names that a script may use without declaring them, and words that are names only in some places.
    private static let kept: Set = [
        "async", "close", "document", "event", "from", "get", "history", "location", "name", "navigator", "open", "set", "static", "status", "stop", "top", "window",
    ]
}
