internal import CHiredis
internal import Concurrency
internal import Synchronization

#if canImport(Glibc)
    internal import Glibc
#endif

/// Reasons why Redis does not execute a command.
enum RedisError: Error, CustomStringConvertible {
    /// The library hiredis is missing on this machine.
    case noLibrary
    case redisUnavailable
    /// Redis has closed the connection.
    case connectionClosed
    /// No command is sent for a while, because an earlier command has failed. The value is the remaining time.
    case inFailurePause(Duration)
    /// Redis has refused a command. The text is the first word of the answer, such as `NOAUTH`, `OOM` or `READONLY`.
    /// The other words are dropped, since they may quote the command.
    case commandRefused(String)
    case unexpectedAnswer

    var description: String {
        switch self {
        case .noLibrary: "\(String(cString: sxgw_redis_library())) is not installed (Debian's package libhiredis0.14)"
        case .redisUnavailable, .connectionClosed, .inFailurePause:
            "there is no connection to Redis, or it does not answer in time"
        case .commandRefused(let word): "Redis refuses: \(word)"
        case .unexpectedAnswer: "Redis sends an unexpected answer"
        }
    }
}

/// A connection to Redis, which runs one command at a time, each with a time limit. A command opens the connection if
/// it is not open.
final class Redis: Sendable {
    /// The time after an unanswered command, or after a refused login, during which all commands fail immediately.
    /// Otherwise each waiting command would wait for its own time limit.
    private let failurePause: Duration

    private let url: RedisURL
    /// Time limit for a command, including a new connection and the login.
    private let commandTimeout: Duration
    private let turnLock = AsyncLock()
    private let session = Mutex<RedisSession?>(nil)
    private let failurePauseEnd = Mutex<ContinuousClock.Instant?>(nil)

    init(_ url: RedisURL, patience: Duration = .seconds(3), pause: Duration = .seconds(1)) {
        (self.url, self.commandTimeout, self.failurePause) = (url, patience, pause)
    }

    typealias AnswerCheck = @Sendable ([UInt8]?) -> Bool

    /// Runs a command. When the task is cancelled, this function returns immediately, and Redis may carry out the
    /// command later.
    /// - Parameter isAnswer: returns whether an answer fits the command. An answer that does not fit closes the
    ///   connection.
    /// - Returns: the text or number in the answer; nil for a null answer.
    func runCommand(_ words: [[UInt8]], isAnswer: @escaping AnswerCheck = { _ in true }) async throws -> [UInt8]? {
        let answer = PendingAnswer()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                guard answer.setContinuation(continuation) else { return }
                Task {
                    do {
                        answer.setResult(.success(try await performInTurn(words, isAnswer, answer)))
                    } catch {
                        answer.setResult(.failure(error))
                    }
                }
            }
        } onCancel: {
            answer.setResult(.failure(CancellationError()))
        }
    }

    private func performInTurn(
        _ words: [[UInt8]],
        _ isAnswer: @escaping AnswerCheck,
        _ answer: PendingAnswer
    ) async throws -> [UInt8]? {
        try await turnLock.runLocked {
            guard !answer.isOver else { throw CancellationError() }
            if let time = failurePauseEnd.withLock({ $0.map { $0 - .now } }), time > .zero {
                throw RedisError.inFailurePause(time)
            }
            return try await runBlocking { [self] in try session.withLock { try performCommand(words, isAnswer, &$0) } }
        }
    }

    private func performCommand(
        _ words: [[UInt8]],
        _ isAnswer: AnswerCheck,
        _ session: inout RedisSession?
    ) throws -> [UInt8]? {
        let deadline = ContinuousClock.now + commandTimeout
        do {
            let answer = try performWithReconnect(words, &session, until: deadline)
            guard isAnswer(answer) else { throw RedisError.unexpectedAnswer }
            return answer
        } catch {
            // After a refused command the connection can still be used, so it is kept. After a refused login, no
            // connection is open.
            if case RedisError.commandRefused = error, session != nil { throw error }
            session = nil
            failurePauseEnd.withLock { $0 = .now + failurePause }
            throw error
        }
    }

    private func performWithReconnect(
        _ words: [[UInt8]],
        _ session: inout RedisSession?,
        until deadline: ContinuousClock.Instant
    ) throws -> [UInt8]? {
        if let open = session {
            // Redis may have closed a connection that was unused for a long time. Then the command is sent over a new
            // connection.
            do { return try open.runCommand(words, until: deadline) } catch RedisError.connectionClosed {
                session = nil
            }
        }
        let open = try RedisSession(url, until: deadline)
        session = open
        return try open.runCommand(words, until: deadline)
    }

    /// Closes the connection when the earlier commands have ended. Returns immediately.
    func closeLater() {
        Task { await turnLock.runLocked { session.withLock { $0 = nil } } }
    }

    /// Passes the result of one command to the caller that waits for it.
    private final class PendingAnswer: Sendable {
        private struct State {
            var continuation: CheckedContinuation<[UInt8]?, any Error>?
            var isOver = false
        }

        private let state = Mutex(State())
        var isOver: Bool { state.withLock { $0.isOver } }

        /// Sets the continuation of the caller.
        /// - Returns: false when the result exists already.
        func setContinuation(_ continuation: CheckedContinuation<[UInt8]?, any Error>) -> Bool {
            let isOver = state.withLock { state in
                if !state.isOver { state.continuation = continuation }
                return state.isOver
            }
            if isOver { continuation.resume(throwing: CancellationError()) }
            return !isOver
        }

        func setResult(_ result: Result<[UInt8]?, any Error>) {
            let continuation = state.withLock { state in
                state.isOver = true
                defer { state.continuation = nil }
                return state.continuation
            }
            continuation?.resume(with: result)
        }
    }
}

