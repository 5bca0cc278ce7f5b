/// Parses the XML answers of a storage. Finds only the elements that this program needs.
enum S3Answer {
    /// Returns the text of the first `Code` element of an error; empty if there is none.
    static func parseErrorCode(_ content: [UInt8]) -> String {
        guard let text = parseElements("Code", of: content, upTo: 1).first, text.count <= 64,
            text.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || $0 == ".") })
        else { return "" }
        return text
    }

    /// Returns the keys in a list of objects; nil for other content. Keys with characters that XML escapes are left
    /// out, because this program never creates such keys.
    static func parseKeys(_ content: [UInt8]) -> [String]? {
        guard content.firstRange(of: Array("<ListBucketResult".utf8)) != nil else { return nil }
        return parseElements("Key", of: content, upTo: 1000).filter { !$0.contains("&") }
    }

    private static func parseElements(_ name: String, of content: [UInt8], upTo limit: Int) -> [String] {
        let (opening, closing) = (Array("<\(name)>".utf8), Array("</\(name)>".utf8))
        var (rest, found) = (content[...], [String]())
        while found.count < limit, let start = rest.firstRange(of: opening) {
            rest = rest[start.upperBound...]
            guard let end = rest.firstRange(of: closing) else { break }
            if let text = String(validating: rest[..<end.lowerBound], as: UTF8.self) { found.append(text) }
            rest = rest[end.upperBound...]
        }
        return found
    }
}
