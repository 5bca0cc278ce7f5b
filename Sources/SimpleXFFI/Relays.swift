import Glibc
import SMP

/// The relays on which profiles made by this library have their queues.
enum Relays {
    /// The relays in `SXGW_SMP_SERVER`, separated by commas; empty when it is not set.
    static func named() -> [ProtocolServer] {
        getenv("SXGW_SMP_SERVER").map { servers(in: String(cString: $0)) } ?? []
    }

    /// Parses several addresses. A comma also separates the hosts of one server, so a new address begins at its scheme.
    private static func servers(in text: String) -> [ProtocolServer] {
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
