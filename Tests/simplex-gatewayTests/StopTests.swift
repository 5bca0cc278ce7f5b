import Foundation
import JSON
import Testing

@Suite struct StopTests {
    @Test("SIGTERM answers what waits, ends with 0, and leaves nothing in the write-ahead logs")
    func inOrder() async throws {
        try await Folder.with { folder in
            let node = Node(folder: folder.path, ["--relay-port", "0"])
            _ = try await node.object("POST", "/v1/users", ["profile": ["displayName": "alice", "fullName": ""]])
            let running = try await node.running()
            async let page = node.object("GET", "/v1/events?cursor=now&wait=60")
            while try await !metrics(node).contains("sxgw_event_waiters 1\n") {}
            running.program.signal(SIGTERM)
            #expect(try await page["events"] == [])
            let ending = await running.program.end()
            #expect(ending.code == 0, "\(ending)")
            for name in ["simplex_v1_chat.db-wal", "simplex_v1_agent.db-wal"] {
                let size = try? FileManager.default.attributesOfItem(atPath: folder.path + "/" + name)[.size] as? Int
                #expect(size ?? 0 == 0)
            }
        }
    }

    @Test("SIGTERM at once after the start is a stop in order, before it an end without a crash; the folder is usable after")
    func early() async throws {
        try await Folder.with { folder in
            for _ in 0..<3 {
                let program = try Program(["serve", "--data", folder.path, "--port", "0", "--relay-port", "0"])
                program.signal(SIGTERM)
                let code = await program.end().code
                // 1015: before the program took the signal in hand.
                #expect([0, 128 + SIGTERM, 1000 + SIGTERM].contains(code), "\(code)")
            }
            let program = try Program(["serve", "--data", folder.path, "--port", "0", "--relay-port", "0"])
            _ = try await program.line("URL:")
            program.signal(SIGTERM)
            #expect(await program.end().code == 0)
        }
    }

    @Test("a second SIGTERM ends the program at once")
    func twice() async throws {
        try await Folder.with { folder in
            let node = Node(folder: folder.path, ["--relay-port", "0"])
            let running = try await node.running()
            running.program.signal(SIGTERM)
            running.program.signal(SIGTERM)
            let code = await running.program.end().code
            // The kernel may join the two into one.
            #expect([0, 128 + SIGTERM].contains(code), "\(code)")
        }
    }

    private func metrics(_ node: Node) async throws -> String {
        String(decoding: try await node.call("GET", "/metrics").body, as: UTF8.self)
    }
}
