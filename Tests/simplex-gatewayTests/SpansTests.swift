import Foundation
import JSON
import SMPTestSupport
import TestSupport
import Testing

@testable import simplex_gateway

/// The spans that `serve` sends to a collector.
@Suite(.socketTimeLimit) struct SpansTests {
    @Test
    func `The gateway sends its last spans before it ends, with the headers of the file`() async throws {
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
        let names = try collector.requests.flatMap { request in
            try JSONValue(parsing: request.body)["resourceSpans"]?[0]?["scopeSpans"]?[0]?["spans"]?.arrayValue ?? []
        }.map { $0["name"] }
        #expect(names.contains("GET /v1/whoami"), "\(names)")
        await collector.stop()
    }

    @Test
    func `The check reports a collector that does not work without a failure`() async throws {
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
    func `A header for the collector has a name and a value`(line: String) throws {
        let header = try #require(SpanOptions.parseHeader(line[...]))
        #expect(line.hasPrefix(header.name + ":") && !header.value.isEmpty)
        #expect(header.value.first?.isWhitespace == false && header.value.last?.isWhitespace == false)
    }

    @Test(arguments: [
        "Authorization", ": a", "A:", "A: \u{7F}", "A B: c", "Ä: c", "A: ö", "Host: x", "Content-Length: 0",
        "content-type: text/plain",
    ])
    func `A line that is no header, or that changes the request itself, is refused`(line: String) {
        #expect(SpanOptions.parseHeader(line[...]) == nil)
    }
}
