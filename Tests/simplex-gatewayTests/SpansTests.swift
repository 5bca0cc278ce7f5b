import Foundation
import JSON
import SMPTestSupport
import TestSupport
import Testing

@testable import simplex_gateway

/// Tests of the spans that `serve` sends to a collector.
@Suite(.socketTimeLimit) struct SpansTests {
    @Test
    func `The gateway sends its last trace spans before it ends, with the headers from the configured file`()
        async throws
    {
        let collector = try await HTTPReceiver.start { _ in .status(200) }
        try await Folder.withNewFolder { folder in
            let headers = try folder.writeFile("headers", "Authorization: Bearer secret-token\n\nX-Tenant:  one \n")
            let node = Node(
                folder: folder.path + "/data",
                [
                    "--relay-port", "0", "--log-level", "debug", "--otlp", "http://127.0.0.1:\(collector.port)",
                    "--otlp-headers", headers,
                ]
            )
            let running = try await node.waitUntilRunning()
            #expect(try await node.call("GET", "/v1/whoami").status == 200)
            running.program.signal(SIGTERM)
            let ending = await running.program.waitForEnd()
            #expect(ending.exitCode == 0 && !(ending.output + ending.errors).contains("secret-token"), "\(ending)")
        }
        let request = try #require(collector.requests.first)
        #expect(request.method == "POST" && request.target == "/v1/traces")
        #expect(request.header("authorization") == "Bearer secret-token" && request.header("x-tenant") == "one")
        let names = try spans(of: collector).map { $0["name"] }
        #expect(names.contains("GET /v1/whoami"), "\(names)")
        await collector.stop()
    }

    /// The spans in all requests.
    private func spans(of collector: HTTPReceiver) throws -> [JSONValue] {
        try collector.requests.flatMap { request in
            try JSONValue(parsing: request.body)["resourceSpans"]?[0]?["scopeSpans"]?[0]?["spans"]?.arrayValue ?? []
        }
    }

    @Test
    func `The trace span of a request is linked to the trace of its message, and no span contains a text or name`()
        async throws
    {
        let collector = try await HTTPReceiver.start { _ in .status(200) }
        try await Folder.withNewFolder { folder in
            let node = Node(
                folder: folder.path,
                ["--relay-port", "0", "--otlp", "http://127.0.0.1:\(collector.port)"]
            )
            for name in ["zebra-alice", "zebra-bob"] {
                let profile: JSONValue = ["displayName": .string(name), "fullName": ""]
                _ = try await node.callForObject("POST", "/v1/users", ["profile": profile])
            }
            let path = "/v1/users/1/connections/invitations"
            let invitation = try await node.callForObject("POST", path, ["incognito": false])
            let link = try #require(invitation["connLinkInvitation"]?["connFullLink"])
            _ = try await node.callForObject("POST", "/v1/users/2/connections", ["incognito": false, "connLink": link])
            var contact: Int64 = 0
            try await node.readJournal { entry in
                guard let event = entry["event"], event["type"] == "contactConnected",
                    event["user"]?["userId"] == 1
                else { return false }
                contact = event["contact"]?["contactId"]?.integerValue ?? 0
                return true
            }
            let chat = "/v1/users/1/chats/direct/\(contact)/messages"
            let sent = try await node.callForObject("POST", chat, textMessages(["zebra-text"]))
            let item = try #require(sent["chatItems"]?[0]?["chatItem"]?["meta"]?["itemId"]?.integerValue)
            try await waitUntil("the receipt has arrived") {
                let steps = try await node.callForObject("GET", "\(chat)/\(item)/trace")["steps"]?.arrayValue
                return steps?.contains { $0["step"] == "receipt" } == true
            }
            await node.stop(SIGTERM)
        }
        let all = try spans(of: collector)
        let request = try #require(
            all.first { $0["name"] == "POST /v1/users/{userId}/chats/{chatType}/{chatId}/messages" }
        )
        let trace = try #require(request["links"]?[0]?["traceId"])
        let steps = all.filter { $0["traceId"] == trace }
        #expect(
            Set(steps.compactMap { $0["name"]?.stringValue }) == [
                "message accept", "message encrypt", "message send", "message receipt",
            ]
        )
        #expect(request["links"]?[0]?["spanId"] == steps.first { $0["name"] == "message accept" }?["spanId"])
        #expect(all.contains { $0["name"] == "message receive" })
        #expect(!collector.requests.contains { $0.text.contains("zebra") || $0.text.contains("smp") })
        await collector.stop()
    }

    @Test
    func `The command 'check' reports a trace collector that refuses spans, and asks no collector with '--offline'`()
        async throws
    {
        let collector = try await HTTPReceiver.start { $0.text.contains("resourceSpans") ? .status(401) : .status(200) }
        try await Folder.withNewFolder { folder in
            let ending = try await Program.run([
                "check", "--data", folder.path, "--port", "0", "--relay-port", "0", "--no-file-relay", "--otlp",
                "http://127.0.0.1:\(collector.port)",
            ])
            let said = ending.output + ending.errors
            #expect(said.contains("the collector of spans does not work: HTTP 401"), "\(said)")
            let offline = try await Program.run([
                "check", "--offline", "--data", folder.path, "--port", "0", "--relay-port", "0", "--no-file-relay",
                "--otlp", "http://127.0.0.1:\(collector.port)",
            ])
            let saidOffline = offline.output + offline.errors
            #expect(saidOffline.contains("the collector of spans is not checked"), "\(saidOffline)")
        }
        #expect(collector.requests.count == 1)
        await collector.stop()
    }

    @Test(arguments: [
        "Authorization: Bearer a", "x-key:1", "A:  spaced value  ",
    ])
    func `A configured header line for the trace collector is split into a name and a value`(line: String) throws {
        let header = try #require(SpanOptions.parseHeader(line[...]))
        #expect(line.hasPrefix(header.name + ":") && !header.value.isEmpty)
        #expect(header.value.first?.isWhitespace == false && header.value.last?.isWhitespace == false)
    }

    @Test(arguments: [
        "Authorization", ": a", "A:", "A: \u{7F}", "A B: c", "Ä: c", "A: ö", "Host: x", "Content-Length: 0",
        "content-type: text/plain",
    ])
    func `A header line for the trace collector is refused if it is malformed or sets a reserved header`(line: String) {
        #expect(SpanOptions.parseHeader(line[...]) == nil)
    }
}
