import Clocks
import SMP
import SQLCipher
import Synchronization

/// Counts of operations at one server.
package protocol ServerCounts: Hashable, Sendable {
    init()
    /// Key paths of all counts, in the order of their storage. Add new counts at the end.
    static var fields: [WritableKeyPath<Self, Int>] { get }
}

extension ServerCounts {
    package func adding(_ other: Self) -> Self {
        var sum = self
        sum += other
        return sum
    }

    static func += (one: inout Self, other: Self) {
        for field in fields { one[keyPath: field] &+= other[keyPath: field] }
    }

    fileprivate var storedForm: String { Self.fields.map { String(self[keyPath: $0]) }.joined(separator: " ") }

    fileprivate init(stored: String) {
        self.init()
        for (field, text) in zip(Self.fields, stored.split(separator: " ")) {
            self[keyPath: field] = min(max(Int(text) ?? 0, 0), Int(Row.maxCount))
        }
    }
}

/// Counts of operations at one relay. The names are those in `AgentSMPServerStatsData` of the API.
package struct ServerStatistics: ServerCounts {
    package var sentDirect = 0, sentViaProxy = 0, sentProxied = 0
    package var sentDirectAttempts = 0, sentViaProxyAttempts = 0, sentProxiedAttempts = 0
    package var sentAuthErrs = 0, sentQuotaErrs = 0, sentExpiredErrs = 0, sentOtherErrs = 0
    package var recvMsgs = 0, recvDuplicates = 0, recvCryptoErrs = 0, recvErrs = 0
    package var ackMsgs = 0, ackAttempts = 0, ackNoMsgErrs = 0, ackOtherErrs = 0
    package var connCreated = 0, connSecured = 0, connDeleted = 0, connDelAttempts = 0, connDelErrs = 0
    package var connSubscribed = 0, connSubAttempts = 0, connSubErrs = 0
    package var ntfKey = 0, ntfKeyAttempts = 0, ntfKeyDeleted = 0, ntfKeyDeleteAttempts = 0
    /// Counts of operations at one notification server. The names are those in `AgentNtfServerStatsData`.
    package var ntfCreated = 0, ntfCreateAttempts = 0, ntfChecked = 0, ntfCheckAttempts = 0

    package init() {}

    package static var fields: [WritableKeyPath<ServerStatistics, Int>] {
        [
            \.sentDirect, \.sentViaProxy, \.sentProxied, \.sentDirectAttempts, \.sentViaProxyAttempts,
            \.sentProxiedAttempts, \.sentAuthErrs,
            \.sentQuotaErrs, \.sentExpiredErrs, \.sentOtherErrs, \.recvMsgs, \.recvDuplicates, \.recvCryptoErrs,
            \.recvErrs, \.ackMsgs, \.ackAttempts,
            \.ackNoMsgErrs, \.ackOtherErrs, \.connCreated, \.connSecured, \.connDeleted, \.connDelAttempts,
            \.connDelErrs, \.connSubscribed,
            \.connSubAttempts, \.connSubErrs, \.ntfKey, \.ntfKeyAttempts, \.ntfKeyDeleted, \.ntfKeyDeleteAttempts,
            \.ntfCreated, \.ntfCreateAttempts,
            \.ntfChecked, \.ntfCheckAttempts,
        ]
    }
}

/// Counts of operations at one file server. The names are those in `AgentXFTPServerStatsData` of the API. Sizes are in
/// KiB, rounded up.
package struct FileServerStatistics: ServerCounts {
    package var uploads = 0, uploadsSize = 0, uploadAttempts = 0, uploadErrs = 0
    package var downloads = 0, downloadsSize = 0, downloadAttempts = 0, downloadAuthErrs = 0, downloadErrs = 0
    package var deletions = 0, deleteAttempts = 0, deleteErrs = 0

    package init() {}

    package static var fields: [WritableKeyPath<FileServerStatistics, Int>] {
        [
            \.uploads, \.uploadsSize, \.uploadAttempts, \.uploadErrs, \.downloads, \.downloadsSize, \.downloadAttempts,
            \.downloadAuthErrs,
            \.downloadErrs, \.deletions, \.deleteAttempts, \.deleteErrs,
        ]
    }

    mutating func countUpload(of bytes: Int) {
        uploads += 1
        uploadsSize += (bytes + 1023) / 1024
    }

    mutating func countDownload(of bytes: Int) {
        downloads += 1
        downloadsSize += (bytes + 1023) / 1024
    }

    /// Counts a download error after which the agent does not request the chunk from the server again.
    mutating func countDownloadError(_ error: AgentError) {
        if case .xftp(_, .auth) = error { downloadAuthErrs += 1 } else { downloadErrs += 1 }
    }
}

