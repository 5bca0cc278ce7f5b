import Foundation
import Gateway
import Logging
import ServerSupport
import TestSupport
import Testing

@testable import Broker

@Suite(.overSockets, .enabled(if: RedisServer.isInstalled, "Redis or hiredis is not installed")) struct RedisBrokerTests {
    private static let log = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    private let journal = BrokerJournal(tenant: "acme", store: "s", epoch: "e")

    private func with(password: String? = nil, _ body: (RedisServer) async throws -> Void) async throws {
        // As the gateway does.
        signal(SIGPIPE, SIG_IGN)
        let server = try RedisServer(password: password)
        defer { server.remove() }
        try await body(server)
    }

    private func broker(_ url: String, length: Int = 1_000) throws -> RedisBroker { try #require(RedisBroker(url, length: length, log: Self.log)) }

    private func entries(_ range: ClosedRange<UInt64>) -> [BrokerEntry] {
        range.map { BrokerEntry(id: "e-\($0)", type: "t", json: Array("{\"n\":\"\($0) \\u0000 ä\"}".utf8)) }
    }

    @Test("entries are appended with the position; whoever believes it to be elsewhere appends nothing, and learns where it is")
    func positions() async throws {
        try await with(password: "secret") { server in
            let broker = try broker(server.url)
            #expect(try await broker.position(journal) == nil)
            #expect(try await broker.append(entries(1...3), of: journal, from: nil, to: 3) == nil)
            #expect(try await broker.position(journal) == 3)
            #expect(try await broker.append(entries(1...3), of: journal, from: nil, to: 3) == BrokerPosition(seq: 3))
            #expect(try await broker.append(entries(5...5), of: journal, from: 4, to: 5) == BrokerPosition(seq: 3))
            #expect(try await broker.append([], of: journal, from: 3, to: 4) == nil)
            #expect(try server.command("XLEN 'sxgw:{acme}:events'") == "3")
            try server.command("FLUSHALL")
            #expect(try await broker.append(entries(5...5), of: journal, from: 4, to: 5) == BrokerPosition(seq: nil))
            await broker.close()
        }
    }

    @Test("a stream has about as many entries as it may")
    func length() async throws {
        try await with { server in
            let broker = try broker(server.url, length: 100)
            for part in 0..<20 {
                let first = UInt64(part * 50)
                #expect(try await broker.append(entries((first + 1)...(first + 50)), of: journal, from: part == 0 ? nil : first, to: first + 50) == nil)
            }
            let count = try #require(Int(try server.command("XLEN 'sxgw:{acme}:events'")))
            #expect((100...300).contains(count))
            await broker.close()
        }
    }

    @Test("a connection that Redis has closed meanwhile is made anew, and nothing is appended twice")
    func closed() async throws {
        try await with(password: "secret") { server in
            let broker = try broker(server.url)
            #expect(try await broker.append(entries(1...3), of: journal, from: nil, to: 3) == nil)
            try server.command("CLIENT KILL TYPE normal")
            #expect(try await broker.append(entries(4...5), of: journal, from: 3, to: 5) == nil)
            #expect(try server.command("XLEN 'sxgw:{acme}:events'") == "5")
            #expect(broker.isUp && broker.metrics.contains("sxgw_broker_failures_total 0\n"))
            await broker.close()
        }
    }

    @Test("a Redis that is not there, does not let it in or does not answer is an error, without a secret in it", arguments: ["away", "password", "stopped"])
    func errors(_ defect: String) async throws {
        try await with(password: "secret") { server in
            let url =
                switch defect {
                case "away": "unix://:secret@/nonexistent/redis.sock"
                case "password": server.url.replacing("secret", with: "wrong-word")
                default: server.url
                }
            let broker = try broker(url)
            if defect == "stopped" {
                try await broker.ping()
                server.signal(SIGSTOP)
            }
            do {
                _ = try await broker.position(journal)
                Issue.record("It has answered.")
            } catch {
                #expect(!"\(error)".contains("secret") && !"\(error)".contains("wrong-word"))
            }
            #expect(!broker.isUp && broker.metrics.contains("sxgw_broker_up 0\n"))
            if defect == "stopped" {
                // Whoever comes now is told at once.
                await #expect(throws: RedisError.self) { try await broker.position(journal) }
                server.signal(SIGCONT)
                try await eventually("it is asked again") {
                    do { return try await broker.position(journal) == nil } catch { return false }
                }
                #expect(broker.isUp && broker.metrics.contains("sxgw_broker_up 1\n"))
            }
            await broker.close()
        }
    }
}