/// The functions of the library hiredis, which is loaded at its first use.
private enum RedisLibrary {
    private static let loadedFunctions: sxgw_redis? = {
        var redis = sxgw_redis()
        return sxgw_redis_load(&redis) == 1 ? redis : nil
    }()

    static func requireFunctions() throws -> sxgw_redis {
        guard let loadedFunctions else { throw RedisError.noLibrary }
        return loadedFunctions
    }
}

/// An open connection to Redis. ``Redis`` uses the session only while it holds the session's lock.
private final class RedisSession {
    private let redis: sxgw_redis
    private let context: UnsafeMutablePointer<redisContext>

    init(_ url: RedisURL, until deadline: ContinuousClock.Instant) throws {
        redis = try RedisLibrary.requireFunctions()
        let time = try Self.makeRemainingTime(until: deadline)
        let made =
            switch url.endpoint {
            case .host(let host, let port): redis.connect(host, port, time)
            case .socket(let path): redis.connectUnix(path, time)
            }
        guard let made else { throw RedisError.redisUnavailable }
        context = made
        guard made.pointee.err == 0 else { throw RedisError.redisUnavailable }
        if let password = url.password {
            _ = try runCommand(
                (["AUTH"] + (url.user.map { [$0] } ?? []) + [password]).map { Array($0.utf8) },
                until: deadline
            )
        }
        guard let database = url.database else { return }
        do { _ = try runCommand(["SELECT", "\(database)"].map { Array($0.utf8) }, until: deadline) } catch RedisError
            .commandRefused
        {
            throw RedisError.commandRefused("database \(database)")
        }
    }

    deinit { redis.free(context) }

    private static func makeRemainingTime(until deadline: ContinuousClock.Instant) throws -> timeval {
        let left = deadline - .now
        guard left > .zero else { throw RedisError.redisUnavailable }
        let parts = left.components
        // hiredis would interpret zero as no time limit, so the limit is at least one microsecond.
        return timeval(
            tv_sec: Int(parts.seconds),
            tv_usec: max(Int(parts.attoseconds / 1_000_000_000_000), parts.seconds == 0 ? 1 : 0)
        )
    }

    /// Maximal number of bytes in an answer. The answers to the commands of this program are short: a word, a number,
    /// or the position of a journal.
    private static let maxAnswerBytes = 64 << 10
    /// The first bytes of answers that are texts, errors or numbers.
    private static let answerFirstBytes = "$+-:".utf8

    func runCommand(_ words: [[UInt8]], until deadline: ContinuousClock.Instant) throws -> [UInt8]? {
        if try waitForEvents(for: POLLIN, until: .now) { try throwUnexpectedOrClosed() }
        try sendCommand(words, until: deadline)
        let answer = try receiveAnswer(until: deadline)
        defer { redis.freeReply(answer) }
        let reader = context.pointee.reader.pointee
        // After an additional answer, all later answers would belong to the wrong commands. So an additional answer is
        // an error.
        guard reader.pos == reader.len else { throw RedisError.unexpectedAnswer }
        return try Self.parseReply(answer.assumingMemoryBound(to: redisReply.self).pointee)
    }

