package import SMP
import SQLCipher

/// Receive queues whose relay was replaced by a present relay, or has lost the queues. No message arrives from these
/// queues, and no peer can send to them.
package struct UnreachableQueues: Hashable, Sendable {
    package enum Reason: Sendable {
        /// The same relay, identified by its certificate, now has another port.
        case otherPort
        /// Another relay is now at the address of the former relay.
        case otherRelay
        /// The former relay is still at its address, but has lost the queues.
        case lost
    }

    /// The relay that the addresses of the queues contain.
    package var formerRelay: ProtocolServer
    package var presentRelay: ProtocolServer
    package var reason: Reason
    package var queueCount: Int

    /// Finds the queues of a database whose relay was replaced by one of the given relays, or has lost the queues.
    /// - Parameters:
    ///   - relays: the present relays.
    ///   - known: one of the relays, and the recipient ids of all queues on this relay; nil if the queues are unknown.
    static func findQueues(
        _ relays: [ProtocolServer],
        known: (relay: ProtocolServer, queues: Set<[UInt8]>)? = nil,
        in db: DatabaseConnection
    ) throws -> [UnreachableQueues] {
        try db.query("SELECT server, count(*) AS count FROM rcv_queues GROUP BY server ORDER BY server").compactMap {
            row in
            let former = try ProtocolServer(parsing: row.string("server"))
            if let (present, reason) = findReplacement(in: relays, insteadOf: former) {
                return UnreachableQueues(
                    formerRelay: former,
                    presentRelay: present,
                    reason: reason,
                    queueCount: try row.readCount("count")
                )
            }
            guard let known, former.keyHash == known.relay.keyHash else { return nil }
            let used = try db.query("SELECT rcv_id FROM rcv_queues WHERE server = ?", row.string("server")).map {
                try $0.blob("rcv_id")
            }
            let count = used.count { !known.queues.contains($0) }
            return count == 0
                ? nil
                : UnreachableQueues(formerRelay: former, presentRelay: known.relay, reason: .lost, queueCount: count)
        }
    }

    /// Finds the relay that has replaced a former relay.
    /// - Returns: nil when the former relay still has its address, or when no present relay has the former relay's
    ///   certificate or address.
    private static func findReplacement(
        in relays: [ProtocolServer],
        insteadOf former: ProtocolServer
    ) -> (ProtocolServer, Reason)? {
        let candidates = relays.filter { $0.scheme == former.scheme }
        let same = candidates.filter { $0.keyHash == former.keyHash }
        guard !same.contains(where: { $0.portNumber == former.portNumber }) else { return nil }
        if let moved = same.first { return (moved, .otherPort) }
        return candidates.first { $0.portNumber == former.portNumber && !Set($0.hosts).isDisjoint(with: former.hosts) }
            .map { ($0, .otherRelay) }
    }
}
