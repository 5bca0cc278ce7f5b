import Foundation
import Gateway
import Logging
import ServerSupport
import TestSupport
import Testing

@testable import Broker

@Suite(.socketTimeLimit, .enabled(if: RedisServer.isInstalled, "Redis or hiredis is not installed"))
struct RedisBrokerTests {
    private static let log = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    private let journal = BrokerJournal(tenant: "acme", store: "s", epoch: "e")

    private func withServer(password: String? = nil, _ body: (RedisServer) async throws -> Void) async throws {
        // Writing to a connection that Redis has closed raises this signal. The gateway ignores the signal too.
        signal(SIGPIPE, SIG_IGN)
        let server = try RedisServer(password: password)
        defer { server.remove() }
        try await body(server)
    }

    private func makePosition(_ seq: UInt64) -> BrokerPosition { BrokerPosition(epoch: journal.epoch, seq: seq) }
    private func makeBroker(_ url: String, length: Int = 1_000, gateway: String = "one") throws -> RedisBroker {
        try #require(RedisBroker(url, length: length, gateway: gateway, log: Self.log))
    }

    private func makeEntries(_ range: ClosedRange<UInt64>) -> [BrokerEntry] {
        range.map { BrokerEntry(id: "e-\($0)", type: "t", json: Array("{\"n\":\"\($0) \\u0000 ä\"}".utf8)) }
    }

