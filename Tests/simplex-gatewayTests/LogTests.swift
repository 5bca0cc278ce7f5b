import Foundation
import JSON
import TestSupport
import Testing

@testable import simplex_gateway

@Suite("The log", .socketTimeLimit) struct LogTests {
    @Test
    func `With the log format 'json', each line of the log and of standard output is a JSON object`() async throws {
        try await Folder.withNewFolder { folder in
            let port = "\(TestPort.takeUnused())"
            let relayArguments = ["relay", "--data", folder.path + "/relay", "--port", port]
            var relay = try Program(relayArguments)
            let node = Node(
                folder: folder.path + "/data",
                [
                    "--no-relay", "--smp-server", try await relay.waitForLine("Relay:"), "--log-level", "info",
                    "--log-format",
                    "json",
                ]
            )
            let running = try await node.waitUntilRunning()
            _ = try await node.callForObject(
                "POST",
                "/v1/users",
                ["profile": ["displayName": "alice", "fullName": ""]]
            )
            _ = try await node.callForObject("POST", "/v1/users/1/connections/invitations", ["incognito": false])
            relay.signal(SIGKILL)
            _ = await relay.waitForEnd()
            try await running.program.waitForError(with: "connection to a relay lost")
            relay = try Program(relayArguments)
            try await running.program.waitForError(with: "relay connected again")
            try await running.program.waitForError(with: "/v1/users/1/connections/invitations")
            running.program.signal(SIGTERM)
            let ending = await running.program.waitForEnd()
            relay.signal(SIGTERM)
            _ = await relay.waitForEnd()
            let lines = try ending.errors.split(separator: "\n").map { try JSONValue(parsing: Array($0.utf8)) }
            let started = try JSONValue(parsing: Array(ending.output.utf8))
            #expect(started["url"]?.stringValue?.hasPrefix("http://127.0.0.1:") == true && started["level"] == "notice")
            #expect(started["data_folder"]?.stringValue?.hasSuffix("/data") == true, "\(ending.output)")
            let request = try #require(lines.first { $0["message"] == "request" && $0["path"] == "/v1/users" })
            #expect(
                request["method"] == "POST" && request["status"] == "201" && request["level"] == "info"
                    && request["logger"] == "gateway"
            )
            let times = lines.compactMap { $0["time"]?.stringValue }
            #expect(times.count == lines.count && Set(times.map(\.count)) == [27])
            let lost = lines.filter { $0["message"] == "connection to a relay lost" }
            #expect(lost.count == 1 && lost.first?["stores"] == "default" && lost.first?["messages"] == "0")
            let again = lines.first { $0["message"] == "relay connected again" }
            #expect(again?["store"] == "default" && request["store"] == nil)
        }
    }

    @Test
    func `The log at level trace contains no name, text, link, address, key or file name`() async throws {
        try await Folder.withNewFolder { folder in
            let one = Node(
                folder: folder.path + "/one",
                [
                    "--relay-port", "\(TestPort.takeUnused())", "--file-relay-port", "\(TestPort.takeUnused())",
                    "--log-level",
                    "trace",
                ]
            )
            var secrets = [
                "Quetzalcoatl", "Nebuchadnezzar", "Zanzibar", "cobalt", "aubergine", "marzipan", "tangerine",
            ]
            for name in ["Quetzalcoatl", "Nebuchadnezzar"] {
                _ = try await one.callForObject(
                    "POST",
                    "/v1/users",
                    ["profile": ["displayName": .string(name), "fullName": ""]]
                )
            }
            // The secrets of these steps must not be in the log: an address, an invitation, and a group.
            let address = try await one.callForObject("POST", "/v1/users/1/address")
            let (full, short) = (
                try #require(address["connLinkContact"]?["connFullLink"]?.stringValue),
                try #require(address["connLinkContact"]?["connShortLink"]?.stringValue)
            )
            // The key of a short link follows the character #. The part after ? names the relay, and is no secret.
            let key = String(try #require(short.split(separator: "#").last).prefix { $0 != "?" && $0 != "&" })
            #expect(key.count >= 20)
            secrets += [String(full.suffix(24)), key]
            let invitation = try #require(
                try await one.callForObject("POST", "/v1/users/1/connections/invitations", ["incognito": false])[
                    "connLinkInvitation"
                ]?["connFullLink"]?.stringValue
            )
            secrets.append(String(invitation.suffix(24)))
            _ = try await one.callForObject(
                "POST",
                "/v1/users/2/connections",
                ["incognito": false, "connLink": .string(invitation)]
            )
            var contacts: [Int64: Int64] = [:]
            try await one.readJournal { entry in
                if entry["event"]?["type"] == "contactConnected" {
                    contacts[entry["userId"]?.integerValue ?? 0] =
                        entry["event"]?["contact"]?["contactId"]?.integerValue
                }
                return contacts.count == 2
            }
            let (alice, bob) = (try #require(contacts[1]), try #require(contacts[2]))
            _ = try await one.callForObject(
                "POST",
                "/v1/users/1/chats/direct/\(alice)/messages",
                textMessages(["the cobalt one", "a second cobalt one"])
            )
            _ = try await one.callForObject(
                "PUT",
                "/v1/users/1/profile",
                ["profile": ["displayName": "Quetzalcoatl", "fullName": "tangerine"]]
            )
            let group = try await one.callForObject(
                "POST",
                "/v1/users/1/groups",
                ["incognito": false, "groupProfile": ["displayName": "Zanzibar", "fullName": ""]]
            )
            let groupId = try #require(group["groupInfo"]?["groupId"]?.integerValue)
            _ = try await one.callForObject(
                "POST",
                "/v1/users/1/groups/\(groupId)/members",
                ["contactId": .integer(alice), "memberRole": "member"]
            )
            // Log entries about refusals do not contain words of the request.
            let wrong: [(String, String, JSONValue?)] = [
                ("POST", "/v1/users", ["profile": ["displayName": "Quetzalcoatl", "fullName": ""]]),
                (
                    "POST", "/v1/users/1/connections",
                    ["incognito": false, "connLink": "https://simplex.chat/invitation#/?marzipan=1"]
                ),
                ("POST", "/v1/users/1/connections/plan", ["connLink": "marzipan"]),
                ("POST", "/v1/users/1/chats/direct/999/messages", textMessages(["cobalt"])),
                ("GET", "/v1/users/1/contacts?name=marzipan", nil), ("GET", "/v1/marzipan", nil),
                ("GET", "/v1/users/1/chats/direct/marzipan", nil),
                ("POST", "/v1/users/1/connections", ["incognito": false, "connLink": .string(invitation)]),
                ("POST", "/v1/webhooks", ["url": "https://marzipan.invalid/tangerine"]),
                ("POST", "/v1/backup", ["folder": "/nonexistent/aubergine"]),
                ("POST", "/v1/restore", ["backup": "/nonexistent/aubergine"]),
            ]
            for (method, path, body) in wrong { _ = try await one.call(method, path, body) }
            _ = try await one.call("POST", "/v1/users/1/files?name=aubergine.txt", ["aubergine": "cobalt"])
            try await waitUntil("both messages have arrived") { try await one.readTexts(of: bob, user: 2).count == 2 }
            let running = try await one.waitUntilRunning()
            secrets.append(String(running.key.suffix(24)))
            running.program.signal(SIGTERM)
            let ending = await running.program.waitForEnd()
            #expect(
                ending.exitCode == 0 && ending.errors.contains(" debug ") || ending.errors.contains(" info "),
                "no line has the level debug or info"
            )
            let lines = ending.errors.split(separator: "\n")
            for secret in secrets {
                // Paths of requests come from clients, and are logged without their queries. So the lines of requests
                // may contain secrets of paths.
                let found = lines.filter { $0.contains(secret) && !$0.contains(" gateway: request ") }
                #expect(found.isEmpty, "\(secret): \(found.prefix(3))")
            }
            #expect(!lines.contains { $0.contains("name=aubergine") || $0.contains("name=marzipan") })
        }
    }

    @Test
    func `With the log format 'json', a fatal error and a warning are each written as one JSON line`() async throws {
        try await Folder.withNewFolder { folder in
            let ending = try await Program.run([
                "serve", "--data", folder.path, "--port", "0", "--relay-port", "0", "--log-format", "json",
                "--smp-server", "x",
            ])
            let line = try JSONValue(parsing: Array(ending.errors.utf8))
            #expect(
                ending.exitCode == 2 && line["level"] == "critical"
                    && line["message"]?.stringValue?.contains("--smp-server") == true,
                "\(ending)"
            )
            let node = Node(
                folder: folder.path + "/data",
                ["--relay-port", "0", "--log-format", "json", "--host", "0.0.0.0", "--insecure-remote"]
            )
            let warning = try await node.waitUntilRunning().program.waitForError(
                with: "invitations name the embedded relay"
            )
            #expect(try JSONValue(parsing: Array(warning.utf8))["level"] == "warning")
            await node.stop()
        }
    }

    @Test
    func `An unknown log format ends the program with exit code 2`() async throws {
        try await Folder.withNewFolder { folder in
            let ending = try await Program.run(["serve", "--data", folder.path, "--log-format", "xml"])
            #expect(ending.exitCode == 2 && ending.errors.contains("text or json"))
        }
    }

    @Test
    func `Texts received from clients and peers can neither end a log line nor add a field to it`() throws {
        let hostile = "a b=\"c\"\nINFO forged=1 \u{1B}[2J\u{9B}\\"
        let line = LogLine(
            time: "t",
            level: .info,
            label: "l",
            message: hostile,
            fields: [("path", hostile), ("level", "x"), ("plain", "/a?=1")]
        )
        #expect(!line.text.contains("\n") && !line.text.contains("\u{1B}") && !line.text.contains("\u{9B}"))
        #expect(line.text.hasSuffix(" plain=/a?=1"))
        let json = try JSONValue(parsing: Array(line.json.utf8))
        #expect(json["path"]?.stringValue == hostile && json["message"]?.stringValue == hostile)
        #expect(json["level"] == "info" && json["field_level"] == "x")
        #expect(!line.json.contains("\n"))
    }

    @Test
    func `The gateway drops and counts log lines that a slow reader does not read in time`() async throws {
        var ends: [Int32] = [0, 0]
        #expect(pipe(&ends) == 0)
        let output = LogOutput(descriptor: ends[1], capacity: 100_000)
        // Together, these lines are larger than a pipe and the queue, so lines are dropped.
        for number in 0..<10_000 { output.appendLine(Array("line \(number) of the many lines of this log\n".utf8)) }
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
        output.writePendingLines()
        close(ends[1])
        let lines = await read.value.split(separator: "\n")
        close(ends[0])
        // The writer may write some lines while others are still being logged. So the output may have several lines
        // with numbers of dropped lines.
        let dropped = lines.compactMap { $0.wholeMatch(of: /([0-9]+) log lines dropped.*/).flatMap { Int($0.1) } }
        #expect(!dropped.isEmpty && lines.count - dropped.count + dropped.reduce(0, +) == 10_000)
    }
}
