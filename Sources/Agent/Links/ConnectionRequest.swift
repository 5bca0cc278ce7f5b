public import SMP
import SimpleXCrypto

/// Why a text is no link to connect with.
public enum LinkError: Error, Hashable, Sendable {
    /// What of it cannot be read.
    case malformed(String)
}

/// What a link says: how to connect (agent-protocol.md, "Connection request").
public struct ConnectionRequest: Hashable, Sendable {
    public enum Kind: Hashable, Sendable {
        /// For one connection; with the inviter's X3DH parameters.
        case invitation(e2e: E2ERatchetParamsURI)
        /// An address that many can use.
        case contact
    }

    public var kind: Kind
    public var agentVersions: VersionRange
    /// At least one.
    public var queues: [QueueURI]
    /// For the program above the agent.
    public var clientData: String?

    public init(kind: Kind, agentVersions: VersionRange, queues: [QueueURI], clientData: String? = nil) {
        self.kind = kind
        self.agentVersions = agentVersions
        self.queues = queues
        self.clientData = clientData
    }

    public var isInvitation: Bool { if case .invitation = kind { true } else { false } }

    /// The link in the `simplex:` scheme.
    public var uri: String {
        var text = "simplex:/\(isInvitation ? "invitation" : "contact")#/?v=\(agentVersions.str)"
        text += "&smp=\(PercentCoding.escape(queues.map(\.uri).joined(separator: ";")))"
        if case .invitation(let e2e) = kind { text += "&e2e=\(PercentCoding.escape(e2e.str))" }
        if let clientData { text += "&data=\(PercentCoding.escape(clientData))" }
        return text
    }

    /// Reads a full link of any scheme: `simplex:` or `https://` and a host.
    public init(parsing text: String) throws(LinkError) {
        guard let path = Self.path(of: text) else { throw .malformed("scheme") }
        let isInvitation = path.hasPrefix("invitation")
        guard isInvitation || path.hasPrefix("contact") else { throw .malformed("kind") }
        var rest = path.dropFirst(isInvitation ? "invitation".count : "contact".count)
        if rest.first == "/" { rest = rest.dropFirst() }
        guard rest.hasPrefix("#/?"), let parameters = PercentCoding.parameters(rest.dropFirst(3)) else { throw .malformed("parameters") }
        guard let version = parameters["v"], let versions = try? VersionRange(parsing: version) else { throw .malformed("v") }
        queues = []
        for queue in (parameters["smp"] ?? "").split(separator: ";", omittingEmptySubsequences: false) {
            queues.append(try QueueURI(parsing: queue))
        }
        agentVersions = versions
        clientData = parameters["data"]
        if isInvitation {
            guard let text = parameters["e2e"], let e2e = try? E2ERatchetParamsURI(parsing: text) else { throw .malformed("e2e") }
            kind = .invitation(e2e: e2e)
        } else {
            kind = .contact
            // Addresses of version 1 are read as those of programs that have been updated since.
            guard let range = VersionRange(min: max(versions.min, 2), max: max(versions.max, 2)) else { throw .malformed("v") }
            agentVersions = range
            // An address without a mode is one for contacts: only links of messaging queues have to say so.
            for index in queues.indices where queues[index].mode == nil { queues[index].mode = .contact }
        }
    }

    /// What follows the scheme and, for `https://`, the host.
    private static func path(of text: String) -> Substring? {
        if text.hasPrefix("simplex:/") { return text.dropFirst("simplex:/".count) }
        guard text.hasPrefix("https://"), let slash = text.dropFirst("https://".count).firstIndex(of: "/") else { return nil }
        return text[text.index(after: slash)...]
    }
}
