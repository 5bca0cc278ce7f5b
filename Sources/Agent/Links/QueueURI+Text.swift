import SMP
import SimpleXCrypto

extension QueueURI {
    /// `smp://…/<sender id>#/?v=…&dh=…`.
    var uri: String {
        var address = server
        var others: [TransportHost] = []
        // Programs of version 1 read one host only.
        if clientVersions.min < 2 {
            others = Array(server.hosts.dropFirst())
            address.hosts = Array(server.hosts.prefix(1))
        }
        var text = "\(address.withoutPassword.str)/\(Base64URL.encode(senderID, padding: false))#/?v=\(clientVersions.str)"
        text += "&dh=\(PercentCoding.escape(Base64URL.encode(dhPublicKey.spki)))"
        switch mode {
        case .messaging: text += clientVersions.min >= 4 ? "&q=m" : "&q=m&k=s"
        case .contact: text += "&q=c"
        case nil: break
        }
        if !others.isEmpty { text += "&srv=\(PercentCoding.escape(others.map(\.str).joined(separator: ",")))" }
        return text
    }

    init(parsing text: some StringProtocol) throws(LinkError) {
        guard let hash = text.firstIndex(of: "#"), let slash = text[..<hash].lastIndex(of: "/") else { throw .malformed("queue") }
        var fragment = text[text.index(after: hash)...]
        if fragment.first == "/" { fragment = fragment.dropFirst() }
        guard fragment.first == "?", let parameters = PercentCoding.parameters(fragment.dropFirst()), let version = parameters["v"],
            let dh = parameters["dh"], let clientVersions = try? VersionRange(parsing: version),
            var server = try? ProtocolServer(parsing: String(text[..<slash])), server.scheme == .smp,
            let senderID = try? Base64URL.decode(text[text.index(after: slash)..<hash]),
            let spki = try? Base64URL.decode(dh), let key = try? X25519.PublicKey(spki: spki)
        else { throw .malformed("queue") }
        for host in (parameters["srv"] ?? "").split(separator: ",") {
            guard let host = try? TransportHost(parsing: String(host)) else { throw .malformed("host") }
            server.hosts.append(host)
        }
        let mode: QueueMode? =
            switch (parameters["q"], parameters["k"]) {
            case ("m", _), (nil, "s"): .messaging
            case ("c", _): .contact
            default: nil
            }
        self.init(clientVersions: clientVersions, server: server, senderID: senderID, dhPublicKey: key, mode: mode)
    }
}
