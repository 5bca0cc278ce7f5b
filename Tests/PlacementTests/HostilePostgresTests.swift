import Foundation
import Logging
import ServerSupport
import TestSupport
import Testing

@testable import Placement

@Suite(
    "Hostile PostgreSQL servers",
    .socketTimeLimit,
    .enabled(if: PostgresServer.isInstalled, "PostgreSQL is not installed")
)
struct HostilePostgresTests {
    /// Encodes a message of the protocol. PostgreSQL 15, "Message Formats".
    private static func encodeMessage(_ type: Character, _ content: [UInt8] = []) -> [UInt8] {
        Array(String(type).utf8) + withUnsafeBytes(of: UInt32(content.count + 4).bigEndian) { Array($0) } + content
    }

    private static func encodeTexts(_ texts: String...) -> [UInt8] { texts.flatMap { Array($0.utf8) + [0] } }
    private static func encodeUInt16(_ number: UInt16) -> [UInt8] { [UInt8(number >> 8), UInt8(number & 0xFF)] }

    private static let readyMessage = encodeMessage("Z", Array("I".utf8))
    /// A row description with one text column.
    private static let rowDescription = encodeMessage(
        "T",
        encodeUInt16(1) + encodeTexts("c") + [0, 0, 0, 0] + encodeUInt16(0) + [
            0, 0, 0, 25, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF,
        ] + encodeUInt16(0)
    )
    private static func encodeRow(_ text: String) -> [UInt8] {
        encodeMessage(
            "D",
            encodeUInt16(1) + withUnsafeBytes(of: UInt32(text.utf8.count).bigEndian) { Array($0) } + Array(text.utf8)
        )
    }
    private static let completeMessage = encodeMessage("C", encodeTexts("SELECT 1"))
    private static let answerBeginning = encodeMessage("1") + encodeMessage("2") + rowDescription
    private static func encodeAnswer(_ text: String) -> [UInt8] {
        answerBeginning + encodeRow(text) + completeMessage + readyMessage
    }

    /// Makes a server that accepts every login, and answers each statement.
    private static func startServer(_ answer: @escaping @Sendable (RawServer.Peer) -> Void) throws -> RawServer {
        try RawServer { peer in
            var start = peer.read()
            // A message of eight bytes is a request for TLS.
            if start.count == 8 {
                peer.write(Array("N".utf8))
                start = peer.read()
            }
            guard !start.isEmpty else { return }
            let settings = [
                ("server_version", "15.0"), ("default_transaction_read_only", "off"), ("in_hot_standby", "off"),
                ("client_encoding", "UTF8"),
            ]
            let parameters = settings.flatMap { encodeMessage("S", encodeTexts($0.0, $0.1)) }
            peer.write(encodeMessage("R", [0, 0, 0, 0]) + parameters + readyMessage)
            // A statement ends with the message Sync, and the session ends with the message Terminate.
            while true {
                let statement = peer.read()
                guard statement.first.map({ $0 != UInt8(ascii: "X") }) ?? false else { return }
                answer(peer)
            }
        }
    }

    private func connectionString(_ server: RawServer) -> String {
        "host=127.0.0.1 port=\(server.port) dbname=d user=u gssencmode=disable"
    }

    private func withPostgres(
        patience: Int32 = 600_000,
        _ answer: @escaping @Sendable (RawServer.Peer) -> Void,
        _ body: (Postgres, RawServer) async throws -> Void
    ) async throws {
        let server = try Self.startServer(answer)
        defer { server.stop() }
        let postgres = Postgres(connectionString(server), patience: patience)
        try await body(postgres, server)
        await postgres.closeConnection()
    }

    @Test
    func `An answer of PostgreSQL with one row is accepted`() async throws {
        try await withPostgres({ $0.write(Self.encodeAnswer("7")) }) { postgres, server in
            for _ in 0..<2 {
                let rows = try await postgres.runQuery("SELECT 7")
                #expect(rows == [["7"]])
            }
            #expect(server.connectionCount == 1)
        }
    }

    @Test(arguments: ["copy", "notification", "rows", "notices"])
    func `Unexpected messages and endless answers of PostgreSQL cause an error`(kind: String) async throws {
        try await withPostgres({ peer in
            let notice = Self.encodeMessage(
                "N",
                Self.encodeTexts("SWARNING", "C01000", "M" + String(repeating: "a", count: 1000)) + [0]
            )
            switch kind {
            case "copy":
                peer.write(
                    Self.encodeMessage("1") + Self.encodeMessage("2") + Self.encodeMessage("H", [0, 0, 1, 0, 0])
                )
            case "notification": peer.write(Self.encodeMessage("A", [0, 0, 0, 1] + Self.encodeTexts("c", "p")))
            case "rows":
                peer.write(Self.answerBeginning)
                while peer.write((0..<100).flatMap { _ in Self.encodeRow(String(repeating: "a", count: 1000)) }) {}
            default: while peer.write((0..<100).flatMap { _ in notice }) {}
            }
        }) { postgres, _ in
            await #expect { try await postgres.runQuery("SELECT 7") } throws: {
                if case PostgresError.unexpectedAnswer = $0 { true } else { false }
            }
        }
    }

    @Test
    func `If PostgreSQL sends rows slowly one by one, the query ends after its time limit for all rows`() async throws {
        try await withPostgres(
            patience: 500,
            { peer in
                peer.write(Self.answerBeginning)
                while peer.write(Self.encodeRow("a")) { usleep(10_000) }
            }
        ) { postgres, _ in
            await #expect { try await postgres.runQuery("SELECT 7") } throws: {
                if case PostgresError.timeout = $0 { true } else { false }
            }
        }
    }

    @Test(arguments: [true, false])
    func `An answer that PostgreSQL sends without a query ends the connection`(isTogether: Bool) async throws {
        let (sent, told) = AsyncStream.makeStream(of: Void.self)
        try await withPostgres({ peer in
            guard peer.number == 1 else {
                peer.write(Self.encodeAnswer("right"))
                return
            }
            let more = Self.encodeRow("more") + Self.completeMessage + Self.readyMessage
            if isTogether {
                peer.write(Self.encodeAnswer("one") + more)
            } else {
                peer.write(Self.encodeAnswer("one"))
                peer.write(more)
            }
            told.yield()
        }) { postgres, server in
            let first = try? await postgres.runQuery("SELECT 7")
            for await _ in sent { break }
            if first != nil {
                // The library may already have read the surplus answer, and ended the connection.
                await #expect { try await postgres.runQuery("SELECT 7") } throws: { error in
                    switch error {
                    case PostgresError.unexpectedAnswer, PostgresError.unavailable: true
                    default: false
                    }
                }
            }
            let rows = try await postgres.runQuery("SELECT 7")
            #expect(rows == [["right"]])
            #expect(server.connectionCount == 2)
        }
    }

    @Test(arguments: ["9223372036854775807", "3", "0", "-1", "x", ""])
    func `A store's lease with an impossible token is refused`(_ text: String) async throws {
        // The server answers each statement with a row, so the node has a lease.
        let server = try Self.startServer { $0.write(Self.encodeAnswer(text)) }
        defer { server.stop() }
        let log = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let node = try await PostgresPlacement.registerAndStart(
            .init(connection: connectionString(server), node: "n", owner: "o", lease: 600, load: { (0, 1) }),
            log: log
        )
        await #expect {
            _ = try await node.acquireStore("store", above: 3)
        } throws: {
            "\($0)".contains("PostgreSQL sends an unexpected answer")
        }
        await node.endPlacement()
    }
}
