internal import CPQ
internal import Clocks
internal import Concurrency
internal import Synchronization

#if canImport(Glibc)
    internal import Glibc
#endif

/// Reasons why PostgreSQL gives no answer.
enum PostgresError: Error, CustomStringConvertible {
    /// The library `libpq.so.5` is missing on this machine.
    case noLibrary
    /// The connection cannot be opened, or has ended.
    case unavailable(reason: String)
    case timeout
    /// The received data is not an answer to the statement, or is too long.
    case unexpectedAnswer
    /// PostgreSQL has refused the statement. The values are the SQLSTATE and the message of the refusal.
    case statementRefused(state: String, message: String)

    var description: String {
        switch self {
        case .noLibrary: "libpq.so.5 is not installed (Debian's package libpq5)"
        case .unavailable(let reason): reason
        case .timeout: "PostgreSQL does not answer in time"
        case .unexpectedAnswer: "PostgreSQL sends an unexpected answer"
        case .statementRefused(let state, let message):
            "PostgreSQL refuses the statement (SQLSTATE \(state))" + (message.isEmpty ? "" : ": \(message)")
        }
    }
}

extension PostgresPlacement {
    /// Returns whether libpq can read a text as a connection string or URI. A single word is accepted as the name of a
    /// database. Without the library, every text is accepted.
    package static func isConnectionString(_ text: String) -> Bool {
        // When libpq connects, it reads a single word as the name of a database. Its parser would refuse the word, so
        // the parser is not called.
        guard text.contains(where: { $0.isWhitespace || "=:/".contains($0) }),
            let pq = try? PostgresLibrary.requireFunctions()
        else {
            return true
        }
        var error: UnsafeMutablePointer<CChar>?
        guard let options = pq.conninfoParse(text, &error) else {
            pq.freemem(error)
            return false
        }
        pq.conninfoFree(options)
        return true
    }
}

/// A connection to PostgreSQL, which runs one statement at a time, each with a time limit. A statement opens the
/// connection if it is not open.
final class Postgres: Sendable {
    private let connectionString: String
    /// Time limit for a new connection, and for a statement, in milliseconds.
    private let timeoutMilliseconds: Int32
    private let turnLock = AsyncLock()
    private let session = Mutex<PostgresSession?>(nil)
    /// The time after a failure during which all statements fail immediately. Otherwise each waiting statement would
    /// wait for its own time limit.
    private let failurePause: Duration
    private let lastFailure = Mutex<(error: PostgresError, until: ContinuousClock.Instant)?>(nil)

    /// Makes a connection that the first statement opens.
    /// - Parameter settings: a connection string or URI of libpq. It may contain a password, and is never shown.
    init(_ settings: String, patience: Int32, failurePause: Duration = .zero) {
        self.failurePause = failurePause
        self.connectionString = settings
        self.timeoutMilliseconds = patience
    }

    /// Runs a statement whose parameters are texts.
    /// - Parameter creates: whether missing tables are created.
    /// - Returns: the rows, with nil for a null value.
    func runQuery(_ sql: String, _ parameters: [String?] = [], creates: Bool = true) async throws -> [[String?]] {
        do { return try await runStatement(sql, parameters) } catch PostgresError.statementRefused(
            state: "42P01",
            message: _
        )
            where creates
        {
            // The tables are missing, for example because the database was lost. The new tables lack the earlier
            // tokens. A node still acquires a store with a greater token, because its request contains the token from
            // the store's folder.
            _ = try await runStatement(PlacementSchema.createTablesSQL, [])
            return try await runStatement(sql, parameters)
        }
    }

    private func runStatement(_ sql: String, _ parameters: [String?]) async throws -> [[String?]] {
        try await turnLock.runLocked {
            if let failure = lastFailure.withLock({ $0 }), failure.until > .now { throw failure.error }
            return try await runBlocking { [self] in
                try session.withLock { session in
                    do {
                        let open = try session ?? PostgresSession(connectionString, timeoutMilliseconds)
                        session = open
                        return try open.runQuery(sql, parameters, timeoutMilliseconds)
                    } catch {
                        // The connection can still be used after a refused statement, so it is kept.
                        if case PostgresError.statementRefused = error { throw error }
                        session = nil
                        if let error = error as? PostgresError, failurePause > .zero {
                            lastFailure.withLock { $0 = (error, .now + failurePause) }
                        }
                        throw error
                    }
                }
            }
        }
    }

    func closeConnection() async { await turnLock.runLocked { session.withLock { $0 = nil } } }
}

/// The functions of the library libpq, which is loaded at its first use.
private enum PostgresLibrary {
    private static let loadedFunctions: sxgw_pq? = {
        var pq = sxgw_pq()
        return sxgw_pq_load(&pq) == 1 ? pq : nil
    }()

