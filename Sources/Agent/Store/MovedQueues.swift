public import SMP
internal import SQLCipher

/// Receive queues on a relay that is on another port now. Nothing arrives from them, and nobody can send to them.
public struct MovedQueues: Hashable, Sendable {
    /// Where the queues are, by their addresses.
    public var former: ProtocolServer
    public var present: ProtocolServer
    public var count: Int
}

extension Agent {
    /// The queues that are on one of these relays, by its certificate, but on another port of it.
    public func movedQueues(among relays: [ProtocolServer]) async throws -> [MovedQueues] {
        let used = try await database.read { db in
            try db.query("SELECT server, count(*) AS count FROM rcv_queues GROUP BY server ORDER BY server")
                .map { (server: try ProtocolServer(parsing: $0.string("server")), count: Int(try $0.int64("count"))) }
        }
        return used.compactMap { former, count in
            let same = relays.filter { $0.scheme == former.scheme && $0.keyHash == former.keyHash }
            guard let present = same.first, !same.contains(where: { $0.portNumber == former.portNumber }) else { return nil }
            return MovedQueues(former: former, present: present, count: count)
        }
    }
}
