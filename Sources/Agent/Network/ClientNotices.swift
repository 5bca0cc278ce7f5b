import JSON
import SMP
import SQLCipher
import Synchronization

/// Notices of relays that have blocked queues of this agent (SMP version 18). The agent creates no addresses on such a
/// relay until the notices of the relay expire. All preset relays count as one relay.
final class ClientNotices: Sendable {
    private struct Queue: Hashable {
        var server: String
        var rcvID: [UInt8]
    }
    private struct Notice {
        /// Duration of the notice in seconds; nil if the notice never expires.
        var durationSeconds: Int64?
        var createdAtSeconds: Int64
    }
    private let notices = Mutex<[Queue: Notice]>([:])

    func loadNotices(_ db: DatabaseConnection) throws {
        let rows = try db.query("SELECT * FROM client_notices").map { row in
            (
                Queue(server: try row.string("server"), rcvID: try row.blob("rcv_id")),
                Notice(durationSeconds: try row.readTimeOrNil("ttl"), createdAtSeconds: try row.readTime("created_at"))
            )
        }
        notices.withLock { notices in for (queue, notice) in rows { notices[queue] = notice } }
    }

    /// Stores the notice about a blocked queue. A later notice does not change the time of the first notice.
    func storeNotice(
        _ info: SMPBlockingInfo,
        _ server: ProtocolServer,
        _ rcvID: [UInt8],
        at now: Int64,
        _ db: DatabaseConnection
    ) throws {
        let queue = Queue(server: server.withoutPassword.str, rcvID: rcvID)
        guard let text = info.notice else { return try removeNotices([rcvID], server, db) }
        var notice = Notice(
            durationSeconds: (try? JSONValue(parsing: Array(text.utf8)))?["ttl"]?.clampedTime,
            createdAtSeconds: now
        )
        if let known = notices.withLock({ $0[queue] }) { notice.createdAtSeconds = known.createdAtSeconds }
        try db.insert(
            into: "client_notices",
            or: .replace,
            [
                "server": queue.server, "rcv_id": rcvID, "ttl": notice.durationSeconds,
                "created_at": notice.createdAtSeconds,
            ]
        )
        notices.withLock { [notice] in $0[queue] = notice }
    }

    /// Returns the given queues for which there are notices.
    func findQueuesWithNotices(_ rcvIDs: [[UInt8]], _ server: ProtocolServer) -> [[UInt8]] {
        let address = server.withoutPassword.str
        return notices.withLock { notices in
            notices.isEmpty ? [] : rcvIDs.filter { notices[Queue(server: address, rcvID: $0)] != nil }
        }
    }

    func removeNotices(_ rcvIDs: [[UInt8]], _ server: ProtocolServer, _ db: DatabaseConnection) throws {
        let address = server.withoutPassword.str
        for rcvID in rcvIDs {
            try db.delete(from: "client_notices", where: ["server": address, "rcv_id": rcvID])
            notices.withLock { _ = $0.removeValue(forKey: Queue(server: address, rcvID: rcvID)) }
        }
    }

    /// Checks that no notice forbids new addresses on the server. The ban begins at the time of the latest notice, and
    /// lasts for the sum of the durations of all notices.
    /// - Throws: `AgentError.notice` during the ban.
    func checkNewAddressAllowed(_ server: ProtocolServer, presets: [ProtocolServer], at now: Int64) throws(AgentError) {
        let server = server.withoutPassword
        let isPreset = server.isOne(of: presets)
        let those = notices.withLock { notices in
            notices.filter { queue, _ in
                guard let other = try? ProtocolServer(parsing: queue.server) else { return false }
                return isPreset ? other.isOne(of: presets) : other == server
            }.map(\.value)
        }
        guard let latest = those.map(\.createdAtSeconds).max() else { return }
        let ttl = those.reduce(Int64?(0)) { sum, notice in
            sum.flatMap { sum in notice.durationSeconds.map { sum &+ $0 } }
        }
        let expiresAt = ttl.map { latest &+ $0 }
        guard expiresAt.map({ now < $0 }) ?? true else { return }
        throw .notice(server: server.hosts.first?.str ?? "", isPreset: isPreset, expiresAt: expiresAt)
    }
}
