import Foundation
import JSON
import TestSupport
import Testing

@Suite(.socketTimeLimit) struct StopTests {
    @Test
    func `After SIGTERM, waiting HTTP requests are answered, and the program ends with exit code 0`() async throws {
        try await Folder.withNewFolder { folder in
            let node = Node(folder: folder.path, ["--relay-port", "0"])
            _ = try await node.callForObject(
                "POST",
                "/v1/users",
                ["profile": ["displayName": "alice", "fullName": ""]]
            )
            let running = try await node.waitUntilRunning()
            async let page = node.callForObject("GET", "/v1/events?cursor=now&timeout=60")
            try await waitUntil("the long poll waits") {
                try await readMetrics(node).contains("sxgw_event_waiters 1\n")
            }
            running.program.signal(SIGTERM)
            #expect(try await page["events"] == [])
            let ending = await running.program.waitForEnd()
            #expect(ending.exitCode == 0, "\(ending)")
            for name in ["simplex_v1_chat.db-wal", "simplex_v1_agent.db-wal"] {
                let size = try? FileManager.default.attributesOfItem(atPath: folder.path + "/" + name)[.size] as? Int
                #expect(size ?? 0 == 0)
            }
        }
    }

    @Test
    func `SIGTERM right after the start ends the program, and the data folder stays usable`() async throws {
        try await Folder.withNewFolder { folder in
            for _ in 0..<3 {
                let program = try Program(["serve", "--data", folder.path, "--port", "0", "--relay-port", "0"])
                program.signal(SIGTERM)
                let code = await program.waitForEnd().exitCode
                // The code 1000 + SIGTERM means that the signal arrived before the program handled it.
                #expect([0, 128 + SIGTERM, 1000 + SIGTERM].contains(code), "\(code)")
            }
            let program = try Program(["serve", "--data", folder.path, "--port", "0", "--relay-port", "0"])
            _ = try await program.waitForLine("URL:")
            program.signal(SIGTERM)
            #expect(await program.waitForEnd().exitCode == 0)
        }
    }

    @Test
    func `A second SIGTERM right after the first one ends the program`() async throws {
        try await Folder.withNewFolder { folder in
            let node = Node(folder: folder.path, ["--relay-port", "0"])
            let running = try await node.waitUntilRunning()
            running.program.signal(SIGTERM)
            running.program.signal(SIGTERM)
            let ending = await running.program.waitForEnd()
            // The kernel may join both signals into one, so the program may also end with 0.
            #expect([0, 128 + SIGTERM].contains(ending.exitCode), "\(ending)")
        }
    }

    @Test
    func `SIGTERM ends HTTP streams with the last chunk, and WebSockets with the close code 1001`() async throws {
        try await Folder.withNewFolder { folder in
            let node = Node(folder: folder.path, ["--relay-port", "0", "--terminal-port", "0"])
            let running = try await node.waitUntilRunning()
            let terminal = try await running.program.waitForLine("Terminal:")
            let head = "HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer \(running.key)\r\n"
            let upgrade =
                "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
            let requests = [
                (running.url, "GET /v1/events \(head)Accept: application/x-ndjson\r\n\r\n", Array("0\r\n\r\n".utf8)),
                (running.url, "GET /v1/events \(head)Accept: text/event-stream\r\n\r\n", Array("0\r\n\r\n".utf8)),
                (running.url, "GET /v1/events/ws \(head)\(upgrade)", [0x88, 2, 3, 0xE9]),
                (running.url, "GET / \(head)\(upgrade)", [0x88, 2, 3, 0xE9]),
                (terminal, "GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\(upgrade)", [0x88, 2, 3, 0xE9]),
            ]
            var streams: [(wire: TCPConnection, end: [UInt8])] = []
            for (url, request, end) in requests {
                let wire = try TCPConnection(url: url)
                wire.send(request)
                let answer = await wire.read { String(decoding: $0, as: UTF8.self).contains("\r\n\r\n") }
                #expect(["HTTP/1.1 200", "HTTP/1.1 101"].contains(String(decoding: answer.prefix(12), as: UTF8.self)))
                streams.append((wire, end))
            }
            try await waitUntil("five streams are open") {
                try await readMetrics(node).contains("sxgw_event_streams 5\n")
            }
            running.program.signal(SIGTERM)
            for (wire, end) in streams {
                let rest = await wire.read { $0.suffix(end.count) == end[...] }
                #expect(rest.suffix(end.count) == end[...], "\(rest)")
            }
            streams = []
            #expect(await running.program.waitForEnd().exitCode == 0)
        }
    }

    private func readMetrics(_ node: Node) async throws -> String {
        String(decoding: try await node.call("GET", "/metrics").body, as: UTF8.self)
    }
}
