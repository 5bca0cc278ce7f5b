import Descriptors
import Gateway

/// The host and port of a gateway on this machine. Requests contain a key and are not encrypted. So ``init(url:)``
/// refuses a host that is not loopback.
struct GatewayAddress {
    /// The host name or IP address, without brackets.
    let host: String
    let port: Int

    init(host: String, port: Int) { (self.host, self.port) = (host, port) }

    /// Parses the URL of a gateway.
    /// - Parameter url: a URL in the form `http://host[:port]`.
    init(url: String) throws {
        let parts = url.split(separator: "://", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 2, ["http", "https"].contains(parts[0].lowercased()) else {
            throw Failure.configurationFailure("\(url) is not the URL of a gateway, such as http://127.0.0.1:5225")
        }
        guard parts[0].lowercased() == "http" else {
            throw Failure.configurationFailure(
                "\(url): this command does not support TLS. Run it on the gateway's machine, with a gateway that serves plain HTTP on loopback"
            )
        }
        let authority = parts[1].hasSuffix("/") ? String(parts[1].dropLast()) : parts[1]
        guard let place = HostAndPort(authority), place.port != 0 else {
            throw Failure.configurationFailure(
                "\(parts[0])://… must be followed by a host, a port and nothing else, such as http://127.0.0.1:5225 or http://[::1]:5225"
            )
        }
        guard SourceAddress.isLoopbackHost(place.host.lowercased()) else {
            throw Failure.configurationFailure(
                "\(url) is not on this machine: the key would be sent unencrypted over the network. Run the command on the gateway's machine"
            )
        }
        (host, port) = (place.host, Int(place.port ?? 80))
    }

    var authority: String { (host.contains(":") ? "[\(host)]" : host) + ":\(port)" }
}
