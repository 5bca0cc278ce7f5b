import Foundation
import TestSupport
import Testing

/// Tests of rate limits of keys, and of their log lines.
@Suite(.socketTimeLimit) struct RequestsTests {
    @Test
    func `Requests above the rate limit of an API key get 429, and requests with other keys are answered`() async throws
    {
        try await Folder.withNewFolder { folder in
            let node = Node(folder: folder.path, ["--relay-port", "0", "--requests-per-key", "1"])
            let running = try await node.waitUntilRunning()
            // The requests are sent at the same time. If they were sent one after the other, a slow machine would need
            // several seconds and answer more than ten.
            let statuses = try await withThrowingTaskGroup(of: Int.self) { tasks in
                for _ in 0..<100 { tasks.addTask { try await node.call("GET", "/v1/whoami").status } }
                return try await tasks.reduce(into: []) { $0.append($1) }
            }
            #expect(Set(statuses) == [200, 429] && statuses.count { $0 == 200 } >= 10, "\(statuses)")
            let other = try await Program.run(["key", "add", "other", "--data", folder.path]).output.trimmingCharacters(
                in: .newlines
            )
            func curl(_ key: String, _ more: [String] = []) async throws -> String {
                try await Program(
                    "/usr/bin/curl",
                    ["-sSi", "-H", "Authorization: Bearer \(key)"] + more + [running.url + "/v1/whoami"]
                ).waitForEnd().output
            }
            try await waitUntil("the other key is known") { try await curl(other).hasPrefix("HTTP/1.1 200") }
            let refused = try await curl(running.key)
            #expect(!refused.hasPrefix("HTTP/1.1 429") || refused.contains("Retry-After: "), "\(refused)")
            await node.stop()
        }
    }

    @Test
    func `The trace id of an HTTP request is in its log line`() async throws {
        try await Folder.withNewFolder { folder in
            let node = Node(folder: folder.path, ["--relay-port", "0", "--log-level", "info"])
            let running = try await node.waitUntilRunning()
            let header = "traceparent: 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
            _ = try await Program(
                "/usr/bin/curl",
                ["-sS", "-H", "Authorization: Bearer \(running.key)", "-H", header, running.url + "/v1/whoami"]
            ).waitForEnd()
            let line = try await running.program.waitForError(with: "traceId=4bf92f3577b34da6a3ce929d0e0e4736")
            #expect(line.contains("path=/v1/whoami") && line.contains("parentId=00f067aa0ba902b7"), "\(line)")
            await node.stop()
        }
    }
}
