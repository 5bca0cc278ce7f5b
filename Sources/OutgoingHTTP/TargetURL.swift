import SimpleXCrypto

/// The target of a request: an `http` or `https` URL that all parsers of URLs understand in the same way.
///
/// Forms that parsers understand differently are refused: addresses as one number or with octal parts, names with
/// characters other than ASCII, zones, backslashes, control characters. Other names must be written in their ASCII form
/// (`xn--…`).
package struct TargetURL: Sendable, Hashable {
    package enum Host: Sendable, Hashable {
        /// A host name in lower case.
        case name(String)
        case address(IPAddress)
    }

    package let isEncrypted: Bool
    package let host: Host
    package let port: UInt16
    /// `user:password`, for `Authorization: Basic`; nil without a user.
    let credentials: [UInt8]?
    /// Whether the URL has a user or a password.
    package var hasCredentials: Bool { credentials != nil }
    /// The path of the URL with its query.
    package let path: String
    private let usesStandardPort: Bool

    /// Maximal number of bytes of a URL.
    package static let maxBytes = 2048

    /// The reason why a text is not a URL for requests, as a sentence whose subject (the URL) is left out. The reason
    /// does not contain the text, which may contain a password.
    package struct Refusal: Error, Sendable, Hashable, CustomStringConvertible {
        package let description: String
    }

    package init(_ text: String) throws(Refusal) {
        func refuse(_ reason: String) -> Refusal { Refusal(description: reason) }
        try TargetURL.checkCharacters(text, refuse)
        let rest: Substring
        switch text.lowercased() {
        case let lower where lower.hasPrefix("https://"): (isEncrypted, rest) = (true, text.dropFirst(8))
        case let lower where lower.hasPrefix("http://"): (isEncrypted, rest) = (false, text.dropFirst(7))
        default: throw refuse("must begin with https:// (or http://, where that is allowed).")
        }
        guard !rest.contains("#") else { throw refuse("must not have a fragment.") }
        let end = rest.firstIndex { $0 == "/" || $0 == "?" } ?? rest.endIndex
        let tail = rest[end...]
        path = tail.hasPrefix("/") ? String(tail) : "/" + tail
        var authority = rest[..<end]
        if let at = authority.firstIndex(of: "@") {
            guard let user = PercentCoding.decode(authority[..<at].utf8),
                !user.contains(where: { $0 < 0x20 || $0 == 0x7F })
            else {
                throw refuse("has a user or password that cannot be sent.")
            }
            credentials = user.contains(UInt8(ascii: ":")) ? user : user + [UInt8(ascii: ":")]
            authority = authority[authority.index(after: at)...]
        } else {
            credentials = nil
        }
        guard !authority.contains("@") else { throw refuse("has more than one @ before its path.") }
        let portText: Substring
        if authority.hasPrefix("[") {
            guard let close = authority.firstIndex(of: "]"),
                let address = IPAddress(String(authority[authority.index(after: authority.startIndex)..<close])),
                authority[..<close].contains(":")
            else { throw refuse("has brackets around a text that is not an IPv6 address; zones are not allowed.") }
            host = .address(address)
            portText = authority[authority.index(after: close)...]
        } else {
            let colon = authority.firstIndex(of: ":") ?? authority.endIndex
            host = try TargetURL.parseHost(authority[..<colon].lowercased(), refuse)
            portText = authority[colon...]
        }
        let usual: UInt16 = isEncrypted ? 443 : 80
        port = try TargetURL.parsePort(portText, refuse) ?? usual
        usesStandardPort = port == usual
    }

    private static func checkCharacters(_ text: String, _ refuse: (String) -> Refusal) throws(Refusal) {
        let bytes = Array(text.utf8)
        guard (1...TargetURL.maxBytes).contains(bytes.count) else {
            throw refuse("must have 1 to \(TargetURL.maxBytes) characters.")
        }
        guard bytes.allSatisfy({ $0 < 0x80 }) else {
            throw refuse("must be ASCII: write names as xn--…, and other characters with %.")
        }
        guard bytes.allSatisfy(TargetURL.isURLByte) else { throw refuse("has a character that a URL cannot have.") }
        for (index, byte) in bytes.enumerated() where byte == UInt8(ascii: "%") {
            guard index + 2 < bytes.count, Hex.decode(bytes[index + 1...index + 2]) != nil else {
                throw refuse("has a % without two hexadecimal digits.")
            }
        }
    }

    /// Parses the text between host and path: a colon and a port; nil for an empty text.
    private static func parsePort(_ text: Substring, _ refuse: (String) -> Refusal) throws(Refusal) -> UInt16? {
        guard !text.isEmpty else { return nil }
        guard text.first == ":", (1...5).contains(text.utf8.count - 1),
            text.utf8.dropFirst().allSatisfy({ (0x30...0x39).contains($0) }),
            let number = UInt16(text.dropFirst()), number > 0
        else { throw refuse("has an invalid port.") }
        return number
    }

    /// Returns the URL of a link on the page with this URL (RFC 3986, section 5), without its fragment. Dots in its
    /// path are not resolved.
    /// - Parameter link: the link as web pages contain it. It may be relative, and its path may have characters other
    ///   than ASCII.
    package func resolveLink(_ link: String) throws(Refusal) -> TargetURL {
        try TargetURL(makeAbsoluteURL(TargetURL.escapeURL(link)))
    }

    /// Parses a URL as people write it. The fragment is left out, and the path may contain characters other than ASCII.
    package init(written text: String) throws(Refusal) { try self.init(TargetURL.escapeURL(text)) }

    private func makeAbsoluteURL(_ link: String) throws(Refusal) -> String {
        if ["http://", "https://"].contains(where: { link.lowercased().hasPrefix($0) }) { return link }
        // A link with another scheme, such as `data:`, is not a relative path, and is refused.
        if let colon = link.utf8.firstIndex(of: UInt8(ascii: ":")), TargetURL.isScheme(link.utf8[..<colon]) {
            throw Refusal(description: "must begin with https:// (or http://, where that is allowed).")
        }
        if link.hasPrefix("//") { return (isEncrypted ? "https:" : "http:") + link }
        if link.hasPrefix("/") { return origin + link }
        let folder = path.prefix { $0 != "?" }
        return origin
            + (link.hasPrefix("?") || link.isEmpty
                ? String(folder) : String(folder[...(folder.lastIndex(of: "/") ?? folder.startIndex)])) + link
    }

    /// Returns whether a text is a scheme of URLs (RFC 3986, section 3.1).
    private static func isScheme(_ text: Substring.UTF8View) -> Bool {
        guard let first = text.first, isLetter(first) else { return false }
        return text.allSatisfy { isLetter($0) || (0x30...0x39).contains($0) || "+-.".utf8.contains($0) }
    }

    private static func isLetter(_ byte: UInt8) -> Bool { (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte) }

    /// Returns the text up to its fragment, with escapes for characters that URLs cannot contain.
    private static func escapeURL(_ text: String) -> String {
        PercentCoding.escape(text.utf8.prefix { $0 != UInt8(ascii: "#") }.prefix(maxBytes + 1), stays: isURLByte)
    }

    private static func parseHost(_ text: String, _ refuse: (String) -> Refusal) throws(Refusal) -> Host {
        if let address = IPAddress(text), !text.contains(":") { return .address(address) }
        let labels = text.split(separator: ".", omittingEmptySubsequences: false)
        guard (1...253).contains(text.utf8.count), labels.allSatisfy(isLabel) else {
            throw refuse("has no host, or an invalid host name.")
        }
        // Many parsers read a name that ends in a number as an address: 127.1, 2130706433, 0x7f.1, 0177.0.0.1. Such a
        // name is refused.
        if let last = labels.last, last.utf8.allSatisfy({ (0x30...0x39).contains($0) }) || last.hasPrefix("0x") {
            throw refuse("has an address that is not written as four decimal numbers.")
        }
        return .name(text)
    }

    private static func isLabel(_ label: Substring) -> Bool {
        (1...63).contains(label.utf8.count) && !label.hasPrefix("-") && !label.hasSuffix("-")
            && label.utf8.allSatisfy {
                (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || $0 == UInt8(ascii: "-")
                    || $0 == UInt8(ascii: "_")
            }
    }

    private static func isURLByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: "-._~:/?#[]@!$&'()*+,;=%".utf8.contains(byte)
        }
    }

    // MARK: Texts

    var hostText: String {
        switch host {
        case .name(let name): name
        case .address(let address): address.description
        }
    }

    /// The host and port in the form of the header `Host`.
    package var authority: String {
        let name = hostText.contains(":") ? "[\(hostText)]" : hostText
        return usesStandardPort ? name : "\(name):\(port)"
    }

    /// The origin, such as `https://example.org:8443`, without parts that may be secret.
    package var origin: String { (isEncrypted ? "https://" : "http://") + authority }

    /// The URL with three asterisks in place of user and password.
    package var maskedText: String {
        (isEncrypted ? "https://" : "http://") + (credentials == nil ? "" : "***@") + authority + path
    }
}
