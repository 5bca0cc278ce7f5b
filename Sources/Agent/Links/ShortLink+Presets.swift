public import SMP

/// Links of preset servers are even shorter: they contain only the first host.
extension ShortLink {
    /// The link without the parts of the server's address that `presets` supply. A server with other hosts, port or key
    /// is left as it is.
    public func shortened(knowing presets: [ProtocolServer]) -> ShortLink {
        guard server.isOne(of: presets), let host = server.hosts.first,
            let bare = ProtocolServer(hosts: [host], port: "", keyHash: [])
        else {
            return self
        }
        return ShortLink(scheme: scheme, kind: kind, server: bare, linkKey: linkKey)
    }

    /// The link with the server's address completed from `presets`, if the link has only a host.
    public func restored(knowing presets: [ProtocolServer]) -> ShortLink {
        guard server.hosts.count == 1, server.port.isEmpty, server.keyHash.isEmpty,
            let preset = presets.first(where: { $0.hosts.first == server.hosts.first })
        else { return self }
        return ShortLink(scheme: scheme, kind: kind, server: preset.withoutPassword, linkKey: linkKey)
    }
}

extension ProtocolServer {
    /// Whether it is one of the servers that every client knows.
    func isOne(of presets: [ProtocolServer]) -> Bool {
        guard let host = hosts.first, let preset = presets.first(where: { $0.hosts.first == host }) else {
            return false
        }
        return hosts.allSatisfy(preset.hosts.contains) && keyHash == preset.keyHash
            && (port == preset.port || preset.port.isEmpty && ["443", "5223"].contains(port))
    }
}
