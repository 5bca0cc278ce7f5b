/// Writes a page of the documentation as HTML. It supports only the parts of Markdown and DocC that the pages use:
/// headings, paragraphs, lists, tables, code, asides, pictures, links, and bold text.
struct MarkdownWriter: Sendable {
    /// Returns the address and the title of a page, by its name in `<doc:…>`.
    let findPage: @Sendable (_ name: Substring) -> (address: String, title: String)?

    func renderHTML(_ text: String) -> String {
        renderBlocks(text.split(separator: "\n", omittingEmptySubsequences: false))
    }

    private func renderBlocks(_ lines: [Substring]) -> String {
        var rest = lines[...]
        var out = ""
        while let line = rest.first {
            switch Block(line) {
            case .blank: rest.removeFirst()
            case .metadata:
                rest = rest.drop { $0 != "}" }.dropFirst()
            case .heading(let level):
                let title = line.dropFirst(level + 1)
                out += "<h\(level) id=\"\(Self.makeAnchor(title))\">\(renderInline(title))</h\(level)>\n"
                rest.removeFirst()
            case .code:
                rest.removeFirst()
                let code = rest.prefix { !$0.hasPrefix("```") }
                out += "<pre><code>\(code.joined(separator: "\n").escapedForHTML)</code></pre>\n"
                rest = rest.dropFirst(code.count + 1)
            case .table:
                let rows = rest.prefix { $0.hasPrefix("|") }
                out += renderTable(Array(rows))
                rest = rest.dropFirst(rows.count)
            case .aside:
                let quoted = rest.prefix { $0.hasPrefix(">") }
                out +=
                    "<blockquote>\(renderBlocks(quoted.map { $0.dropFirst($0.hasPrefix("> ") ? 2 : 1) }))</blockquote>\n"
                rest = rest.dropFirst(quoted.count)
            case .item(let number, _): out += renderList(&rest, from: number)
            case .text:
                let further = rest.dropFirst().prefix { Block($0).isContinuation }
                out += "<p>\(renderInline(([line] + further).joined(separator: "\n")))</p>\n"
                rest = rest.dropFirst(further.count + 1)
            }
        }
        return out
    }

    /// Kinds of lines that begin a block.
    private enum Block {
        case blank, metadata, code, table, aside, text
        case heading(Int)
        /// An item of a list, with its number (nil for a bullet), and the width of the mark before its text.
        case item(number: Int?, width: Int)

        init(_ line: Substring) {
            let digits = line.prefix { $0.isASCII && $0.isNumber }
            let marks = line.prefix { $0 == "#" }
            if line.allSatisfy({ $0 == " " }) {
                self = .blank
            } else if line.hasPrefix("@") {
                self = .metadata
            } else if line.hasPrefix("```") {
                self = .code
            } else if line.hasPrefix("|") {
                self = .table
            } else if line.hasPrefix(">") {
                self = .aside
            } else if (1...6).contains(marks.count), line.dropFirst(marks.count).hasPrefix(" ") {
                self = .heading(marks.count)
            } else if line.hasPrefix("- ") {
                self = .item(number: nil, width: 2)
            } else if let number = Int(digits), line.dropFirst(digits.count).hasPrefix(". ") {
                self = .item(number: number, width: digits.count + 2)
            } else {
                self = .text
            }
        }

        /// Whether the line continues the preceding paragraph. Inside a paragraph, a number begins a list only if it is
        /// 1.
        var isContinuation: Bool {
            switch self {
            case .text: true
            case .item(let number, _): number.map { $0 != 1 } ?? false
            default: false
            }
        }
    }