    @Test
    func `Events appended to Redis after a wrong journal position are refused with the actual position`() async throws {
        try await withServer(password: "secret") { server in
            let broker = try makeBroker(server.url)
            #expect(try await broker.readPosition(journal) == nil)
            #expect(try await broker.appendEntries(makeEntries(1...3), of: journal, from: nil, to: 3) == nil)
            #expect(try await broker.readPosition(journal) == makePosition(3))
            #expect(
                try await broker.appendEntries(makeEntries(1...2), of: journal, from: nil, to: 2)
                    == BrokerConflict(position: makePosition(3))
            )
            #expect(
                try await broker.appendEntries(makeEntries(5...5), of: journal, from: makePosition(4), to: 5)
                    == BrokerConflict(position: makePosition(3))
            )
            // The same entries are sent again, as after a lost answer.
            #expect(try await broker.appendEntries(makeEntries(1...3), of: journal, from: nil, to: 3) == nil)
            #expect(try await broker.appendEntries([], of: journal, from: makePosition(3), to: 4) == nil)
            #expect(try server.runCommand("XLEN 'sxgw:{acme}:events'") == "3")
            try server.runCommand("FLUSHALL")
            #expect(
                try await broker.appendEntries(makeEntries(5...5), of: journal, from: makePosition(4), to: 5)
                    == BrokerConflict(position: nil)
            )
            broker.closeConnection()
        }
    }

    @Test
    func `Events of two gateways' first stores in one Redis stream contain the names of their gateways`() async throws {
        try await withServer { server in
            for name in ["one", "two"] {
                let broker = try makeBroker(server.url, gateway: name)
                let journal = BrokerJournal(tenant: "default", store: "default", epoch: name)
                #expect(try await broker.appendEntries(makeEntries(1...1), of: journal, from: nil, to: 1) == nil)
                broker.closeConnection()
            }
            let stream = try server.runCommand("XRANGE 'sxgw:{default}:events' - +")
            #expect(stream.contains("gateway\none\nstore\ndefault") && stream.contains("gateway\ntwo\nstore\ndefault"))
        }
    }

    @Test
    func `Redis has one journal position for each store, even after the store got new journals`() async throws {
        try await withServer { server in
            let broker = try makeBroker(server.url)
            var last: BrokerPosition?
            for index in 1...5 {
                let journal = BrokerJournal(tenant: "acme", store: "s", epoch: "e\(index)")
                #expect(try await broker.readPosition(journal) == last)
                #expect(try await broker.appendEntries(makeEntries(1...1), of: journal, from: last, to: 1) == nil)
                last = BrokerPosition(epoch: "e\(index)", seq: 1)
            }
            #expect(try server.runCommand("HLEN 'sxgw:{acme}:positions'") == "1")
            try await broker.removePosition("s", of: "acme")
            #expect(try server.runCommand("HLEN 'sxgw:{acme}:positions'") == "0")
            broker.closeConnection()
        }
    }

    @Test
    func `The time limit of a Redis command includes the time for connecting`() async throws {
        signal(SIGPIPE, SIG_IGN)
        let server = try RawServer { peer in
            while !peer.read().isEmpty {
                usleep(1_200_000)
                peer.write(Array("+OK\r\n".utf8))
            }
        }
        defer { server.stop() }
        let redis = Redis(try #require(RedisURL("redis://:secret@127.0.0.1:\(server.port)")), patience: .seconds(2))
        // The login alone and the command alone would each end within the time limit. Together they exceed it.
        await #expect(throws: RedisError.self) { try await redis.runCommand([Array("PING".utf8)]) }
        redis.closeLater()
    }

    @Test(arguments: ["away", "password"])
    func `After an error answer or a failed connection, no command is sent to Redis for some time`(
        _ defect: String
    ) async throws {
        try await withServer(password: "secret") { server in
            let url =
                defect == "away"
                ? "unix://:secret@/nonexistent/redis.sock" : server.url.replacing("secret", with: "wrong-word")
            let redis = Redis(try #require(RedisURL(url)), pause: .seconds(600))
            for isFirst in [true, false] {
                await #expect {
                    _ = try await redis.runCommand([Array("PING".utf8)])
                } throws: {
                    if case RedisError.inFailurePause = $0 { !isFirst } else { isFirst }
                }
            }
            redis.closeLater()
        }
    }

    @Test
    func `A cancelled command to a silent Redis ends immediately`() async throws {
        try await withServer { server in
            let broker = try makeBroker(server.url)
            try await broker.checkAppending()
            server.signal(SIGSTOP)
            let asking = (0..<3).map { _ in Task { try await broker.readPosition(journal) } }
            try await Task.sleep(for: .milliseconds(100))
            let start = ContinuousClock.now
            for task in asking { task.cancel() }
            for task in asking { await #expect(throws: CancellationError.self) { try await task.value } }
            broker.closeConnection()
            #expect(ContinuousClock.now - start < .seconds(1))
        }
    }

    @Test
    func `A Redis stream is limited to about its maximum number of entries`() async throws {
        try await withServer { server in
            let broker = try makeBroker(server.url, length: 100)
            for part in 0..<20 {
                let first = UInt64(part * 50)
                #expect(
                    try await broker.appendEntries(
                        makeEntries((first + 1)...(first + 50)),
                        of: journal,
                        from: part == 0 ? nil : makePosition(first),
                        to: first + 50
                    ) == nil
                )
            }
            let count = try #require(Int(try server.runCommand("XLEN 'sxgw:{acme}:events'")))
            #expect((100...300).contains(count))
            broker.closeConnection()
        }
    }

    @Test
    func `Events are appended once even if Redis has closed the connection`() async throws {
        try await withServer(password: "secret") { server in
            let broker = try makeBroker(server.url)
            #expect(try await broker.appendEntries(makeEntries(1...3), of: journal, from: nil, to: 3) == nil)
            try server.runCommand("CLIENT KILL TYPE normal")
            #expect(
                try await broker.appendEntries(makeEntries(4...5), of: journal, from: makePosition(3), to: 5) == nil
            )
            #expect(try server.runCommand("XLEN 'sxgw:{acme}:events'") == "5")
            #expect(broker.isUp && broker.metricsText.contains("sxgw_broker_failures_total 0\n"))
            broker.closeConnection()
        }
    }

    @Test
    func `The check of Redis fails if Redis cannot append, and otherwise leaves no key in Redis`() async throws {
        try await withServer { server in
            let broker = try makeBroker(server.url)
            try await broker.checkAppending()
            #expect(try server.runCommand("DBSIZE") == "0")
            try server.runCommand("CONFIG SET maxmemory 1")
            await #expect {
                try await broker.checkAppending()
            } throws: {
                "\($0)".contains("OOM")
            }
            broker.closeConnection()
        }
    }

    @Test
    func `The error for a missing Redis database contains the number of the database`() async throws {
        try await withServer { server in
            var url = try #require(RedisURL(server.url))
            url.database = 99
            let redis = Redis(url)
            do {
                _ = try await redis.runCommand([Array("PING".utf8)])
                Issue.record("Redis has answered.")
            } catch {
                #expect("\(error)" == "Redis refuses: database 99")
            }
            redis.closeLater()
        }
    }

    @Test(arguments: ["away", "password", "stopped"])
    func `An absent, silent or refusing Redis causes an error that contains no secret`(_ defect: String) async throws {
        try await withServer(password: "secret") { server in
            let url =
                switch defect {
                case "away": "unix://:secret@/nonexistent/redis.sock"
                case "password": server.url.replacing("secret", with: "wrong-word")
                default: server.url
                }
            let broker = try makeBroker(url)
            if defect == "stopped" {
                try await broker.checkAppending()
                server.signal(SIGSTOP)
            }
            do {
                _ = try await broker.readPosition(journal)
                Issue.record("Redis has answered.")
            } catch {
                #expect(!"\(error)".contains("secret") && !"\(error)".contains("wrong-word"))
            }
            #expect(!broker.isUp && broker.metricsText.contains("sxgw_broker_up 0\n"))
            if defect == "stopped" {
                server.signal(SIGCONT)
                try await waitUntil("Redis is asked again") {
                    do { return try await broker.readPosition(journal) == nil } catch { return false }
                }
                #expect(broker.isUp && broker.metricsText.contains("sxgw_broker_up 1\n"))
            }
            broker.closeConnection()
        }
    }
}