    static func requireFunctions() throws -> sxgw_pq {
        guard let loadedFunctions else { throw PostgresError.noLibrary }
        return loadedFunctions
    }
}

/// An open connection to PostgreSQL. ``Postgres`` uses the session only while it holds the session's lock.
private final class PostgresSession {
    private let pq: sxgw_pq
    private let connection: OpaquePointer
    /// The passwords in the settings, which no error may contain.
    private let secrets: [String]
    /// Set to true when libpq reports unexpected data from the server.
    private let hasUnexpectedData: UnsafeMutablePointer<Bool>
    /// Number of bytes that were received during the present statement.
    private var receivedBytes = 0

    /// Maximal number of bytes of an answer, including the overhead of the protocol. This number is enough for the list
    /// of all stores of all nodes.
    private static let maxAnswerBytes = 32 << 20

    init(_ settings: String, _ patience: Int32) throws {
        let pq = try PostgresLibrary.requireFunctions()
        self.pq = pq
        // If an option is given twice, libpq uses the last value.
        let options = [
            ("dbname", settings), ("connect_timeout", "\(max(2, patience / 1000))"),
            ("application_name", "simplex-gateway"),
            ("tcp_user_timeout", "\(patience)"), ("target_session_attrs", "read-write"),
            ("options", "-c client_min_messages=warning"),
        ]
        let names = options.map { strdup($0.0) }, values = options.map { strdup($0.1) }
        defer { for text in names + values { free(text) } }
        let namePointers = names.map { UnsafePointer($0) } + [nil],
            valuePointers = values.map { UnsafePointer($0) } + [nil]
        guard let made = pq.connectdbParams(namePointers, valuePointers, 1) else {
            throw PostgresError.unavailable(reason: "there is no memory for a connection")
        }
        let secrets = Self.parseSecrets(pq, settings)
        guard pq.status(made) == CONNECTION_OK, pq.setnonblocking(made, 1) == 0 else {
            let reason = Self.describeConnectFailure(pq, made, secrets)
            pq.finish(made)
            throw PostgresError.unavailable(reason: reason)
        }
        self.secrets = secrets
        connection = made
        hasUnexpectedData = .allocate(capacity: 1)
        hasUnexpectedData.initialize(to: false)
        // A notice without an SQLSTATE comes from libpq, and reports unexpected data. Notices of the server have an
        // SQLSTATE. No notice is logged.
        _ = pq.setNoticeReceiver(
            made,
            { hasUnexpectedData, notice in
                guard let notice, let pq = try? PostgresLibrary.requireFunctions(),
                    pq.resultErrorField(notice, sxgw_pg_diag_sqlstate()) == nil
                else { return }
                hasUnexpectedData?.assumingMemoryBound(to: Bool.self).pointee = true
            },
            hasUnexpectedData
        )
    }

    /// Returns the reason why a connection failed. The library's own words may quote the settings with a password, so
    /// only the words of the server are repeated.
    private static func describeConnectFailure(
        _ pq: sxgw_pq,
        _ connection: OpaquePointer,
        _ secrets: [String]
    ) -> String {
        if pq.connectionNeedsPassword(connection) == 1 {
            return "PostgreSQL asks for a password, and no password is given"
        }
        let said = pq.errorMessage(connection).map { String(cString: $0) } ?? ""
        if said.contains("session is read-only") { return "PostgreSQL is read-only on this server" }
        if let fatal = said.firstRange(of: "FATAL:") {
            let words = said[fatal.upperBound...].prefix { !$0.isNewline }
            return "PostgreSQL refuses the connection: " + redactWords(String(words), without: secrets)
        }
        guard pq.connectionUsedPassword(connection) == 1 else { return "PostgreSQL cannot be reached" }
        return "PostgreSQL refuses the connection, as for a wrong user, password or database: its log says why"
    }

    /// Returns the passwords in a connection string or URI.
    private static func parseSecrets(_ pq: sxgw_pq, _ settings: String) -> [String] {
        guard let options = pq.conninfoParse(settings, nil) else { return [] }
        defer { pq.conninfoFree(options) }
        var found: [String] = []
        var option = options
        while let keyword = option.pointee.keyword {
            if String(cString: keyword).hasSuffix("password"), let value = option.pointee.val {
                found.append(String(cString: value))
            }
            option += 1
        }
        return found.filter { !$0.isEmpty }
    }

    /// Prepares a message of the server for an error: writes it on one line, shortens it, and replaces secrets by `…`.
    static func redactWords(_ words: String, without secrets: [String]) -> String {
        let shown = secrets.reduce(words) { $0.replacing($1, with: "…") }
        let line = String(shown.unicodeScalars.map { $0.properties.generalCategory == .control ? " " : Character($0) })
        let trimmed = line.drop { $0 == " " }
        return trimmed.count > 200 ? trimmed.prefix(200) + "…" : String(trimmed)
    }

