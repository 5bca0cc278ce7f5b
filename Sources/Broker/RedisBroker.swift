package import Gateway
package import Logging
internal import Prometheus
internal import Synchronization

/// Appends events to streams in Redis. Each tenant has the stream `sxgw:{tenant}:events`. For each store, the hash
/// `sxgw:{tenant}:positions` contains the cursor of the last appended entry. A script changes the stream and the
/// position together. So no entry is appended twice, if Redis loses neither the stream nor the position. When two
/// gateways append at the same time, only one succeeds.
///
/// The process must ignore `SIGPIPE`, because hiredis writes to connections that Redis has closed.
package final class RedisBroker: EventBroker {
    private enum Availability {
        case unknown, up, unavailable
        /// Redis answers, but refuses to append entries.
        case refusing

        var isDown: Bool { self == .unavailable || self == .refusing }
    }

    private struct State {
        var availability = Availability.unknown
        var entryCount: UInt64 = 0
        var failureCount: UInt64 = 0
    }

    /// The script that appends entries. KEYS: stream, positions. ARGV: name of the position, expected position, new
    /// position, length, store, gateway, and the id, type and JSON of each entry.
    private static let appendScript = """
        local at = redis.call('HGET', KEYS[2], ARGV[1]) or ''
        if at ~= ARGV[2] then return at end
        for i = 7, #ARGV, 3 do
            redis.call('XADD', KEYS[1], 'MAXLEN', '~', ARGV[4], '*', 'id', ARGV[i], 'gateway', ARGV[6], 'store', ARGV[5], 'type', ARGV[i + 1], 'entry', ARGV[i + 2])
        end
        redis.call('HSET', KEYS[2], ARGV[1], ARGV[3])
        return false
        """

    private let redis: Redis
    private let maxStreamEntries: Int
    /// The name of this gateway in entries.
    private let gatewayName: String
    private let log: Logger
    private let state = Mutex(State())

    /// Makes a broker, and does not connect yet.
    /// - Parameters:
    ///   - url: `redis://[[user]:password@]host[:port][/database]` or `unix://[[user]:password@]/path`. The URL may
    ///     contain a password, and is never shown.
    ///   - length: the approximate number of entries that a stream keeps.
    ///   - gateway: the name of this gateway in entries. It distinguishes the first stores of several gateways, which
    ///     have the same id.
    /// - Returns: nil for an invalid URL.
    package convenience init?(_ url: String, length: Int, gateway: String, log: Logger) {
        guard let url = RedisURL(url) else { return nil }
        self.init(Redis(url), length: length, gateway: gateway, log: log)
    }

    init(_ redis: Redis, length: Int, gateway: String, log: Logger) {
        self.redis = redis
        self.maxStreamEntries = length
        self.gatewayName = gateway
        self.log = log
    }

    package var isUp: Bool { state.withLock { $0.availability == .up } }

    /// Appends an entry to a test stream, and removes the stream. Only a write shows whether Redis is full, is a
    /// replica, or forbids this user to write.
    /// - Throws: the reason why Redis cannot be used. Its description contains no secret.
    package func checkAppending() async throws {
        let keys = ["sxgw:{check}:trial", "sxgw:{check}:trial-positions"]
        let append =
            ["EVAL", Self.appendScript, "2"] + keys + [
                "trial", "", "trial-1", "1", "", gatewayName, "trial-1", "trial", "{}",
            ]
        for command in [append, ["DEL"] + keys] { _ = try await redis.runCommand(command.map { Array($0.utf8) }) }
    }

    /// Closes the connection without waiting.
    package func closeConnection() { redis.closeLater() }

    package func readPosition(_ journal: BrokerJournal) async throws -> BrokerPosition? {
        let words = ["HGET", Self.positionsKey(journal.tenant), journal.positionName].map { Array($0.utf8) }
        let answer = try await runAndRecordOutcome(isWrite: false) {
            try await self.redis.runCommand(words) { $0 == nil || Self.parsePosition($0) != nil }
        }
        return Self.parsePosition(answer)
    }

    package func appendEntries(
        _ entries: [BrokerEntry],
        of journal: BrokerJournal,
        from expected: BrokerPosition?,
        to seq: UInt64
    ) async throws -> BrokerConflict? {
        let position = BrokerPosition(epoch: journal.epoch, seq: seq)
        let head = [
            "EVAL", Self.appendScript, "2", "sxgw:{\(journal.tenant)}:events", Self.positionsKey(journal.tenant),
            journal.positionName,
            expected?.description ?? "", position.description,
            "\(maxStreamEntries)", journal.storeID, gatewayName,
        ]
        let words = head.map { Array($0.utf8) } + entries.flatMap { [Array($0.id.utf8), Array($0.type.utf8), $0.json] }
        // The script returns nil, or the present position. The position is empty before the first append.
        let answer = try await runAndRecordOutcome(isWrite: true) {
            try await self.redis.runCommand(words) { $0?.isEmpty ?? true || Self.parsePosition($0) != nil }
        }
        // If the first answer was lost with its connection, the position equals the new position already. This counts
        // as a success.
        if let answer, answer != Array(position.description.utf8) {
            return BrokerConflict(position: Self.parsePosition(answer))
        }
        state.withLock { $0.entryCount &+= UInt64(entries.count) }
        return nil
    }

    package func removePosition(_ place: String, of tenant: String) async throws {
        _ = try await runAndRecordOutcome(isWrite: false) {
            try await self.redis.runCommand(["HDEL", Self.positionsKey(tenant), place].map { Array($0.utf8) })
        }
    }

    private static func positionsKey(_ tenant: String) -> String { "sxgw:{\(tenant)}:positions" }

    private static func parsePosition(_ text: [UInt8]?) -> BrokerPosition? {
        text.flatMap { BrokerPosition(String(decoding: $0, as: UTF8.self)) }
    }

    /// Runs a command and records its outcome. Logs once when Redis begins to refuse events, and once when Redis
    /// accepts events again.
    private func runAndRecordOutcome<T>(isWrite: Bool, _ body: () async throws -> T) async throws -> T {
        do {
            let result = try await body()
            let isBack = state.withLock { state in
                // If Redis answers a read, it may still refuse writes.
                guard isWrite || state.availability != .refusing else { return false }
                defer { state.availability = .up }
                return state.availability.isDown
            }
            if isBack { log.notice("Redis accepts events again.") }
            return result
        } catch let error where error is CancellationError {
            throw error
        } catch RedisError.inFailurePause(let time) {
            throw BrokerPaused(time: time)
        } catch {
            var standing = Availability.unavailable
            if isWrite, case RedisError.commandRefused = error { standing = .refusing }
            let isNews = state.withLock { state in
                defer { (state.availability, state.failureCount) = (standing, state.failureCount &+ 1) }
                return !state.availability.isDown
            }
            if isNews {
                log.error(
                    "Redis accepts no events: they wait in the journals of their stores.",
                    metadata: ["reason": "\(error)"]
                )
            }
            throw error
        }
    }

    /// The metrics of the broker in the text form of Prometheus.
    package var metricsText: String {
        let state = state.withLock { $0 }
        var text = MetricsText()
        text.writeValue(
            "sxgw_broker_up",
            .gauge,
            "0 while Redis does not accept events, else 1.",
            state.availability.isDown ? 0 : 1
        )
        text.writeValue(
            "sxgw_broker_entries_total",
            .counter,
            "Events that were appended to streams in Redis.",
            state.entryCount
        )
        text.writeValue(
            "sxgw_broker_failures_total",
            .counter,
            "Attempts that Redis did not answer, or refused.",
            state.failureCount
        )
        return text.text
    }
}
