import Foundation
import JSON
import TestSupport
import Testing

@testable import simplex_gateway

@Suite("The log", .overSockets) struct LogTests {
    @Test("as JSON each line is an object: of requests, and of a relay that is lost and found again")
    func json() async throws {
        try await Folder.with { folder in
            let port = "\(TestPort.unused())"
            let relayArguments = ["relay", "--data", folder.path + "/relay", "--port", port]
            var relay = try Program(relayArguments)
            let node = Node(
                folder: folder.path + "/data",
                ["--no-relay", "--smp-server", try await relay.line("Relay:"), "--log-level", "info", "--log-format", "json"])
            let running = try await node.running()
            _ = try await node.object("POST", "/v1/users", ["profile": ["displayName": "alice", "fullName": ""]])
            _ = try await node.object("POST", "/v1/users/1/connections/invitations", ["incognito": false])
            relay.signal(SIGKILL)
            _ = await relay.end()
            try await running.program.error(with: "relay lost")
            relay = try Program(relayArguments)
            try await running.program.error(with: "relay found again")
            try await running.program.error(with: "/v1/users/1/connections/invitations")
            running.program.signal(SIGTERM)
            let ending = await running.program.end()
            relay.signal(SIGTERM)
            _ = await relay.end()
            let lines = try ending.errors.split(separator: "\n").map { try JSONValue(parsing: Array($0.utf8)) }
            let request = try #require(lines.first { $0["message"] == "request" && $0["path"] == "/v1/users" })
            #expect(request["method"] == "POST" && request["status"] == "201" && request["level"] == "info" && request["logger"] == "gateway")
            let times = lines.compactMap { $0["time"]?.stringValue }
            #expect(times.count == lines.count && Set(times.map(\.count)) == [27])
            #expect(lines.filter { $0["message"] == "relay lost" }.count == 1)
        }
    }

    @Test("a form that there is not is an error")
    func unknownForm() async throws {
        try await Folder.with { folder in
            let ending = try await Program.run(["serve", "--data", folder.path, "--log-format", "xml"])
            #expect(ending.code == 2 && ending.errors.contains("text or json"))
        }
    }

    @Test("what somebody has sent can neither end a line nor add a field")
    func hostile() throws {
        let hostile = "a b=\"c\"\nINFO forged=1 \u{1B}[2J\u{9B}\\"
        let line = LogLine(time: "t", level: .info, label: "l", message: hostile, fields: [("path", hostile), ("level", "x"), ("plain", "/a?=1")])
        #expect(!line.text.contains("\n") && !line.text.contains("\u{1B}") && !line.text.contains("\u{9B}"))
        #expect(line.text.hasSuffix(" plain=/a?=1"))
        let json = try JSONValue(parsing: Array(line.json.utf8))
        #expect(json["path"]?.stringValue == hostile && json["message"]?.stringValue == hostile)
        #expect(json["level"] == "info" && json["field_level"] == "x")
        #expect(!line.json.contains("\n"))
    }

    @Test("whoever logs does not wait for a reader that is slow: what is too much is dropped, and counted")
    func slowReader() async throws {
        var ends: [Int32] = [0, 0]
        #expect(pipe(&ends) == 0)
        let output = LogOutput(descriptor: ends[1], capacity: 100_000)
        // More than a pipe holds, and than may wait.
        for number in 0..<10_000 { output.append(Array("line \(number) of the many lines of this log\n".utf8)) }
        let reading = ends[0]
        let read = Task.detached {
            var text: [UInt8] = []
            var buffer = [UInt8](repeating: 0, count: 65536)
            while true {
                let count = Glibc.read(reading, &buffer, buffer.count)
                if count <= 0 { return String(decoding: text, as: UTF8.self) }
                text += buffer[..<count]
            }
        }
        output.flush()
        close(ends[1])
        let lines = await read.value.split(separator: "\n")
        close(ends[0])
        // The writer may have taken a part while the rest was still being logged: each part names what was dropped behind it.
        let dropped = lines.compactMap { $0.wholeMatch(of: /([0-9]+) log lines dropped.*/).flatMap { Int($0.1) } }
        #expect(!dropped.isEmpty && lines.count - dropped.count + dropped.reduce(0, +) == 10_000)
    }
}