    /// Throws the error for data that arrived before a command was sent: `unexpectedAnswer` for an additional answer,
    /// or `connectionClosed` for the end of the connection.
    private func throwUnexpectedOrClosed() throws {
        var byte: UInt8 = 0
        let flags = Int32(truncatingIfNeeded: MSG_PEEK) | Int32(truncatingIfNeeded: MSG_DONTWAIT)
        let count = recv(context.pointee.fd, &byte, 1, flags)
        if count > 0 { throw RedisError.unexpectedAnswer }
        throw RedisError.connectionClosed
    }

    private func sendCommand(_ words: [[UInt8]], until deadline: ContinuousClock.Instant) throws {
        var lengths = words.map(\.count)
        let bytes = words.flatMap { $0 }
        let isAdded = bytes.withUnsafeBytes { all in
            var at = 0
            // hiredis needs a valid pointer also for an empty argument.
            var empty: CChar = 0
            return withUnsafePointer(to: &empty) { nothing in
                var pointers: [UnsafePointer<CChar>?] = lengths.map { length in
                    defer { at += length }
                    return length == 0 ? nothing : all.baseAddress?.advanced(by: at).assumingMemoryBound(to: CChar.self)
                }
                return redis.appendCommandArgv(context, Int32(pointers.count), &pointers, &lengths) == REDIS_OK
            }
        }
        guard isAdded else { throw RedisError.redisUnavailable }
        var isDone: Int32 = 0
        while isDone == 0 {
            guard try waitForEvents(for: POLLOUT, until: deadline),
                redis.setTimeout(context, try Self.makeRemainingTime(until: deadline)) == REDIS_OK
            else { throw RedisError.redisUnavailable }
            guard redis.bufferWrite(context, &isDone) == REDIS_OK else { throw failure }
        }
    }

    /// Receives the next answer, which the caller must free. The limits of time and bytes apply to the whole answer.
    private func receiveAnswer(until deadline: ContinuousClock.Instant) throws -> UnsafeMutableRawPointer {
        var isKnown = false
        while true {
            let reader = context.pointee.reader.pointee
            if reader.len > reader.pos {
                var answer: UnsafeMutableRawPointer?
                isKnown =
                    isKnown
                    || reader.buf.map { Self.answerFirstBytes.contains(UInt8(bitPattern: $0[reader.pos])) } ?? false
                guard isKnown, reader.len - reader.pos <= Self.maxAnswerBytes,
                    redis.readerGetReply(context.pointee.reader, &answer) == REDIS_OK
                else { throw RedisError.unexpectedAnswer }
                if let answer { return answer }
            }
            guard try waitForEvents(for: POLLIN, until: deadline) else { throw RedisError.redisUnavailable }
            guard redis.bufferRead(context) == REDIS_OK else { throw failure }
        }
    }

    private static func parseReply(_ reply: redisReply) throws -> [UInt8]? {
        func text() -> [UInt8] { reply.str.map { Array(UnsafeRawBufferPointer(start: $0, count: reply.len)) } ?? [] }
        switch reply.type {
        case REDIS_REPLY_STRING, REDIS_REPLY_STATUS: return text()
        case REDIS_REPLY_INTEGER: return Array("\(reply.integer)".utf8)
        case REDIS_REPLY_NIL: return nil
        case REDIS_REPLY_ERROR:
            let word = text().prefix { $0 != UInt8(ascii: " ") }.filter { (0x41...0x5A).contains($0) }
            throw RedisError.commandRefused(String(decoding: word.prefix(20), as: UTF8.self))
        default: throw RedisError.unexpectedAnswer
        }
    }

    /// Waits for events of the socket.
    /// - Returns: false when the time has passed without an event.
    private func waitForEvents(for events: Int32, until deadline: ContinuousClock.Instant) throws -> Bool {
        var waited = pollfd(fd: context.pointee.fd, events: Int16(events), revents: 0)
        while true {
            let left = (deadline - .now).components
            let milliseconds = left.seconds < 0 ? 0 : left.seconds * 1000 + left.attoseconds / 1_000_000_000_000_000
            let count = poll(&waited, 1, Int32(clamping: max(0, milliseconds)))
            if count >= 0 { return count > 0 }
            guard errno == EINTR else { throw RedisError.redisUnavailable }
        }
    }

    private var failure: RedisError {
        let reason = errno
        let error = context.pointee.err
        let isClosed = error == REDIS_ERR_EOF || (error == REDIS_ERR_IO && [EPIPE, ECONNRESET].contains(reason))
        return isClosed ? .connectionClosed : .redisUnavailable
    }
}