    private func renderList(_ rest: inout ArraySlice<Substring>, from first: Int?) -> String {
        var items = ""
        while let line = rest.first, case .item(let number, let width) = Block(line), (number == nil) == (first == nil)
        {
            rest.removeFirst()
            var lines = [line.dropFirst(width)]
            while let next = rest.first {
                let indent = next.prefix { $0 == " " }.count
                let isBlank = indent == next.count
                // A blank line belongs to the item only if the next line continues the item.
                if isBlank, !(rest.dropFirst().first ?? "").hasPrefix(String(repeating: " ", count: width)) { break }
                guard isBlank || indent >= min(width, 2) else { break }
                lines.append(next.dropFirst(min(indent, width)))
                rest.removeFirst()
            }
            while let next = rest.first, case .blank = Block(next) { rest.removeFirst() }
            var content = renderBlocks(lines)
            // The first paragraph of an item is written without `<p>`, because it needs no space around it.
            if content.hasPrefix("<p>"), let end = content.firstRange(of: "</p>\n") {
                content.removeSubrange(end)
                content.removeFirst(3)
            }
            items += "<li>\(content)</li>\n"
        }
        guard let first else { return "<ul>\(items)</ul>\n" }
        return "<ol start=\"\(first)\">\(items)</ol>\n"
    }

    private func renderTable(_ rows: [Substring]) -> String {
        var out = "<table>"
        for (index, row) in rows.enumerated() where index != 1 {
            let tag = index == 0 ? "th" : "td"
            let cells = Self.splitCells(row).map { "<\(tag)>\(renderInline($0))</\(tag)>" }
            out += "<tr>\(cells.joined())</tr>\n"
        }
        return out + "</table>\n"
    }

    /// Returns the cells of a row. The character `|` after a backslash does not end its cell.
    private static func splitCells(_ row: Substring) -> [String] {
        var cells: [String] = []
        var cell = ""
        for character in row.dropFirst() {
            if character == "|", cell.last != "\\" {
                cells.append(cell.trimmingSpaces)
                cell = ""
            } else {
                if character == "|" { cell.removeLast() }
                cell.append(character)
            }
        }
        return cells
    }

    private func renderInline(_ text: some StringProtocol) -> String {
        var rest = Substring(text)
        var out = ""
        while let first = rest.first {
            if first == "`", let (code, after) = Self.splitBetween(rest, "`", "`") {
                out += "<code>\(code.escapedForHTML)</code>"
                rest = after
            } else if let (bold, after) = Self.splitBetween(rest, "**", "**") {
                out += "<strong>\(renderInline(bold))</strong>"
                rest = after
            } else if let (name, after) = Self.splitBetween(rest, "<doc:", ">"), let found = findPage(name) {
                out += "<a href=\"\(found.address.escapedForAttribute)\">\(found.title.escapedForHTML)</a>"
                rest = after
            } else if let (words, target) = Self.splitBetween(rest, "![", "]"),
                let (address, after) = Self.splitBetween(target, "(", ")")
            {
                out += "<img src=\"\(address.escapedForAttribute)\" alt=\"\(words.escapedForAttribute)\">"
                rest = after
            } else if let (words, target) = Self.splitBetween(rest, "[", "]"),
                let (address, after) = Self.splitBetween(target, "(", ")")
            {
                out += "<a href=\"\(address.escapedForAttribute)\">\(renderInline(words))</a>"
                rest = after
            } else {
                out += String(first).escapedForHTML
                rest.removeFirst()
            }
        }
        return out
    }

    /// Returns the text between two marks, and the text after the second mark. Returns nil if `rest` does not begin
    /// with the first mark, a text and the second mark.
    private static func splitBetween(
        _ rest: Substring,
        _ opening: String,
        _ closing: String
    ) -> (content: Substring, after: Substring)? {
        guard rest.hasPrefix(opening) else { return nil }
        let content = rest.dropFirst(opening.count)
        guard let end = content.firstRange(of: closing), end.lowerBound != content.startIndex else { return nil }
        return (content[..<end.lowerBound], content[end.upperBound...])
    }

    /// Returns the anchor of a heading, which is the fragment in addresses.
    private static func makeAnchor(_ title: Substring) -> String {
        title.lowercased().split { !($0.isASCII && ($0.isLetter || $0.isNumber)) }.joined(separator: "-")
    }
}
