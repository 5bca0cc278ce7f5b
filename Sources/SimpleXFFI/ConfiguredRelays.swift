import Glibc
import SMP

/// Reads the SMP relays for new queues of the profiles that this library creates.
enum ConfiguredRelays {
    /// Returns the relays in the environment variable `SXGW_SMP_SERVER`, where commas separate them; empty when the
    /// variable is not set.
    static func readServersFromEnvironment() -> [ProtocolServer] {
        getenv("SXGW_SMP_SERVER").map { parseServers(in: String(cString: $0)) } ?? []
    }

    /// Parses a list of SMP relay addresses. A comma separates addresses, but also the hosts of one relay. So only a
    /// part with a scheme begins a new address.
    private static func parseServers(in text: String) -> [ProtocolServer] {
        var addresses: [String] = []
        for part in text.split(separator: ",") {
            if part.contains("://") || addresses.isEmpty {
                addresses.append(String(part))
            } else {
                addresses[addresses.count - 1] += ",\(part)"
            }
        }
        return addresses.compactMap { try? ProtocolServer(parsing: $0) }.filter { $0.scheme == .smp }
    }
}
