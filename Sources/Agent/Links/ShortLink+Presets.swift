public import SMP

/// Links of servers that every client knows are shorter still: they name the first host alone.
extension ShortLink {
    /// Without what `presets` tell of the server. One with other hosts, another port or key stays as it is.
    public func shortened(knowing presets: [ProtocolServer]) -> ShortLink {
        guard server.isOne(of: presets), let host = server.hosts.first, let bare = ProtocolServer(hosts: [host], port: "", keyHash: []) else {
            return self
        }
        return ShortLink(scheme: scheme, kind: kind, server: bare, linkKey: linkKey)
    }

    /// With what `presets` tell of a server that is named by its host alone.
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
        guard let host = hosts.first, let preset = presets.first(where: { $0.hosts.first == host }) else { return false }
        return hosts.allSatisfy(preset.hosts.contains) && keyHash == preset.keyHash
            && (port == preset.port || preset.port.isEmpty && ["443", "5223"].contains(port))
    }
}
