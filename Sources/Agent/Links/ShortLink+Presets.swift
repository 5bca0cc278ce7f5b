package import SMP

/// Shorter links for preset servers. These links contain only the first host.
extension ShortLink {
    /// Returns the link without the parts of the server's address that `presets` supply. A server with other hosts,
    /// port or key remains unchanged.
    package func shortened(knowing presets: [ProtocolServer]) -> ShortLink {
        guard server.isOne(of: presets), let host = server.hosts.first,
            let bare = ProtocolServer(hosts: [host], port: "", keyHash: [])
        else {
            return self
        }
        return ShortLink(scheme: scheme, kind: kind, server: bare, linkKey: linkKey)
    }

    /// Returns the link with the server's full address from `presets`, if the link contains only a host.
    package func completingServer(knowing presets: [ProtocolServer]) -> ShortLink {
        guard server.hosts.count == 1, server.port.isEmpty, server.keyHash.isEmpty,
            let preset = presets.first(where: { $0.hosts.first == server.hosts.first })
        else { return self }
        return ShortLink(scheme: scheme, kind: kind, server: preset.withoutPassword, linkKey: linkKey)
    }
}

extension ProtocolServer {
    /// Whether the server is one of the preset servers.
    func isOne(of presets: [ProtocolServer]) -> Bool {
        guard let host = hosts.first, let preset = presets.first(where: { $0.hosts.first == host }) else {
            return false
        }
        return hosts.allSatisfy(preset.hosts.contains) && keyHash == preset.keyHash
            && (port == preset.port || preset.port.isEmpty && ["443", "5223"].contains(port))
    }
}
