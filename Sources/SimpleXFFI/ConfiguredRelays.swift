import Glibc
import SMP

/// The relays for the queues of profiles that this library creates.
enum ConfiguredRelays {
    /// Returns the relays in `SXGW_SMP_SERVER`, separated by commas; empty when the variable is not set.
    static func readServersFromEnvironment() -> [ProtocolServer] {
        getenv("SXGW_SMP_SERVER").map { parseServers(in: String(cString: $0)) } ?? []
    }

    /// Parses several addresses. A comma also separates the hosts of one server, so only a part with a scheme begins a
    /// new address.
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
