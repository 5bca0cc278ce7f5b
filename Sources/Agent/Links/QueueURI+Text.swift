package import SMP
import SimpleXCrypto
import Transport

/// Text form: `smp://<fingerprint>@<host>/<sender id>#/?v=<versions>&dh=<key>…`
extension QueueURI: StrCodable {
    package var str: String {
        var address = server.withoutPassword
        var others: [TransportHost] = []
        // A program of version 1 reads only one host, so the other hosts are in the parameter `srv`.
        if clientVersions.min < QueueFormVersion.firstWithSeveralHosts {
            others = Array(server.hosts.dropFirst())
            address.hosts = Array(server.hosts.prefix(1))
        }
        var text = "\(address.str)/\(Base64URL.encode(senderID))#/?v=\(clientVersions.str)"
        text += "&dh=" + PercentCoding.escape(Base64URL.encode(dhPublicKey.spki))
        switch mode {
        case .messaging: text += clientVersions.min < QueueFormVersion.firstWithMode ? "&q=m&k=s" : "&q=m"
        case .contact: text += "&q=c"
        case nil: break
        }
        if !others.isEmpty { text += "&srv=" + PercentCoding.escape(others.map(\.str).joined(separator: ",")) }
        return text
    }

    package init(from text: inout TextReader) throws(SMPEncodingError) {
        var server = try ProtocolServer(from: &text)
        guard server.scheme == .smp, server.password == nil else { throw .invalidValue("queue server") }
        try text.requireText("/")
        let senderID = try text.readBase64URL()
        _ = text.skip("/")
        try text.requireText("#")
        // The oldest form ends with the key. A later form has the key before the query, and the newest form has it in
        // the query.
        var key: X25519.PublicKey?
        if let next = text.peek(), next != UInt8(ascii: "/"), next != UInt8(ascii: "?") {
            key = try Self.parseKey(&text)
        }
        if let key, text.isAtEnd {
            self.init(
                clientVersions: ProtocolVersionRange(1),
                server: server,
                senderID: senderID,
                dhPublicKey: key,
                mode: nil
            )
            return
        }
        _ = text.skip("/")
        try text.requireText("?")
        let query = QueryParameters(text.takeQuery())
        let versions = try query.parseRequiredValue("v") { reader throws(SMPEncodingError) in
            try ProtocolVersionRange(from: &reader)
        }
        let dhPublicKey: X25519.PublicKey
        if let key { dhPublicKey = key } else { dhPublicKey = try query.parseRequiredValue("dh", Self.parseKey) }
        server.hosts += try query.parseOptionalValue("srv", Self.parseHosts) ?? []
        self.init(
            clientVersions: versions,
            server: server,
            senderID: senderID,
            dhPublicKey: dhPublicKey,
            mode: Self.parseMode(query)
        )
    }

    private static func parseKey(_ text: inout TextReader) throws(SMPEncodingError) -> X25519.PublicKey {
        let der = try text.readBase64URL()
        do { return try X25519.PublicKey(spki: der) } catch { throw .invalidValue("X25519 key") }
    }

    private static func parseHosts(_ text: inout TextReader) throws(SMPEncodingError) -> [TransportHost] {
        var hosts = [try TransportHost(from: &text)]
        while text.skip(",") { hosts.append(try TransportHost(from: &text)) }
        return hosts
    }

    /// Reads the mode. An unknown mode counts as a missing mode.
    private static func parseMode(_ query: QueryParameters) -> QueueMode? {
        if query["q"] == Array("m".utf8) { return .messaging }
        if query["q"] == Array("c".utf8) { return .contact }
        return query["k"] == Array("s".utf8) ? .messaging : nil
    }
}

extension TextReader {
    /// Reads a query string up to the first white space.
    mutating func takeQuery() -> [UInt8] {
        takeBytes { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "\n") }
    }
}

extension QueryParameters {
    /// Parses the whole value of a parameter; nil for a missing parameter.
    func parseOptionalValue<T>(
        _ name: String,
        _ read: (inout TextReader) throws(SMPEncodingError) -> T
    ) throws(SMPEncodingError) -> T? {
        guard let value = self[name] else { return nil }
        var reader = TextReader(value)
        let read = try read(&reader)
        try reader.requireEnd()
        return read
    }

    func parseRequiredValue<T>(
        _ name: String,
        _ read: (inout TextReader) throws(SMPEncodingError) -> T
    ) throws(SMPEncodingError) -> T {
        guard let value = try parseOptionalValue(name, read) else { throw .invalidValue("parameter \(name)") }
        return value
    }
}
