import Foundation
import Glibc
import JSON
import NIOPosix
import SMP
import TestSupport
import Testing

/// Tests of a process with at most 256 descriptors that has more clients than descriptors.
@Suite(.socketTimeLimit) struct FloodTests {
    private static let descriptorLimit = 256

    private func countDescriptors(of program: Program) -> Int {
        (try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(program.processID)/fd"))?.count ?? 0
    }

    /// Whether a request on this connection is answered with 200.
    private func isAnswered(_ wire: TCPConnection) async -> Bool {
        wire.send("GET /livez HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
        return await wire.read { $0.suffix(3) == Array("ok\n".utf8) }.starts(with: Array("HTTP/1.1 200".utf8))
    }

    /// Runs `body` with a node whose two users are contacts of each other.
    private func withNode(_ body: (Node, Node.RunningProcess, [Int64]) async throws -> Void) async throws {
        try await Folder.withNewFolder { folder in
            let node = Node(folder: folder.path + "/data", ["--relay-port", "0"], descriptors: Self.descriptorLimit)
            for name in ["alice", "bob"] {
                _ = try await node.callForObject(
                    "POST",
                    "/v1/users",
                    ["profile": ["displayName": .string(name), "fullName": ""]]
                )
            }
            let invitation = try await node.callForObject(
                "POST",
                "/v1/users/1/connections/invitations",
                ["incognito": false]
            )
            let link = invitation["connLinkInvitation"]?["connFullLink"] ?? .null
            _ = try await node.callForObject("POST", "/v1/users/2/connections", ["incognito": false, "connLink": link])
            var contacts: [Int64: Int64] = [:]
            try await node.readJournal { entry in
                guard let event = entry["event"], event["type"] == "contactConnected",
                    let user = entry["userId"]?.integerValue
                else { return false }
                contacts[user] = event["contact"]?["contactId"]?.integerValue
                return contacts.count == 2
            }
            let running = try await node.waitUntilRunning()
            do { try await body(node, running, [contacts[1] ?? 0, contacts[2] ?? 0]) } catch {
                await node.stop()
                throw error
            }
            running.program.signal(SIGTERM)
            let ending = await running.program.waitForEnd()
            #expect(ending.exitCode == 0, "\(ending)")
        }
    }

    /// Checks that a new HTTP connection and a new relay session are answered, and that a message reaches the other
    /// user.
    private func expectAllAnswers(
        _ node: Node,
        _ running: Node.RunningProcess,
        _ contacts: [Int64],
        _ text: String
    ) async throws {
        try await waitUntil("HTTP answers a new connection") { await isAnswered(try TCPConnection(url: running.url)) }
        let relay = try ProtocolServer(parsing: try #require(running.relay))
        try await waitUntil("the relay answers a new session") {
            guard
                let session = try? await SMPSession.connect(
                    to: relay,
                    group: MultiThreadedEventLoopGroup.singleton,
                    onEvent: { _ in }
                )
            else { return false }
            let answer = try? await session.sendRequest(SMPRequest(.ping))
            await session.close()
            return answer == .pong
        }
        _ = try await node.callForObject(
            "POST",
            "/v1/users/1/chats/direct/\(contacts[0])/messages",
            textMessages([text])
        )
        try await waitUntil("a message is delivered") {
            try await node.readTexts(of: contacts[1], user: 2).contains(text)
        }
    }

    @Test
    func `Many silent or incomplete connections do not use up the file descriptors, and other clients are served`()
        async throws
    {
        try await withNode { node, running, contacts in
            let relay = "tcp:" + (running.relay?.split(separator: ":").last ?? "")
            let client = try TCPConnection(url: running.url)
            #expect(await isAnswered(client))
            for (url, beginnings) in [
                (running.url, ["", "GET /livez HTTP/1.1\r\nHost: 127"]), (relay, ["", "\u{16}\u{03}\u{01}"]),
            ] {
                var flood: [TCPConnection] = []
                for number in 0..<600 {
                    flood.append(try TCPConnection(url: url))
                    flood[number].send(beginnings[number % 2])
                    if number % 50 == 0 { #expect(await isAnswered(client), "\(url) \(number)") }
                }
                // The server accepts connections in order. If it has closed the last connection, it has handled all
                // earlier ones.
                let last = flood[599]
                try await waitUntil("connections beyond the limit are refused") { last.isClosed }
                #expect(countDescriptors(of: running.program) < Self.descriptorLimit - 32)
                #expect(await isAnswered(client))
                flood = []
                try await expectAllAnswers(node, running, contacts, "after \(url)")
            }
        }
    }

    @Test
    func `Many abandoned long polls release their file descriptors, and other clients are served`() async throws {
        try await withNode { node, running, contacts in
            let client = try TCPConnection(url: running.url)
            for number in 0..<400 {
                let wire = try TCPConnection(url: running.url)
                wire.send(
                    "GET /v1/events?cursor=now&timeout=5 HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer \(running.key)\r\n\r\n"
                )
                if number % 50 == 0 { #expect(await isAnswered(client), "\(number)") }
            }
            #expect(countDescriptors(of: running.program) < Self.descriptorLimit - 32)
            try await expectAllAnswers(node, running, contacts, "after long polls")
            try await waitUntil("the descriptors of the long polls are free again") {
                countDescriptors(of: running.program) < 100
            }
        }
    }

    @Test
    func `A limit of file descriptors that is too low for the options ends the program with exit code 2`() async throws
    {
        try await Folder.withNewFolder { folder in
            let serve = ["serve", "--data", folder.path + "/data", "--port", "0", "--relay-port", "0"]
            for (arguments, limit, words) in [
                (serve, 255, ["255", "256"]),
                (["relay", "--data", folder.path + "/relay", "--port", "0"], 127, ["127", "128"]),
                (serve + ["--max-connections", "300"], 256, ["max-connections", "300"]),
                (serve + ["--max-relay-connections", "200"], 256, ["max-relay-connections", "200"]),
                (serve + ["--max-connections", "0"], 256, ["max-connections"]),
            ] {
                let ending = try await Program.run(arguments, descriptors: limit)
                #expect(ending.exitCode == 2, "\(ending)")
                #expect(
                    words.allSatisfy(ending.errors.contains) && ending.errors.split(separator: "\n").count == 1,
                    "\(ending)"
                )
            }
        }
    }
}
