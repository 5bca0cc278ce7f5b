import Foundation
import Gateway
import Logging
import ServerSupport
import TestSupport
import Testing

@testable import Broker

@Suite(
    "Hostile Redis servers",
    .socketTimeLimit,
    .enabled(if: RedisServer.isInstalled, "Redis or hiredis is not installed")
)
struct HostileRedisTests {
    private static let pingCommand = [Array("PING".utf8)]

    /// Runs `body` with a server that answers each command, and a client of the server.
    private func withServer(
        patience: Duration = .seconds(600),
        pause: Duration = .zero,
        _ answer: @escaping @Sendable (RawServer.Peer) -> Void,
        _ body: (Redis, RawServer) async throws -> Void
    ) async throws {
        signal(SIGPIPE, SIG_IGN)
        let server = try RawServer { peer in while !peer.read().isEmpty { answer(peer) } }
        defer { server.stop() }
        let redis = Redis(try #require(RedisURL("redis://127.0.0.1:\(server.port)")), patience: patience, pause: pause)
        try await body(redis, server)
        redis.closeLater()
    }

    @Test(arguments: ["$1000000000\r\n", "+", "*1000000000\r\n", "?"])
    func `An answer of Redis that is too long or of an unexpected type causes an error`(beginning: String) async throws
    {
        try await withServer({ peer in
            peer.write(Array(beginning.utf8))
            while peer.write([UInt8](repeating: UInt8(ascii: "a"), count: 10_000)) {}
        }) { redis, _ in
            await #expect { try await redis.runCommand(Self.pingCommand) } throws: {
                if case RedisError.unexpectedAnswer = $0 { true } else { false }
            }
        }
    }

    @Test
    func `If Redis sends an answer slowly, byte by byte, the command fails after its time limit`() async throws {
        try await withServer(
            patience: .milliseconds(300),
            { peer in
                peer.write(Array("+".utf8))
                while peer.write(Array("a".utf8)) { usleep(20_000) }
            }
        ) { redis, _ in
            await #expect { try await redis.runCommand(Self.pingCommand) } throws: {
                if case RedisError.redisUnavailable = $0 { true } else { false }
            }
        }
    }

    @Test(arguments: [true, false])
    func `An answer that Redis sends without a command ends the connection, at once or before the next command`(
        isTogether: Bool
    ) async throws {
        let (sent, told) = AsyncStream.makeStream(of: Void.self)
        try await withServer({ peer in
            guard peer.number == 1 else {
                peer.write(Array("+right\r\n".utf8))
                return
            }
            if isTogether {
                peer.write(Array("+one\r\n+more\r\n".utf8))
            } else {
                peer.write(Array("+one\r\n".utf8))
                peer.write(Array("+more\r\n".utf8))
            }
            told.yield()
        }) { redis, server in
            let first = try? await redis.runCommand(Self.pingCommand)
            for await _ in sent { break }
            if first != nil {
                await #expect { try await redis.runCommand(Self.pingCommand) } throws: {
                    if case RedisError.unexpectedAnswer = $0 { true } else { false }
                }
            }
            let answer = try await redis.runCommand(Self.pingCommand)
            #expect(answer == Array("right".utf8))
            #expect(server.connectionCount == 2)
        }
    }

    @Test
    func `After an answer with an invalid journal position, no command is sent to Redis for some time`() async throws {
        signal(SIGPIPE, SIG_IGN)
        let server = try RawServer { peer in while !peer.read().isEmpty { peer.write(Array(":7\r\n".utf8)) } }
        defer { server.stop() }
        let log = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let redis = Redis(try #require(RedisURL("redis://127.0.0.1:\(server.port)")), pause: .seconds(86_400))
        let broker = RedisBroker(redis, length: 10, gateway: "one", log: log)
        let journal = BrokerJournal(tenant: "acme", store: "s", epoch: "e")
        await #expect { try await broker.appendEntries([], of: journal, from: nil, to: 1) } throws: {
            if case RedisError.unexpectedAnswer = $0 { true } else { false }
        }
        await #expect(throws: BrokerPaused.self) { try await broker.readPosition(journal) }
        broker.closeConnection()
    }
}
