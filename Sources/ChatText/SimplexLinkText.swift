internal import Agent

/// Detection of SimpleX links that are split by white space. ``MarkdownParser`` does not recognize split links, but
/// people could still join their parts.
package enum SimplexLinkText {
    /// The maximum length of a host name with a port.
    private static let maxHostLength = 300
    /// The number of characters of the key in a short link.
    private static let encodedKeyLength = 43

    /// The maximum number of positions in a text that are checked for a link.
    private static let maxCheckedPositions = 64

    /// Returns whether the text contains a link after its white space is removed. All text after the beginning of a
    /// full link counts as a part of the link.
    package static func containsSplitLink(in text: String) -> Bool {
        guard text.utf8.contains(UInt8(ascii: "#")) else { return false }
        var solid = ""
        solid.unicodeScalars.append(contentsOf: text.unicodeScalars.lazy.filter { !$0.properties.isWhitespace })
        let bytes = Array(solid.utf8)
        let starts = bytes.indices.lazy.filter {
            bytes[$0...].starts(with: "simplex:/".utf8) || bytes[$0...].starts(with: "https://".utf8)
        }
        return starts.prefix(maxCheckedPositions).contains { isLink(bytes[$0...]) }
    }

    private static func isLink(_ text: ArraySlice<UInt8>) -> Bool {
        var rest = text
        if !skipPrefix("simplex:", &rest) {
            guard skipPrefix("https://", &rest),
                let slash = rest.prefix(maxHostLength).firstIndex(of: UInt8(ascii: "/")),
                slash > rest.startIndex
            else {
                return false
            }
            rest = rest[slash...]
        }
        guard skipPrefix("/", &rest) else { return false }
        var full = rest
        if skipPrefix("invitation", &full) || skipPrefix("contact", &full) {
            _ = skipPrefix("/", &full)
            if skipPrefix("#/?", &full) {
                return (try? ConnectionRequest(parsing: String(decoding: text, as: UTF8.self))) != nil
            }
        }
        guard let kind = rest.popFirst(), kind.isLetter else { return false }
        _ = skipPrefix("/", &rest)
        guard skipPrefix("#", &rest) else { return false }
        let shown = rest.prefix(encodedKeyLength)
        return shown.count == encodedKeyLength && shown.allSatisfy { $0.isLetter || "0123456789-_/".utf8.contains($0) }
    }

    private static func skipPrefix(_ text: String, _ rest: inout ArraySlice<UInt8>) -> Bool {
        guard rest.starts(with: text.utf8) else { return false }
        rest = rest.dropFirst(text.utf8.count)
        return true
    }
}

extension UInt8 {
    fileprivate var isLetter: Bool { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self | 0x20) }
}
