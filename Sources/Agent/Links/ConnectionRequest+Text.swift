import SimpleXCrypto
import SMP

extension ConnectionRequest {
    /// The full link in the `simplex:` scheme, which every program accepts.
    package var uri: String {
        var text = "simplex:/\(isInvitation ? "invitation" : "contact")#/?v=\(agentVersions.str)"
        text += "&smp=" + PercentCoding.escape(queues.map(\.str).joined(separator: ";"))
        if case .invitation(let e2e) = kind { text += "&e2e=" + PercentCoding.escape(e2e.str) }
        if let clientData { text += "&data=" + PercentCoding.escape(clientData) }
        return text
    }

    /// Parses a full link: `simplex:` or `https://` with any host. Unknown parameters are ignored.
    package init(parsing text: String) throws(LinkError) {
        var reader = TextReader(text)
        guard Self.skipScheme(&reader), reader.skip("/") else { throw .unknownScheme }
        let isInvitation = reader.skip("invitation")
        guard isInvitation || reader.skip("contact") else { throw .unknownKind }
        _ = reader.skip("/")
        guard reader.skip("#/?") else { throw .unknownKind }
        let query = QueryParameters(reader.takeQuery())
        guard reader.isAtEnd else { throw .malformed("end") }

        let versions: ProtocolVersionRange = try query.parseValue("v")
        queues = try Self.parseQueues(query)
        clientData = query["data"].map { String(decoding: $0, as: UTF8.self) }
        if isInvitation {
            kind = .invitation(e2e: try query.parseValue("e2e"))
            agentVersions = versions
        } else {
            kind = .contact
            agentVersions = Self.raiseMinimumVersion(versions)
        }
    }

    private static func skipScheme(_ reader: inout TextReader) -> Bool {
        if reader.skip("simplex:") { return true }
        guard reader.skip("https://"), !reader.takeBytes(while: { !":#,;/ ".utf8.contains($0) }).isEmpty else {
            return false
        }
        return !reader.skip(":") || (try? reader.readDecimal()) != nil
    }

    /// Parses the queues. Semicolons separate queues, since commas separate the hosts of a queue.
    private static func parseQueues(_ query: QueryParameters) throws(LinkError) -> [QueueURI] {
        guard let value = query["smp"] else { throw .missingParameter("smp") }
        var queues: [QueueURI] = []
        for part in value.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false) {
            var reader = TextReader(Array(part))
            guard let queue = try? QueueURI(from: &reader), reader.isAtEnd else { throw .malformed("smp") }
            queues.append(queue)
        }
        return queues
    }

    /// Raises the versions to at least 2. An address that was published with version 1 may still be in use, and its
    /// owner supports version 2 by now.
    private static func raiseMinimumVersion(_ versions: ProtocolVersionRange) -> ProtocolVersionRange {
        let lowest = max(2, versions.min)
        return ProtocolVersionRange(min: lowest, max: max(lowest, versions.max)) ?? versions
    }
}

extension QueryParameters {
    fileprivate func parseValue<T: StrCodable>(_ name: String) throws(LinkError) -> T {
        do {
            if let value = try parseOptionalValue(name, { reader throws(SMPEncodingError) in try T(from: &reader) }) {
                return value
            }
        } catch {
            throw .malformed(name)
        }
        throw .missingParameter(name)
    }
}
