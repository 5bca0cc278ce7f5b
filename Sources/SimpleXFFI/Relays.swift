import Glibc
import SMP

/// The relays on which profiles made by this library have their queues.
enum Relays {
    /// Those that `SXGW_SMP_SERVER` names, separated by commas as everywhere in this program; none when it is not set.
    static func named() -> [ProtocolServer] {
        getenv("SXGW_SMP_SERVER").map { servers(in: String(cString: $0)) } ?? []
    }

    /// Addresses in one text. A comma also stands between the hosts of one server: a new one begins at its scheme.
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
