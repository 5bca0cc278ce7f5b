public import SMP
public import SimpleXCrypto
internal import SQLCipher

/// Receive queues that their relay does not have any more, as far as the relays of this moment show. Nothing arrives from them, and nobody can send to them.
public struct MovedQueues: Hashable, Sendable {
    public enum Reason: Sendable {
        /// The relay, which is known by its certificate, is on another port now.
        case otherPort
        /// There is another relay in its place.
        case otherRelay
    }

    /// Where the queues are, by their addresses.
    public var former: ProtocolServer
    public var present: ProtocolServer
    public var reason: Reason
    public var count: Int

    /// - Parameter relays: those of this moment.
    static func among(_ relays: [ProtocolServer], in db: Connection) throws -> [MovedQueues] {
        try db.query("SELECT server, count(*) AS count FROM rcv_queues GROUP BY server ORDER BY server").compactMap { row in
            let former = try ProtocolServer(parsing: row.string("server"))
            return try relay(in: relays, insteadOf: former).map { MovedQueues(former: former, present: $0, reason: $1, count: Int(try row.int64("count"))) }
        }
    }

    /// - Returns: nil when nothing says that the relay of before is another one, or elsewhere.
    private static func relay(in relays: [ProtocolServer], insteadOf former: ProtocolServer) -> (ProtocolServer, Reason)? {
        let candidates = relays.filter { $0.scheme == former.scheme }
        let same = candidates.filter { $0.keyHash == former.keyHash }
        guard !same.contains(where: { $0.portNumber == former.portNumber }) else { return nil }
        if let moved = same.first { return (moved, .otherPort) }
        return candidates.first { $0.portNumber == former.portNumber && !Set($0.hosts).isDisjoint(with: former.hosts) }.map { ($0, .otherRelay) }
    }
}

extension Agent {
    /// The queues that are not on one of these relays any more.
    public func movedQueues(among relays: [ProtocolServer]) async throws -> [MovedQueues] {
        try await database.read { try MovedQueues.among(relays, in: $0) }
    }

    /// The same of a database that nobody uses. It is not brought to another schema.
    public static func movedQueues(among relays: [ProtocolServer], inDatabaseAt path: String, key: DatabaseKey) async throws -> [MovedQueues] {
        try await Database.read(at: path, key: key) { try MovedQueues.among(relays, in: $0) }
    }
}
