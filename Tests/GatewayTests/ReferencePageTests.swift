import Foundation
import JSON
import SimpleXCrypto
import TestSupport
import Testing

@testable import Gateway

@Suite(.overSockets) struct ReferencePageTests {
    private func page() async throws -> (html: String, policy: String) {
        try await Served.run { served in
            let answer = try await served.anonymous().call("GET", "/docs")
            #expect(answer.status == 200)
            #expect(answer.header("content-type") == "text/html; charset=utf-8")
            return (String(decoding: answer.body, as: UTF8.self), answer.header("content-security-policy") ?? "")
        }
    }

    @Test("The reference page has every operation with its path and every type, and all its links resolve")
    func complete() async throws {
        let html = try await page().html
        let contract = try #require(ContractReader.read(ContractText.yaml))
        // The page has two megabytes: each form is looked for once.
        let details = Set(html.matches(of: /<details id="([^"]+)">/).map { String($0.1) })
        let codes = Set(html.matches(of: /<code>([^<]+)<\/code>/).map { String($0.1).replacing("&#39;", with: "'") })
        for (path, methods) in contract["paths"]?.objectValue ?? JSONObject() {
            #expect(codes.contains(path), "\(path)")
            for (_, operation) in methods.objectValue ?? JSONObject() {
                guard let id = operation["operationId"]?.stringValue else { continue }
                #expect(details.contains(id), "\(id)")
            }
        }
        let types = (contract["components"]?["schemas"]?.objectValue ?? JSONObject()).map { $0.0 }
        #expect(!types.isEmpty)
        for type in types { #expect(details.contains("type-\(type)"), "\(type)") }
        let anchors = Set(html.matches(of: /id="([^"]+)"/).map { String($0.1) })
        for link in html.matches(of: /href="#([^"]+)"/) { #expect(anchors.contains(String(link.1)), "\(link.1)") }
    }

    @Test("The reference page shows each event by type with an example, scopes and problems of operations, and code")
    func details() async throws {
        let html = try await page().html
        let start = try #require(html.range(of: "<details id=\"type-ContactConnectedEvent\">"))
        let event = html[start.lowerBound...].prefix(20_000)
        #expect(event.contains("<code>contactConnected</code> <span>A contact is connected"))
        #expect(event.contains("<pre>{"))
        let send = try #require(html.range(of: "<details id=\"apiSendMessages\">"))
        let operation = html[send.lowerBound...].prefix(3000)
        #expect(operation.contains("Needs a key with <code>write</code>."))
        #expect(operation.contains("<code>relayTimeout</code>"))
        #expect(!html.contains("`epoch-seq`") && html.contains("<code>epoch-seq</code>"))
    }

    @Test("The reference page contains its style and script, and its policy allows only these")
    func selfContained() async throws {
        let (html, policy) = try await page()
        #expect(policy.hasPrefix("default-src 'none'; "))
        #expect(!policy.contains("unsafe"))
        for (tag, source) in [("style", "style-src"), ("script", "script-src")] {
            let start = try #require(html.range(of: "<\(tag)>")), end = try #require(html.range(of: "</\(tag)>"))
            let content = html[start.upperBound..<end.lowerBound]
            #expect(policy.contains("\(source) 'sha256-\(Base64.encode(Digest.sha256(Array(content.utf8))))'"))
        }
        #expect(html.matches(of: /(src|href)="(https?:|\/\/)/).isEmpty)
        #expect(html.matches(of: /\ (style|on\w+)="/).isEmpty)
    }
}
