/// The title, description and picture in the head of a page. Values of Open Graph have precedence over the values of
/// HTML itself.
///
/// Only tags are read, in one pass that stops at the end of the head. Each byte of any page is read only a few times.
struct PageFacts: Sendable {
    private(set) var title: String?
    private(set) var description: String?
    /// The address of the picture as the page contains it. The address may be relative to the page.
    private(set) var picture: String?

    private static let maxTitleLength = 200
    private static let maxDescriptionLength = 500

    /// Reads the head of a page.
    /// - Parameter type: the value of `Content-Type`.
    init(_ bytes: [UInt8], type: String) {
        let isLatin = ["iso-8859-1", "windows-1252", "latin1"].contains { type.lowercased().contains($0) }
        let text = isLatin ? Windows1252.convertToUTF8(bytes) : bytes
        var found: [String: String] = [:]
        var heading: String?
        var tags = TagReader(text)
        while let tag = tags.readNextTag() {
            if tag.name == "body" || tag.name == "/head" { break }
            if tag.name == "title", heading == nil { heading = tags.readText(to: "title") }
            if ["script", "style", "noscript", "template"].contains(tag.name) { _ = tags.readText(to: tag.name) }
            guard tag.name == "meta", let content = tag.attributes["content"],
                let name = tag.attributes["property"] ?? tag.attributes["name"]
            else { continue }
            if found[name.lowercased()] == nil { found[name.lowercased()] = content }
        }
        func findFirstText(_ names: [String], _ limit: Int) -> String? {
            names.lazy.compactMap { found[$0].map { Self.makeLine($0, limit) } }.first { !$0.isEmpty }
        }
        let written = heading.map { Self.makeLine($0, Self.maxTitleLength) } ?? ""
        title = findFirstText(["og:title", "twitter:title"], Self.maxTitleLength) ?? (written.isEmpty ? nil : written)
        description = findFirstText(
            ["og:description", "twitter:description", "description"],
            Self.maxDescriptionLength
        )
        picture = findFirstText(["og:image:secure_url", "og:image", "og:image:url", "twitter:image"], 2048)
    }

    /// Turns a text into one line. Removes control characters, and characters that change the direction of text.
    private static func makeLine(_ text: String, _ limit: Int) -> String {
        let shown = TagReader.decodeReferences(text).unicodeScalars.filter {
            $0.properties.generalCategory != .format || isJoiner($0)
        }
        let words = shown.split { $0.properties.isWhitespace || $0.properties.generalCategory == .control }
        guard words.contains(where: { !$0.allSatisfy(isJoiner) }) else { return "" }
        // The limit counts Unicode scalars, because one letter may have any number of combining marks.
        return String(String.UnicodeScalarView(words.joined(separator: " ".unicodeScalars).prefix(limit)))
    }
}

extension PageFacts {
    /// Whether a character joins other characters to one sign, as in emoji and the scripts of India. Other invisible
    /// characters are removed.
    private static func isJoiner(_ scalar: Unicode.Scalar) -> Bool {
        scalar == "\u{200C}" || scalar == "\u{200D}" || ("\u{E0020}"..."\u{E007F}").contains(scalar)
    }
}

/// The encoding of pages that declare ISO 8859-1 (WHATWG Encoding, section 10.1).
enum Windows1252 {
    /// The code points for the bytes 0x80 to 0x9F.
    private static let highCodePoints: [UInt32] = [
        0x20AC, 0x81, 0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160, 0x2039, 0x0152, 0x8D,
        0x017D, 0x8F,
        0x90, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014, 0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0x9D,
        0x017E, 0x0178,
    ]

    static func convertToUTF8(_ bytes: [UInt8]) -> [UInt8] {
        let scalars = bytes.lazy.map { byte in
            (0x80...0x9F).contains(byte)
                ? Unicode.Scalar(highCodePoints[Int(byte) - 0x80]) ?? Unicode.Scalar(byte) : Unicode.Scalar(byte)
        }
        return Array(String(String.UnicodeScalarView(scalars)).utf8)
    }
}

/// Reads the tags of a page.
struct TagReader {
    struct Tag {
        /// The name in lower case. The name of a closing tag begins with `/`.
        let name: String
        /// The values of the attributes, by the names of the attributes in lower case.
        let attributes: [String: String]
    }

