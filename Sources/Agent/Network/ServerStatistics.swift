import SMP
import SQLCipher
import Synchronization

/// Counts of operations at one relay; the names are those of the API's `AgentSMPServerStatsData`.
public struct ServerStatistics: Hashable, Sendable {
    public var sentDirect = 0, sentViaProxy = 0, sentProxied = 0
    public var sentDirectAttempts = 0, sentViaProxyAttempts = 0, sentProxiedAttempts = 0
    public var sentAuthErrs = 0, sentQuotaErrs = 0, sentExpiredErrs = 0, sentOtherErrs = 0
    public var recvMsgs = 0, recvDuplicates = 0, recvCryptoErrs = 0, recvErrs = 0
    public var ackMsgs = 0, ackAttempts = 0, ackNoMsgErrs = 0, ackOtherErrs = 0
    public var connCreated = 0, connSecured = 0, connDeleted = 0, connDelAttempts = 0, connDelErrs = 0
    public var connSubscribed = 0, connSubAttempts = 0, connSubErrs = 0

    public init() {}

    public func adding(_ other: ServerStatistics) -> ServerStatistics {
        var sum = self
        sum += other
        return sum
    }

    static func += (one: inout ServerStatistics, other: ServerStatistics) {
        for field in fields { one[keyPath: field] &+= other[keyPath: field] }
    }

    /// In the order in which they are stored; add new ones at the end.
    private static var fields: [WritableKeyPath<ServerStatistics, Int>] {
        [
            \.sentDirect, \.sentViaProxy, \.sentProxied, \.sentDirectAttempts, \.sentViaProxyAttempts, \.sentProxiedAttempts, \.sentAuthErrs,
            \.sentQuotaErrs, \.sentExpiredErrs, \.sentOtherErrs, \.recvMsgs, \.recvDuplicates, \.recvCryptoErrs, \.recvErrs, \.ackMsgs, \.ackAttempts,
            \.ackNoMsgErrs, \.ackOtherErrs, \.connCreated, \.connSecured, \.connDeleted, \.connDelAttempts, \.connDelErrs, \.connSubscribed,
            \.connSubAttempts, \.connSubErrs,
        ]
    }

    fileprivate var stored: String { Self.fields.map { String(self[keyPath: $0]) }.joined(separator: " ") }

    fileprivate init(stored: String) {
        for (field, text) in zip(Self.fields, stored.split(separator: " ")) { self[keyPath: field] = Int(text) ?? 0 }
    }
}

/// Counts, by user and relay. Kept over restarts that are orderly.
final class StatisticsBook: Sendable {
    private struct State {
        var startedAt = currentSeconds()
        var counts: [RelayClients.Key: ServerStatistics] = [:]
    }
    private let state = Mutex(State())

    func count(_ user: AgentUserID, _ server: ProtocolServer, _ change: (inout ServerStatistics) -> Void) {
        state.withLock { change(&$0.counts[RelayClients.Key(user: user, server: server.withoutPassword), default: ServerStatistics()]) }
    }

    var all: (startedAt: Int64, counts: [RelayClients.Key: ServerStatistics]) { state.withLock { ($0.startedAt, $0.counts) } }

    func reset() { state.withLock { $0 = State() } }

    func load(_ db: Connection) throws {
        guard let start = try db.first("SELECT started_at FROM servers_stats_start")?.int64("started_at") else { return }
        var counts: [RelayClients.Key: ServerStatistics] = [:]
        for row in try db.query("SELECT * FROM servers_stats") {
            guard let server = try? storedServer(try row.string("server")) else { continue }
            counts[RelayClients.Key(user: try row.int64("user_id"), server: server)] = ServerStatistics(stored: try row.string("counts"))
        }
        state.withLock { state in
            state.startedAt = start
            for (key, one) in counts { state.counts[key, default: ServerStatistics()] += one }
        }
    }

    func store(_ db: Connection) throws {
        let (startedAt, counts) = all
        try db.execute("DELETE FROM servers_stats")
        try db.execute("DELETE FROM servers_stats_start")
        try db.execute("INSERT INTO servers_stats_start (started_at) VALUES (?)", startedAt)
        for (key, one) in counts {
            try db.execute("INSERT INTO servers_stats (user_id, server, counts) VALUES (?, ?, ?)", key.user, key.server.str, one.stored)
        }
    }
}

extension SMPClientError {
    /// Counts why a message could not be sent.
    func count(in one: inout ServerStatistics) {
        switch self {
        case .smp(.auth): one.sentAuthErrs += 1
        case .smp(.quota): one.sentQuotaErrs += 1
        case _ where isTemporary || isHostFault: one.sentExpiredErrs += 1
        default: one.sentOtherErrs += 1
        }
    }
}
