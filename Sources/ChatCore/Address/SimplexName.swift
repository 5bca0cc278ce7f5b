internal import Agent
internal import ChatAPI
internal import ChatText
internal import SMP

/// A SimpleX name that a user gives instead of a link: `@alice.simplex`, `#news.simplex`, `#news` or `alice.simplex`,
/// also after `simplex:/name`.
struct SimplexName: Hashable, Sendable {
    let domain: NameDomain
    /// The type of the name; nil for a name without `@` or `#`, which can lead to a channel or to a contact.
    var type: SimplexNameType?

    private static let scheme = "simplex:/name"

    /// Parses a text; nil for a text that is not a name, such as a link. Web domains (`example.com`) are names only
    /// after `@`, `#` or `simplex:/name`.
    /// - Throws: `invalidConnReq` for a malformed name.
    static func parse(_ text: String) throws -> SimplexName? {
        // Bytes are compared, not characters: Swift joins `@` or `#` and a following combining mark to one character.
        var bytes = Array(text.utf8)
        let hasScheme = bytes.starts(with: scheme.utf8)
        if hasScheme { bytes.removeFirst(scheme.utf8.count) }
        let type: SimplexNameType? =
            switch bytes.first {
            case UInt8(ascii: "@"): .contact
            case UInt8(ascii: "#"): .publicGroup
            default: nil
            }
        if type != nil { bytes.removeFirst() }
        let isName = hasScheme || type != nil
        if isName, type != .contact, !bytes.contains(UInt8(ascii: ".")) { bytes += Array(".simplex".utf8) }
        guard let domain = try? NameDomain(parsing: bytes) else {
            guard isName else { return nil }
            throw ChatFailure(ChatErrorType.invalidConnReq)
        }
        guard isName || SimplexDomain(domain).nameTLD != .web else { return nil }
        return SimplexName(domain: domain, type: type)
    }
}

extension RunningCommand {
    /// Parses a SimpleX name in the arguments of a command; nil without a name.
    /// - Throws: `commandError` for a malformed name.
    static func parseName(_ text: String?) throws -> NameDomain? {
        guard let text else { return nil }
        guard let name = try? NameDomain(parsing: text.utf8) else {
            throw ChatFailure.commandError("the name must be a domain such as alice.simplex")
        }
        return name
    }
}

extension SimplexDomainClaim {
    /// The claimed name; nil for a malformed claim of a peer.
    var name: NameDomain? { try? NameDomain(parsing: domain.utf8) }
}

extension ChatFailure {
    /// Makes the error of a name that was resolved, but cannot be used.
    static func nameNotReady(_ name: NameDomain, _ error: SimplexDomainError) -> ChatFailure {
        ChatFailure(
            ChatErrorType.simplexDomainNotReady(simplexDomain: SimplexDomain(name), simplexDomainError: error)
        )
    }
}

extension NameRecord {
    private func linkTexts(_ type: SimplexNameType) -> [String] { type == .contact ? contacts : channels }

    /// Returns the first link of the given type: a link to a contact address, or to a channel. Ignores other links.
    func findFirstLink(ofType type: SimplexNameType) -> ShortLink? {
        let kind = ShortLink.Kind.contact(type == .contact ? .contact : .channel)
        return linkTexts(type).lazy.compactMap { try? ShortLink(atServer: $0) }.first { $0.kind == kind }
    }

    /// Whether one of the links of type `type` in this record leads to the same place as `link`.
    func leads(to link: ShortLink, _ type: SimplexNameType) -> Bool {
        linkTexts(type).contains { text in (try? ShortLink(atServer: text)).map { $0.isSame(as: link) } ?? false }
    }
}

extension ShortLink {
    /// Whether both links lead to the same place. A shortened link to a preset server equals the full link.
    fileprivate func isSame(as other: ShortLink) -> Bool {
        kind == other.kind && linkKey == other.linkKey && server.port == other.server.port
            && !Set(server.hosts).isDisjoint(with: other.server.hosts)
    }
}