    deinit {
        pq.finish(connection)
        hasUnexpectedData.deallocate()
    }

    func runQuery(_ sql: String, _ parameters: [String?], _ patience: Int32) throws -> [[String?]] {
        let texts = parameters.map { $0.flatMap { strdup($0) } }
        defer { for text in texts { free(text) } }
        let pointers = texts.map { $0.map { UnsafePointer($0) } }
        let end = Self.nowMilliseconds() + Int64(patience)
        receivedBytes = 0
        // Data that arrived before the statement does not belong to it, so the connection is given up.
        var early = pollfd(fd: pq.socket(connection), events: Int16(POLLIN), revents: 0)
        if poll(&early, 1, 0) > 0 { try readReceivedData() }
        try throwIfUnexpectedData()
        guard pq.sendQueryParams(connection, sql, Int32(pointers.count), nil, pointers, nil, nil, 0) == 1,
            pq.setSingleRowMode(connection) == 1
        else { throw unavailableError }
        while true {
            let left = pq.flush(connection)
            if left == 0 { break }
            guard left > 0 else { throw unavailableError }
            try waitForSocket(Int16(POLLOUT | POLLIN), until: end)
            try readReceivedData()
        }
        var rows: [[String?]] = []
        var failure: PostgresError?
        while true {
            while pq.isBusy(connection) == 1 {
                try waitForSocket(Int16(POLLIN), until: end)
                try readReceivedData()
            }
            guard Self.nowMilliseconds() < end else { throw PostgresError.timeout }
            guard let result = pq.getResult(connection) else { break }
            defer { pq.clear(result) }
            switch pq.resultStatus(result) {
            case PGRES_SINGLE_TUPLE: rows += self.readRows(result)
            // A result with one of these statuses ends the rows.
            case PGRES_TUPLES_OK, PGRES_COMMAND_OK: break
            case PGRES_FATAL_ERROR:
                let state = pq.resultErrorField(result, sxgw_pg_diag_sqlstate()).map { String(cString: $0) }
                let message = pq.resultErrorField(result, sxgw_pg_diag_message()).map { String(cString: $0) } ?? ""
                failure =
                    state.map { .statementRefused(state: $0, message: Self.redactWords(message, without: secrets)) }
                    ?? unavailableError
            // Another status, for example of a COPY statement, would lead to results without an end, so it is an error.
            default: throw PostgresError.unexpectedAnswer
            }
        }
        // A server that is shut down ends the session. The statement then counts as failed.
        if pq.status(connection) != CONNECTION_OK { throw unavailableError }
        try throwIfUnexpectedData()
        if let failure { throw failure }
        return rows
    }

    private func throwIfUnexpectedData() throws {
        // `isBusy` parses the received data. During this call, libpq reports unexpected data.
        _ = pq.isBusy(connection)
        if hasUnexpectedData.pointee { throw PostgresError.unexpectedAnswer }
    }

    /// Reads the received data, up to the limit. Notifications are refused, because no statement listens for them.
    private func readReceivedData() throws {
        var waiting: Int32 = 0
        if ioctl(pq.socket(connection), UInt(FIONREAD), &waiting) == 0 { receivedBytes += Int(waiting) }
        guard receivedBytes <= Self.maxAnswerBytes else { throw PostgresError.unexpectedAnswer }
        guard pq.consumeInput(connection) == 1 else { throw unavailableError }
        guard let notification = pq.notifies(connection) else { return }
        pq.freemem(notification)
        throw PostgresError.unexpectedAnswer
    }

    private func readRows(_ result: OpaquePointer) -> [[String?]] {
        (0..<pq.ntuples(result)).map { row in
            (0..<pq.nfields(result)).map { column in
                guard pq.getisnull(result, row, column) == 0, let value = pq.getvalue(result, row, column) else {
                    return nil
                }
                let bytes = UnsafeRawBufferPointer(start: value, count: Int(pq.getlength(result, row, column)))
                return String(decoding: bytes, as: UTF8.self)
            }
        }
    }

    private func waitForSocket(_ events: Int16, until end: Int64) throws {
        var waited = pollfd(fd: pq.socket(connection), events: events, revents: 0)
        while true {
            let left = end - Self.nowMilliseconds()
            guard left > 0 else { throw PostgresError.timeout }
            let count = poll(&waited, 1, Int32(clamping: left))
            if count > 0 { return }
            guard count == 0 || errno == EINTR else { throw unavailableError }
        }
    }

    private var unavailableError: PostgresError { .unavailable(reason: "the connection to PostgreSQL has ended") }

    private static func nowMilliseconds() -> Int64 { LeaseClock.microseconds() / 1000 }
}
