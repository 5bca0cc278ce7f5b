internal import ChatAPI
internal import JSON
internal import XFTP

/// The link of a migration, in the format of the apps. It contains the link of a file, and the network settings of the
/// device that made the link. Everybody who has the link can download the archive.
package struct MigrationLink: Sendable {
    private var uri: FileDescriptionURI

    /// Parses a link.
    /// - Throws: `unusableLink`.
    package init(_ text: String) throws(MigrationFailure) {
        do throws(FileDescriptionError) { uri = try FileDescriptionURI(parsing: text) } catch {
            throw .unusableLink("is not the link of a migration, or is incomplete")
        }
    }

    /// Makes a link from the link of a file, and adds network settings.
    init(_ text: String, _ network: NetworkConfig) throws(MigrationFailure) {
        try self.init(text)
        uri.clientData = Self.encodeNetworkConfig(network).text
    }

    package var text: String { uri.text }

    /// The size in bytes of the encrypted archive.
    var archiveBytes: Int64 { uri.fileDescription.finalSize }

    // MARK: Network settings

    private static func encodeNetworkConfig(_ network: NetworkConfig) -> JSONValue {
        var members = JSONObject()
        if let address = network.socksProxy.flatMap(SOCKSAddress.init) {
            var (auth, user, password) = ("isolate", "", "")
            switch address.authentication {
            case .isolate: break
            case .none: auth = "username"
            case .password(let name, let secret): (auth, user, password) = ("username", name, secret)
            }
            members["networkProxy"] = [
                "host": .string(address.host), "port": .integer(Int64(address.port)), "auth": .string(auth),
                "username": .string(user), "password": .string(password),
            ]
        }
        members["hostMode"] = .string(network.hostMode.rawValue)
        members["requiredHostMode"] = .bool(network.requiredHostMode)
        return ["networkConfig": .object(members)]
    }

    /// Merges the network settings of the link into the settings of this store.
    /// - Parameters:
    ///   - own: the settings of this store.
    ///   - usesProxy: whether the proxy of the link is used; nil if the caller has not decided.
    /// - Throws: `proxyChoiceRequired`, `unusableLink`
    func mergeNetworkConfig(_ own: NetworkConfig, usesProxy: Bool?) throws(MigrationFailure) -> NetworkConfig {
        guard let data = uri.clientData.flatMap({ try? JSONValue(parsing: $0) }),
            let given = data["networkConfig"], given.objectValue != nil
        else { return own }
        var (config, mode) = (own, given["hostMode"]?.stringValue.map { HostMode(rawValue: $0) })
        if let known = mode, !HostMode.knownValues.contains(known) { mode = nil }
        let hasProxy = [given["networkProxy"], given["socksProxy"]].contains { $0.map { !$0.isNull } ?? false }
        if hasProxy || mode == .onion {
            guard let usesProxy else { throw .proxyChoiceRequired }
            guard usesProxy else { return own }
            config.socksProxy = try Self.parseProxy(given)
            if mode == .onion { mode = .onionViaSocks }
        }
        if let mode, let isRequired = given["requiredHostMode"]?.boolValue {
            (config.hostMode, config.requiredHostMode) = (mode, isRequired)
        }
        return config
    }

    /// Returns the address of the proxy in the form of ``NetworkConfig``.
    private static func parseProxy(_ given: JSONValue) throws(MigrationFailure) -> String {
        var text = given["socksProxy"]?.stringValue ?? ":9050"
        if let proxy = given["networkProxy"], proxy.objectValue != nil {
            let host = proxy["host"]?.stringValue ?? ""
            text = (host.contains(":") && !host.hasPrefix("[") ? "[\(host)]" : host)
            if let port = proxy["port"]?.integerValue { text.append(":\(port)") }
            if proxy["auth"]?.stringValue == "username" {
                let (user, password) = (proxy["username"]?.stringValue ?? "", proxy["password"]?.stringValue ?? "")
                text = (user.isEmpty && password.isEmpty ? "@" : "\(user):\(password)@") + text
            }
        }
        text.replace("localhost", with: "127.0.0.1", maxReplacements: 1)
        guard SOCKSAddress(text) != nil else { throw .unusableLink("has an invalid address of a proxy") }
        return text
    }
}