/// Counts of operations, by user and server. The agent stores the counts when it closes. Counts that are not stored yet
/// are lost in a crash.
final class StatisticsCounter: Sendable {
    typealias Counts<One: ServerCounts> = [RelayClients.Key: One]

    private struct State {
        var startedAt = WallClock.seconds()
        var counts: Counts<ServerStatistics> = [:]
        var fileCounts: Counts<FileServerStatistics> = [:]
    }
    private let state = Mutex(State())

    func updateCounts(_ user: AgentUserID, _ server: ProtocolServer, _ change: (inout ServerStatistics) -> Void) {
        state.withLock {
            change(
                &$0.counts[RelayClients.Key(user: user, server: server.withoutPassword), default: ServerStatistics()]
            )
        }
    }

    func countFileOperations(
        _ user: AgentUserID,
        _ server: ProtocolServer,
        _ change: (inout FileServerStatistics) -> Void
    ) {
        state.withLock {
            change(
                &$0.fileCounts[
                    RelayClients.Key(user: user, server: server.withoutPassword),
                    default: FileServerStatistics()
                ]
            )
        }
    }

    var snapshot: (startedAt: Int64, counts: Counts<ServerStatistics>, files: Counts<FileServerStatistics>) {
        state.withLock { ($0.startedAt, $0.counts, $0.fileCounts) }
    }

    func resetCounts() { state.withLock { $0 = State() } }

    func loadCounts(_ db: DatabaseConnection) throws {
        guard let start = try db.firstRow("SELECT started_at FROM servers_stats_start")?.readTime("started_at") else {
            return
        }
        let counts: Counts<ServerStatistics> = try Self.readCounts("servers_stats", db)
        let files: Counts<FileServerStatistics> = try Self.readCounts("file_servers_stats", db)
        state.withLock { state in
            state.startedAt = start
            for (key, one) in counts { state.counts[key, default: ServerStatistics()] += one }
            for (key, one) in files { state.fileCounts[key, default: FileServerStatistics()] += one }
        }
    }

    func storeSnapshot(_ db: DatabaseConnection) throws {
        let (startedAt, counts, files) = snapshot
        try db.execute("DELETE FROM servers_stats_start")
        try db.insert(into: "servers_stats_start", ["started_at": startedAt])
        try Self.storeCounts(counts, "servers_stats", db)
        try Self.storeCounts(files, "file_servers_stats", db)
    }

    private static func readCounts<One>(_ table: String, _ db: DatabaseConnection) throws -> Counts<One> {
        var counts: Counts<One> = [:]
        for row in try db.query("SELECT * FROM \(table)") {
            guard let server = try? parseStoredServer(try row.string("server")) else { continue }
            counts[RelayClients.Key(user: try row.int64("user_id"), server: server)] = One(
                stored: try row.string("counts")
            )
        }
        return counts
    }

    private static func storeCounts<One>(_ counts: Counts<One>, _ table: String, _ db: DatabaseConnection) throws {
        try db.execute("DELETE FROM \(table)")
        for (key, one) in counts {
            try db.insert(into: table, ["user_id": key.user, "server": key.server.str, "counts": one.storedForm])
        }
    }
}

extension SMPClientError {
    /// Counts the reason why a message could not be sent.
    func countSendError(in one: inout ServerStatistics) {
        switch self {
        case .smp(.auth): one.sentAuthErrs += 1
        case .smp(.quota): one.sentQuotaErrs += 1
        case _ where isTemporary || isHostFault: one.sentExpiredErrs += 1
        default: one.sentOtherErrs += 1
        }
    }
}
