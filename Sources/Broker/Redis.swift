internal import CHiredis
internal import Concurrency
internal import Synchronization

#if canImport(Glibc)
internal import Glibc
#endif

/// Why a Redis does not do what it is asked for.
enum RedisError: Error, CustomStringConvertible {
    /// hiredis is not on this machine.
    case noLibrary
    case away
    /// It has closed the connection.
    case closed
    /// It has just not answered, and is left alone for a moment.
    case notAsked
    /// The first word of its answer, such as `NOAUTH`, `OOM` or `READONLY`. The others may quote what was sent.
    case refused(String)
    case unexpected

    var description: String {
        switch self {
        case .noLibrary: "\(String(cString: sxgw_redis_library())) is not installed (Debian's package libhiredis0.14)"
        case .away, .closed, .notAsked: "there is no connection to Redis, or it does not answer in time"
        case .refused(let word): "Redis refuses: \(word)"
        case .unexpected: "Redis answers with something else"
        }
    }
}

/// One connection to a Redis: one command at a time, each with a limit of time. It is made when it is needed, also again.
final class Redis: Sendable {
    /// After a command that was not answered. All that wait for their turn meanwhile are told so at once: else each would wait as long as the one before.
    private static let pause = Duration.seconds(1)

    private let url: RedisURL
    private let turns = AsyncLock()
    private let session = Mutex<Session?>(nil)
    private let silence = Mutex<ContinuousClock.Instant?>(nil)

    init(_ url: RedisURL) { self.url = url }

    /// Runs a command.
    /// - Returns: the text or number that it answers with; nil for nothing.
    func command(_ words: [[UInt8]]) async throws -> [UInt8]? {
        try await turns.run {
            try Task.checkCancellation()
            guard silence.withLock({ $0.map { $0 <= .now } ?? true }) else { throw RedisError.notAsked }
            return try await blocking { [self] in
                try session.withLock { session in
                    do {
                        if let open = session {
                            // One that nobody has used for long may be closed. Another one is asked, unless it is silent as well.
                            do { return try open.command(words) } catch RedisError.closed {}
                        }
                        let open = try Session(url)
                        session = open
                        return try open.command(words)
                    } catch {
                        // A refused command leaves the connection as it was.
                        if case RedisError.refused = error {} else {
                            session = nil
                            silence.withLock { $0 = .now + Self.pause }
                        }
                        throw error
                    }
                }
            }
        }
    }

    func close() async { await turns.run { session.withLock { $0 = nil } } }
}

/// The library's functions.
private enum Library {
    private static let loaded: sxgw_redis? = {
        var redis = sxgw_redis()
        return sxgw_redis_load(&redis) == 1 ? redis : nil
    }()

    static func functions() throws -> sxgw_redis {
        guard let loaded else { throw RedisError.noLibrary }
        return loaded
    }
}

/// An open connection. Under the lock of its owner.
private final class Session {
    private static let patience = timeval(tv_sec: 3, tv_usec: 0)

    private let redis: sxgw_redis
    private let context: UnsafeMutablePointer<redisContext>

    init(_ url: RedisURL) throws {
        redis = try Library.functions()
        let made =
            switch url.place {
            case .host(let host, let port): redis.connect(host, port, Self.patience)
            case .socket(let path): redis.connectUnix(path, Self.patience)
            }
        guard let made else { throw RedisError.away }
        context = made
        guard made.pointee.err == 0, redis.setTimeout(made, Self.patience) == REDIS_OK else { throw RedisError.away }
        if let password = url.password { _ = try command(([ "AUTH" ] + (url.user.map { [$0] } ?? []) + [password]).map { Array($0.utf8) }) }
        if let database = url.database { _ = try command(["SELECT", "\(database)"].map { Array($0.utf8) }) }
    }

    deinit { redis.free(context) }

    func command(_ words: [[UInt8]]) throws -> [UInt8]? {
        var lengths = words.map(\.count)
        let bytes = words.flatMap { $0 }
        let answer: UnsafeMutableRawPointer? = bytes.withUnsafeBytes { all in
            var at = 0
            // A word without bytes is somewhere as well.
            var empty: CChar = 0
            return withUnsafePointer(to: &empty) { nothing in
                var pointers: [UnsafePointer<CChar>?] = lengths.map { length in
                    defer { at += length }
                    return length == 0 ? nothing : all.baseAddress?.advanced(by: at).assumingMemoryBound(to: CChar.self)
                }
                return redis.commandArgv(context, Int32(pointers.count), &pointers, &lengths)
            }
        }
        guard let answer else {
            let reason = errno
            let isClosed = context.pointee.err == REDIS_ERR_EOF || (context.pointee.err == REDIS_ERR_IO && [EPIPE, ECONNRESET].contains(reason))
            throw isClosed ? RedisError.closed : RedisError.away
        }
        defer { redis.freeReply(answer) }
        let reply = answer.assumingMemoryBound(to: redisReply.self).pointee
        func text() -> [UInt8] { reply.str.map { Array(UnsafeRawBufferPointer(start: $0, count: reply.len)) } ?? [] }
        switch reply.type {
        case REDIS_REPLY_STRING, REDIS_REPLY_STATUS: return text()
        case REDIS_REPLY_INTEGER: return Array("\(reply.integer)".utf8)
        case REDIS_REPLY_NIL: return nil
        case REDIS_REPLY_ERROR:
            let word = text().prefix { $0 != UInt8(ascii: " ") }.filter { (0x41...0x5A).contains($0) }
            throw RedisError.refused(String(decoding: word.prefix(20), as: UTF8.self))
        default: throw RedisError.unexpected
        }
    }
}
