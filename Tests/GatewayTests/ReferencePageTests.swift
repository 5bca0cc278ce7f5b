import Foundation
import JSON
import SimpleXCrypto
import TestSupport
import Testing

@testable import Gateway

@Suite(.socketTimeLimit) struct ReferencePageTests {
    private static let paths = ["/docs", "/docs/types"]

    private func readPage(_ path: String) async throws -> (html: String, policy: String) {
        try await ServedGateway.run { served in
            let answer = try await served.connectAnonymously().call("GET", path)
            #expect(answer.status == 200)
            #expect(answer.header("content-type") == "text/html; charset=utf-8")
            return (String(decoding: answer.body, as: UTF8.self), answer.header("content-security-policy") ?? "")
        }
    }

    @Test
    func `The reference contains every operation and every type, and all of its links are valid`() async throws {
        let operations = try await readPage("/docs").html, types = try await readPage("/docs/types").html
        let contract = try #require(ServedContract.parseContract("openapi.json"))
        // The pages are large, so each pattern is searched for only once.
        let entries = Set(operations.matches(of: /<details id="([^"]+)"/).map { String($0.1) })
        let codes = Set(operations.matches(of: /<code>([^<]+)<\/code>/).map { String($0.1) })
        for (path, methods) in contract["paths"]?.objectValue ?? JSONObject() {
            #expect(codes.contains(path), "\(path)")
            for (_, operation) in methods.objectValue ?? JSONObject() {
                guard let id = operation["operationId"]?.stringValue else { continue }
                #expect(entries.contains(id), "\(id)")
            }
        }
        let names = (contract["components"]?["schemas"]?.objectValue ?? JSONObject()).map { $0.0 }
        #expect(!names.isEmpty)
        let described = Set(types.matches(of: /<details id="([^"]+)"/).map { String($0.1) })
        for name in names { #expect(described.contains("type-\(name)"), "\(name)") }

        let anchors = [operations, types].map { Set($0.matches(of: /id="([^"]+)"/).map { String($0.1) }) }
        for (html, own) in [(operations, anchors[0]), (types, anchors[1])] {
            for link in html.matches(of: /href="#([^"]+)"/) { #expect(own.contains(String(link.1)), "\(link.1)") }
        }
        for link in operations.matches(of: /href="docs\/(\w+)(?:#([^"]+))?"/) {
            guard let anchor = link.2.map(String.init) else {
                #expect(link.1 == "types" || GuidePages.pages[String(link.1)] != nil, "\(link.1)")
                continue
            }
            #expect(link.1 == "types" && anchors[1].contains(anchor), "\(anchor)")
        }
        for category in contract["tags"]?.arrayValue ?? [] {
            let name = category["name"]?.stringValue ?? ""
            #expect(operations.contains("<a href=\"#category-\(name)\">\(name)</a>"), "\(name)")
        }
    }

    @Test
    func `The reference shows examples of events, and the scopes, problems and core commands of operations`()
        async throws
    {
        let operations = try await readPage("/docs").html, types = try await readPage("/docs/types").html
        let start = try #require(types.range(of: "<details id=\"type-ContactConnectedEvent\">"))
        let event = types[start.lowerBound...].prefix(20_000)
        #expect(event.contains("<code>contactConnected</code> <span>A contact is connected"))
        #expect(event.contains("<pre>{"))
        let send = try #require(operations.range(of: "<details id=\"sendMessages\""))
        let operation = operations[send.lowerBound...].prefix(3000)
        #expect(operation.contains("Needs a key with <code>write</code>."))
        #expect(!operation.contains("<code>relayTimeout</code>"))
        let preview = try #require(operations.range(of: "<details id=\"readLinkPreview\""))
        #expect(operations[preview.lowerBound...].prefix(3000).contains("<code>pageTimeout</code>"))
        #expect(
            operation.contains(
                "<code>sendMessages</code> (core: <code>apiSendMessages</code>, <code>apiCreateChatItems</code>)"
            )
        )
        let html = operations + types
        #expect(!html.contains("`epoch-seq`") && html.contains("<code>epoch-seq</code>"))
    }

    @Test
    func `Each operation except WebSockets has an example command for curl`() async throws {
        let html = try await readPage("/docs").html
        let contract = try #require(ServedContract.openAPI)
        var lines = 0
        for (path, methods) in contract["paths"]?.objectValue ?? JSONObject() {
            for (_, operation) in methods.objectValue ?? JSONObject()
            where operation["operationId"] != nil && operation["responses"]?["101"] == nil {
                lines += 1
                #expect(operation["operationId"]?.stringValue?.isEmpty == false, "\(path)")
            }
        }
        #expect(html.matches(of: /<pre class="curl">curl -sS [^<]*<\/pre>/).count == lines)
        for line in [
            #"curl -sS -H "$A" "$G/users/active""#, #"curl -sS "${G%/v1}/livez""#,
            #"curl -sS -H "$A" "$G/users/1/chats/direct/1/messages" -d '{"composedMessages":"#,
            #"curl -sS -H "$A" -X DELETE "$G/users/1/groups/1/link""#,
            #"curl -sS -H "$A" "$G/users/1/files" -F file=@FILE"#,
        ] { #expect(html.contains(line), "\(line)") }
    }

    @Test
    func `The reference marks operations that only apps need, and lists them last in their category`() async throws {
        let html = try await readPage("/docs").html
        let lifecycle = try #require(html.range(of: "<section id=\"category-Lifecycle\">"))
        let section = html[lifecycle.lowerBound...]
        let end = try #require(section.range(of: "</section>"))
        let entries = section[..<end.lowerBound].split(separator: "<details id=\"").dropFirst().map(String.init)
        let names = entries.map { String($0.prefix { $0 != "\"" }) }
        #expect(Set(names.suffix(2)) == ["activateCore", "suspendCore"] && names.count > 2, "\(names)")
        let marked = entries.map { $0.contains("Only for compatibility with the apps.") }
        #expect(marked.firstIndex(of: true) == names.count - 2 && marked.suffix(2) == [true, true], "\(marked)")
    }

    @Test
    func `The reference's entry of 'sendMessages' contains the search words 'send' and 'picture'`() async throws {
        let html = try await readPage("/docs").html
        let send = try #require(html.range(of: "<details id=\"sendMessages\""))
        let entry = html[send.lowerBound...].prefix(1000)
        #expect(entry.contains("<span>Send ") && entry.contains("a picture"))
    }

    @Test
    func `The 'type' of each problem is a link to an entry with the status, the title and a remedy`() async throws {
        let html = try await readPage("/docs").html
        for code in ProblemDetails.Code.allCases {
            let type = try #require(ProblemDetails(code).json["type"]?.stringValue)
            #expect(type == "/docs#problem-\(code.rawValue)")
            let start = try #require(html.range(of: "<details id=\"\(type.dropFirst("/docs#".count))\">"))
            let entry = html[start.upperBound...].prefix { $0 != "\n" }
            #expect(entry.contains("<span>\(code.status): \(code.title)</span></summary><p>"), "\(code.rawValue)")
            #expect(entry.matches(of: /<p>[A-Z].+\.<\/p>/).count == 1, "\(entry)")
        }
    }

    @Test
    func `The entry of an operation and the general rules together list exactly the operation's problem codes`() throws
    {
        let contract = try #require(ServedContract.openAPI)
        let writer = ReferenceWriter(contract: contract, typesPage: "")
        for (path, methods) in contract["paths"]?.objectValue ?? JSONObject() {
            for (method, operation) in methods.objectValue ?? JSONObject() {
                let codes = Set((operation["x-problem-codes"]?.arrayValue ?? []).compactMap(\.stringValue))
                let written = Set(
                    writer.findOwnCodes(method, path, operation) + writer.findRuleCodes(method, path, operation)
                )
                #expect(written.symmetricDifference(codes).isEmpty, "\(operation["operationId"]?.text ?? path)")
            }
        }
        for code in ProblemDetails.Code.generalCodes { #expect(writer.writeRules().contains(code.rawValue)) }
    }

    @Test
    func `The reference page has less than 500 KB, and less than 100 KB in compressed form`() async throws {
        let html = Array(try await readPage("/docs").html.utf8)
        #expect(html.count < 500_000)
        #expect((ContentCoding.gzip(html, isPublic: true) ?? html).count < 100_000)
    }

    @Test(arguments: paths)
    func `The content security policy of a reference page allows only the page's own style and script`(
        path: String
    ) async throws {
        let (html, policy) = try await readPage(path)
        #expect(policy.hasPrefix("default-src 'none'; "))
        #expect(!policy.contains("unsafe") && policy.contains("connect-src 'self'") == (path == "/docs"))
        for (tag, source) in [("style", "style-src"), ("script", "script-src")] {
            let start = try #require(html.range(of: "<\(tag)>")), end = try #require(html.range(of: "</\(tag)>"))
            let content = html[start.upperBound..<end.lowerBound]
            #expect(policy.contains("\(source) 'sha256-\(Base64.encode(Digest.sha256(Array(content.utf8))))'"))
        }
        #expect(html.matches(of: /(src|href)="(https?:|\/\/)/).isEmpty)
        #expect(html.matches(of: /\ (style|on\w+)="/).isEmpty)
    }
}
