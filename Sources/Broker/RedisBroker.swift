public import Gateway
public import Logging
internal import Synchronization

/// Appends events to streams in Redis, one for each tenant: `sxgw:{tenant}:events`. The hash `sxgw:{tenant}:positions`
/// has, for each store, the cursor of the last appended entry. A script changes stream and position together. So no
/// entry is appended twice while Redis keeps both, and when two gateways append, one succeeds.
///
/// The process must ignore `SIGPIPE`, because hiredis writes to connections that Redis has closed.
public final class RedisBroker: EventBroker {
    private enum Standing {
        case unknown, up, away
        /// Redis answers, but refuses to append.
        case refusing

        var isDown: Bool { self == .away || self == .refusing }
    }

    private struct State {
        var standing = Standing.unknown
        var entries: UInt64 = 0
        var failures: UInt64 = 0
    }

    /// KEYS: stream, positions. ARGV: the position's name, expected position, new position, length, store, and of each
    /// entry its id, type and JSON.
    private static let script = """
        local at = redis.call('HGET', KEYS[2], ARGV[1]) or ''
        if at ~= ARGV[2] then return at end
        for i = 6, #ARGV, 3 do
            redis.call('XADD', KEYS[1], 'MAXLEN', '~', ARGV[4], '*', 'id', ARGV[i], 'store', ARGV[5], 'type', ARGV[i + 1], 'entry', ARGV[i + 2])
        end
        redis.call('HSET', KEYS[2], ARGV[1], ARGV[3])
        return false
        """

    private let redis: Redis
    private let length: Int
    private let log: Logger
    private let state = Mutex(State())

    /// - Parameters:
    ///   - url: `redis://[[user]:password@]host[:port][/database]` or `unix://[[user]:password@]/path`. It may contain
    ///     a password, and is never shown.
    ///   - length: the approximate number of entries that a stream keeps.
    /// - Returns: nil for an invalid URL.
    public convenience init?(_ url: String, length: Int, log: Logger) {
        guard let url = RedisURL(url) else { return nil }
        self.init(Redis(url), length: length, log: log)
    }

    init(_ redis: Redis, length: Int, log: Logger) {
        self.redis = redis
        self.length = length
        self.log = log
    }

    public var isUp: Bool { state.withLock { $0.standing == .up } }

    /// Appends an entry to a test stream, and removes the stream. Other commands would not show that Redis is full, is
    /// a replica, or does not permit this user to write.
    /// - Throws: the reason for which Redis cannot be used. Its description contains no secret.
    public func check() async throws {
        let keys = ["sxgw:{check}:trial", "sxgw:{check}:trial-positions"]
        let append = ["EVAL", Self.script, "2"] + keys + ["trial", "", "trial-1", "1", "", "trial-1", "trial", "{}"]
        for command in [append, ["DEL"] + keys] { _ = try await redis.command(command.map { Array($0.utf8) }) }
    }

    /// Closes the connection without waiting.
    public func close() { redis.close() }

    public func position(_ journal: BrokerJournal) async throws -> BrokerPosition? {
        let words = ["HGET", Self.positions(journal.tenant), journal.place].map { Array($0.utf8) }
        let answer = try await recordingOutcome(isWrite: false) {
            try await self.redis.command(words) { $0 == nil || Self.position($0) != nil }
        }
        return Self.position(answer)
    }

    public func append(
        _ entries: [BrokerEntry],
        of journal: BrokerJournal,
        from expected: BrokerPosition?,
        to seq: UInt64
    ) async throws -> BrokerConflict? {
        let position = BrokerPosition(epoch: journal.epoch, seq: seq)
        let head = [
            "EVAL", Self.script, "2", "sxgw:{\(journal.tenant)}:events", Self.positions(journal.tenant), journal.place,
            expected?.description ?? "", position.description,
            "\(length)", journal.store,
        ]
        let words = head.map { Array($0.utf8) } + entries.flatMap { [Array($0.id.utf8), Array($0.type.utf8), $0.json] }
        // The script returns nil, or the present position, which is empty at first.
        let answer = try await recordingOutcome(isWrite: true) {
            try await self.redis.command(words) { $0?.isEmpty ?? true || Self.position($0) != nil }
        }
        // The position is already the new one if the first answer was lost with its connection. This counts as a
        // success.
        if let answer, answer != Array(position.description.utf8) {
            return BrokerConflict(position: Self.position(answer))
        }
        state.withLock { $0.entries &+= UInt64(entries.count) }
        return nil
    }

    public func forget(_ place: String, of tenant: String) async throws {
        _ = try await recordingOutcome(isWrite: false) {
            try await self.redis.command(["HDEL", Self.positions(tenant), place].map { Array($0.utf8) })
        }
    }

    private static func positions(_ tenant: String) -> String { "sxgw:{\(tenant)}:positions" }

    private static func position(_ text: [UInt8]?) -> BrokerPosition? {
        text.flatMap { BrokerPosition(String(decoding: $0, as: UTF8.self)) }
    }

    /// Runs a command and notes its outcome. It logs once when Redis stops taking events, and once when Redis takes
    /// them again.
    private func recordingOutcome<T>(isWrite: Bool, _ body: () async throws -> T) async throws -> T {
        do {
            let result = try await body()
            let isBack = state.withLock { state in
                // A Redis that answers a read may still refuse writes.
                guard isWrite || state.standing != .refusing else { return false }
                defer { state.standing = .up }
                return state.standing.isDown
            }
            if isBack { log.notice("Redis accepts events again.") }
            return result
        } catch let error where error is CancellationError {
            throw error
        } catch RedisError.notAsked(let time) {
            throw BrokerResting(time: time)
        } catch {
            var standing = Standing.away
            if isWrite, case RedisError.refused = error { standing = .refusing }
            let isNews = state.withLock { state in
                defer { (state.standing, state.failures) = (standing, state.failures &+ 1) }
                return !state.standing.isDown
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
    public var metrics: String {
        let state = state.withLock { $0 }
        return """
            # HELP sxgw_broker_up 0 while Redis does not accept events, else 1.
            # TYPE sxgw_broker_up gauge
            sxgw_broker_up \(state.standing.isDown ? 0 : 1)
            # HELP sxgw_broker_entries_total Events that were appended to streams in Redis.
            # TYPE sxgw_broker_entries_total counter
            sxgw_broker_entries_total \(state.entries)
            # HELP sxgw_broker_failures_total Attempts that Redis did not answer, or refused.
            # TYPE sxgw_broker_failures_total counter
            sxgw_broker_failures_total \(state.failures)

            """
    }
}