    private let bytes: [UInt8]
    private var position = 0
    /// Maximal number of attributes of a tag that are kept.
    private static let maxAttributes = 32

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    mutating func readNextTag() -> Tag? {
        while let open = bytes[position...].firstIndex(of: UInt8(ascii: "<")) {
            position = open + 1
            if bytes[position...].starts(with: Array("!--".utf8)) {
                position = findIndex(of: Array("-->".utf8), from: position) ?? bytes.count
                continue
            }
            let start = position
            while position < bytes.count,
                Self.isNameByte(bytes[position]) || position == start && bytes[position] == UInt8(ascii: "/")
            { position += 1 }
            guard position > start else { continue }
            let name = String(decoding: bytes[start..<position], as: UTF8.self).lowercased()
            return Tag(name: name, attributes: readAttributes())
        }
        position = bytes.count
        return nil
    }

    /// Returns the text before the end tag of the element `name`. The element contains no other elements.
    mutating func readText(to name: String) -> String {
        let start = position
        var end = start
        while let next = findIndex(of: Array("</".utf8), from: end) {
            let after = next + 2
            if String(decoding: bytes[after...].prefix(name.utf8.count), as: UTF8.self).lowercased() == name {
                position = after
                return String(decoding: bytes[start..<next], as: UTF8.self)
            }
            end = after
        }
        position = bytes.count
        return ""
    }

    private mutating func readAttributes() -> [String: String] {
        var found: [String: String] = [:]
        while position < bytes.count, bytes[position] != UInt8(ascii: ">") {
            let start = position
            while position < bytes.count, !Self.isSpaceByte(bytes[position]), !"=>/".utf8.contains(bytes[position]) {
                position += 1
            }
            let name = String(decoding: bytes[start..<position], as: UTF8.self).lowercased()
            skipSpaces()
            guard position < bytes.count, bytes[position] == UInt8(ascii: "="), !name.isEmpty else {
                // The attribute has no value. If it has no name either, this character (such as a slash) is skipped, so
                // that each step makes progress.
                if position == start { position += 1 }
                continue
            }
            position += 1
            skipSpaces()
            let value = readAttributeValue()
            if found.count < Self.maxAttributes, found[name] == nil { found[name] = value }
        }
        if position < bytes.count { position += 1 }
        return found
    }

    private mutating func readAttributeValue() -> String {
        guard position < bytes.count else { return "" }
        let quote = bytes[position]
        let isQuoted = quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'")
        if isQuoted { position += 1 }
        let start = position
        while position < bytes.count,
            isQuoted
                ? bytes[position] != quote : !Self.isSpaceByte(bytes[position]) && bytes[position] != UInt8(ascii: ">")
        { position += 1 }
        defer { if isQuoted, position < bytes.count { position += 1 } }
        return String(decoding: bytes[start..<position], as: UTF8.self)
    }

    private mutating func skipSpaces() {
        while position < bytes.count, Self.isSpaceByte(bytes[position]) { position += 1 }
    }

    private func findIndex(of sign: [UInt8], from start: Int) -> Int? {
        var place = start
        while let found = bytes[place...].firstIndex(of: sign[0]) {
            if bytes[found...].starts(with: sign) { return found }
            place = found + 1
        }
        return nil
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte) || (0x30...0x39).contains(byte)
            || byte == UInt8(ascii: "-") || byte == UInt8(ascii: ":")
    }

    private static func isSpaceByte(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }

    private static let entities = [
        "amp": "&", "lt": "<", "gt": ">", "quot": "\"", "apos": "'", "nbsp": " ", "ndash": "–", "mdash": "—",
        "hellip": "…", "laquo": "«", "raquo": "»",
    ]

    /// Returns the text with each named or numbered character reference replaced by its character.
    static func decodeReferences(_ text: String) -> String {
        var out = ""
        var rest = Substring(text)
        while let start = rest.firstIndex(of: "&") {
            out += rest[..<start]
            rest = rest[start...].dropFirst()
            guard let end = rest.prefix(12).firstIndex(of: ";"), let meant = parseReference(String(rest[..<end])) else {
                out += "&"
                continue
            }
            out += meant
            rest = rest[rest.index(after: end)...]
        }
        return out + rest
    }

    private static func parseReference(_ name: String) -> String? {
        guard name.hasPrefix("#") else { return entities[name] }
        let digits = name.dropFirst()
        let number = digits.lowercased().hasPrefix("x") ? UInt32(digits.dropFirst(), radix: 16) : UInt32(digits)
        return number.flatMap { Unicode.Scalar($0) }.map { String(Character($0)) }
    }
}
