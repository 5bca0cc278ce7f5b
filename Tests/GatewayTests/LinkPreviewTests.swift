import Foundation
import JSON
import NIOCore
import OutgoingHTTP
import SMPTestSupport
import Synchronization
import TestSupport
import Testing

@testable import Gateway

@Suite("Link previews", .socketTimeLimit) struct LinkPreviewTests {
    private static let route = "/v1/users/1/link-preview"
    private static let pictureBytes =
        Array("\u{89}PNG".unicodeScalars.map { UInt8($0.value) }) + [13, 10, 26, 10, 1, 2, 3]

    private func makePageReply(
        _ body: [UInt8],
        _ type: String = "text/html; charset=utf-8",
        _ status: Int = 200,
        _ more: String = ""
    ) -> HTTPReceiver.Reply {
        .lastBytes(
            Array("HTTP/1.1 \(status) X\r\nContent-Type: \(type)\r\nContent-Length: \(body.count)\r\n\(more)\r\n".utf8)
                + body
        )
    }

    /// Runs a gateway that may read pages of this machine.
    private func withReadableServer(
        seconds: Int64 = 15,
        _ body: (HTTPClient, (String) -> JSONValue) async throws -> Void,
        of answering: @escaping HTTPReceiver.AnswerFunction
    ) async throws {
        let receiver = try await HTTPReceiver.start(answering)
        try await ServedGateway.run { configuration in
            var settings = LinkPreviewSettings(allowedAddresses: ["127.0.0.1"])
            settings.timeoutSeconds = seconds
            configuration.linkPreviews = settings
        } _: { served in
            try await body(try await served.connectClient()) {
                ["uri": .string("http://127.0.0.1:\(receiver.port)\($0)")]
            }
        }
    }

    @Test
    func `A link preview has the title, description and picture of the page`() async throws {
        let page = """
            <!doctype html><HTML><head><!-- <title>no</title> --><script>"<title>no</title>"</script><title>Other</title>
            <meta property='og:title' content="Tom &amp; &#x4A;erry  &lt;b&gt;\u{202E}"><META content="What it
             is about" name=description><meta property="og:image" content="../a picture.png#x" /></head><body><meta property="og:title" content="late">
            """
        try await withReadableServer { client, link in
            let answered = try await client.post(Self.route, link("/folder/page?a=1#part"))
            #expect(answered.status == 200, "\(answered.text)")
            let preview = try answered.json["preview"]
            #expect(
                preview?["title"] == "Tom & Jerry <b>" && preview?["description"] == "What it is about"
                    && preview?["image"] == ""
            )
            #expect(preview?["uri"] == link("/folder/page?a=1#part")["uri"])
            #expect(
                try answered.json["picture"]
                    == .string("data:image/png;base64," + Data(Self.pictureBytes).base64EncodedString())
            )
        } of: { request in
            guard request.method == "GET", request.header("cookie") == nil, request.header("referer") == nil,
                request.header("authorization") == nil
            else { return .status(400) }
            switch request.target {
            case "/folder/page?a=1": return makePageReply(Array(page.utf8))
            case "/folder/../a%20picture.png": return makePageReply(Self.pictureBytes, "text/html")
            default: return .status(404)
            }
        }
    }

    @Test(arguments: [("/3", 200), ("/4", 502), ("/inner", 502), ("/user", 502), ("/file", 502)])
    func `A link preview follows up to three redirects, and only to allowed addresses`(
        path: String,
        status: Int
    ) async throws {
        try await withReadableServer { client, link async throws in
            let answered = try await client.post(Self.route, link(path))
            #expect(answered.status == status)
        } of: { request in
            switch request.target {
            case "/inner": .status(302, [("Location", "https://10.0.0.1/")])
            case "/user": .status(302, [("Location", "http://me:secret@127.0.0.1/")])
            case "/file": .status(302, [("Location", "file:///etc/passwd")])
            case "/0": makePageReply(Array("<title>there</title>".utf8))
            default: .status(302, [("Location", "\((Int(request.target.dropFirst()) ?? 0) - 1)")])
            }
        }
    }

    @Test(arguments: [
        ("/none", 502), ("/type", 502), ("/status", 502), ("/compressed", 502), ("/silent", 504), ("/garbage", 502),
        ("/endless", 200), ("/cut", 200), ("/latin", 200),
        ("/picture", 200), ("/big", 200),
    ])
    func `Pages that are missing, long, compressed, cut off, endless or slow cause a partial preview or a problem`(
        path: String,
        status: Int
    ) async throws {
        try await withReadableServer(seconds: path == "/silent" ? 1 : 15) { client, link in
            let answered = try await client.post(Self.route, link(path))
            #expect(answered.status == status, "\(path): \(answered.text)")
            if path == "/latin" { #expect(try answered.json["preview"]?["title"] == "Käse") }
            // A preview whose picture could not be read completely has no picture.
            #expect(try answered.status != 200 || (answered.json["picture"] != nil) == (path == "/picture"))
        } of: { request in
            let head = Array("<head><title>x</title><meta property=og:image content=/large>".utf8)
            switch request.target {
            case "/none": return makePageReply(Array("<p>no title".utf8))
            case "/type": return makePageReply(Array("<title>x</title>".utf8), "application/pdf")
            case "/status": return makePageReply(Array("<title>x</title>".utf8), "text/html", 404)
            case "/compressed": return makePageReply(head, "text/html", 200, "Content-Encoding: gzip\r\n")
            case "/silent": return .silence
            case "/garbage": return .lastBytes([0, 1, 2, 255])
            case "/endless":
                return .endless(
                    Array("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n".utf8) + head,
                    Array("<meta <<< a=\"".utf8)
                )
            case "/cut":
                return .lastBytes(
                    Array("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 9999\r\n\r\n".utf8) + head
                )
            case "/latin":
                return makePageReply(
                    Array("<title>K".utf8) + [0xE4] + Array("se</title>".utf8),
                    "text/html; charset=ISO-8859-1"
                )
            case "/picture": return makePageReply(Self.pictureBytes, "image/png")
            case "/large": return makePageReply(Self.pictureBytes + [UInt8](repeating: 0, count: 2 << 20), "image/png")
            default: return makePageReply(head + [UInt8](repeating: 0x3C, count: 1 << 20))
            }
        }
    }

    @Test(arguments: [
        "", "ftp://example.org", "javascript:alert(1)", "http://me@127.0.0.1/", "https://127.1/",
        "https://exa mple.org/", "/path",
    ])
    func `A request for a link preview is refused if its text is not a valid web address`(text: String) async throws {
        let requestCount = Mutex(0)
        try await withReadableServer { client, _ async throws in
            let answered = try await client.post(Self.route, ["uri": .string(text)])
            #expect(answered.status == 422)
        } of: { _ in
            requestCount.withLock { $0 += 1 }
            return .status(200)
        }
        #expect(requestCount.withLock { $0 } == 0)
    }

    @Test
    func `By default, link previews are read only from TLS pages at public addresses`() async throws {
        let receiver = try await HTTPReceiver.start { _ in makePageReply(Array("<title>secret</title>".utf8)) }
        try await ServedGateway.run { configuration in
            var settings = LinkPreviewSettings()
            settings.nameLookup = { name, loop in
                loop.makeSucceededFuture(
                    [IPAddress(name == "public.example" ? "8.8.8.8" : "127.0.0.1")].compactMap(\.self)
                )
            }
            configuration.linkPreviews = settings
        } _: { served in
            let client = try await served.connectClient()
            for uri in [
                "http://127.0.0.1:\(receiver.port)/", "https://[::1]:\(receiver.port)/",
                "https://inner.example:\(receiver.port)/", "http://public.example/",
            ] {
                #expect(try await client.post(Self.route, ["uri": .string(uri)]).status == 502, "\(uri)")
            }
        }
        #expect(receiver.requests.isEmpty)
    }

    @Test
    func `Link previews need a setting of the gateway and a key with the scope 'write'`() async throws {
        try await ServedGateway.run { served in
            let answered = try await served.connectClient().post(Self.route, ["uri": "https://example.org/"])
            #expect(answered.status == 409 && answered.text.contains("--link-previews"))
            #expect(
                try await served.connectAnonymously().post(Self.route, ["uri": "https://example.org/"]).status == 401
            )
            let made = try await served.connectClient().post("/v1/keys", ["name": "reader", "scopes": ["read"]])
            let reader = try #require(try made.json["key"]?.stringValue)
            #expect(
                try await served.connectClient(key: reader).post(Self.route, ["uri": "https://example.org/"]).status
                    == 403
            )
        }
    }

    @Test(arguments: 0..<20)
    func `A title that is parsed from random HTML has 1 to 200 characters`(part: Int) {
        var random = SeededRandom(part: part)
        let pieces = [
            "<", ">", "meta ", "<meta ", "property=", "content=", "\"", "'", "og:title", "<title>", "</title", "<!--",
            "-->", "/", "=", " ", "é", "&#x110000;", "&amp", "<script>", "\0",
        ]
        for _ in 0..<200 {
            let text = (0..<Int.random(in: 0...40, using: &random)).map { _ in
                pieces.randomElement(using: &random) ?? ""
            }.joined()
            let facts = PageFacts(Array(text.utf8) + (Bool.random(using: &random) ? [0xC3] : []), type: "text/html")
            #expect(facts.title.map { !$0.isEmpty && $0.count <= 200 } ?? true)
        }
    }

    /// Records requests for pages. The test provides the answers.
    private final class RecordedWeb: Sendable {
        let requests = Mutex<[OutgoingRequest]>([])
        private let pages: [String: OutgoingAnswer]

        init(_ pages: [String: OutgoingAnswer]) { self.pages = pages }

        func makeReader() -> LinkPreviewReader {
            LinkPreviewReader(seconds: 15) { [self] request throws(OutgoingError) in
                requests.withLock { $0.append(request) }
                guard let answer = pages[request.url.maskedText] else { throw .connectionClosed }
                return answer
            }
        }

        /// URLs of the requests, each with a mark if the address must be public.
        var requestedURLs: [String] {
            requests.withLock { $0.map { $0.url.maskedText + ($0.requiresPublicAddress ? " public" : "") } }
        }

        static func makePage(_ text: String, isOfAllowed: Bool = false) -> OutgoingAnswer {
            var answer = OutgoingAnswer(status: 200)
            (answer.contentType, answer.content, answer.isContentComplete, answer.isFromAllowedAddress) = (
                "text/html", Array(text.utf8), true, isOfAllowed
            )
            return answer
        }

        static func makeRedirect(_ location: String, isOfAllowed: Bool = false) -> OutgoingAnswer {
            var answer = OutgoingAnswer(status: 302)
            (answer.location, answer.isFromAllowedAddress) = (location, isOfAllowed)
            return answer
        }
    }

    @Test
    func `For a preview of a page at a public address, redirects and pictures are read only at public addresses`()
        async throws
    {
        let web = RecordedWeb([
            "https://public.example/": RecordedWeb.makeRedirect("https://inner.example/page"),
            "https://inner.example/page": RecordedWeb.makePage(
                "<title>x</title><meta property=og:image content=/picture>",
                isOfAllowed: true
            ),
            "https://picture.example/": RecordedWeb.makePage(
                "<title>x</title><meta property=og:image content=https://inner.example/picture>"
            ),
            "https://inner.example/": RecordedWeb.makeRedirect("https://inner.example/page", isOfAllowed: true),
        ])
        _ = try await web.makeReader().makePreview(of: "https://public.example/")
        #expect(
            web.requestedURLs == [
                "https://public.example/", "https://inner.example/page public", "https://inner.example/picture public",
            ]
        )
        #expect(Set(web.requests.withLock { $0.map(\.deadline) }).count == 1)
        web.requests.withLock { $0 = [] }
        _ = try await web.makeReader().makePreview(of: "https://picture.example/")
        #expect(web.requestedURLs == ["https://picture.example/", "https://inner.example/picture public"])
        web.requests.withLock { $0 = [] }
        _ = try await web.makeReader().makePreview(of: "https://inner.example/")
        #expect(
            web.requestedURLs == [
                "https://inner.example/", "https://inner.example/page", "https://inner.example/picture",
            ]
        )
    }

    @Test(arguments: [
        "http://other.example/a.png", "data:image/png;base64,AAAA", "javascript:alert(1)", "file:///etc/passwd",
    ])
    func `If a page was read over TLS, the picture of the page is read only from an https link`(
        link: String
    ) async throws {
        let web = RecordedWeb([
            "https://public.example/": RecordedWeb.makePage(
                "<title>x</title><meta property=og:image content=\"\(link)\">"
            )
        ])
        #expect(try await web.makeReader().makePreview(of: "https://public.example/").picture == nil)
        #expect(web.requestedURLs == ["https://public.example/"])
    }

    @Test
    func `No page is read for a link preview while a proxy is configured`() async throws {
        let receiver = try await HTTPReceiver.start { _ in makePageReply(Array("<title>x</title>".utf8)) }
        try await ServedGateway.run {
            $0.linkPreviews = LinkPreviewSettings(allowedAddresses: ["127.0.0.1"])
        } _: { served in
            served.core.proxy.value.withLock { $0 = "127.0.0.1:9050" }
            let refused = try await served.connectClient().post(
                Self.route,
                ["uri": .string("http://127.0.0.1:\(receiver.port)/")]
            )
            #expect(
                refused.status == 409 && refused.text.contains("proxy") && receiver.requests.isEmpty,
                "\(refused.text)"
            )
            served.core.proxy.value.withLock { $0 = nil }
            #expect(
                try await served.connectClient().post(
                    Self.route,
                    ["uri": .string("http://127.0.0.1:\(receiver.port)/")]
                )
                .status == 200
            )
        }
    }

    @Test
    func `A page that cannot be read causes a specific error, different from errors of relays`() async throws {
        try await withReadableServer { client, link async throws in
            #expect(try await client.post(Self.route, link("/")).json["code"] == "pageUnreadable")
        } of: { _ in
            .status(404)
        }
    }

    @Test
    func `Titles of pages keep combined characters, lose invisible characters, and are decoded as in browsers`() {
        func title(_ text: String) -> String? {
            PageFacts(Array("<title>\(text)</title>".utf8), type: "text/html").title
        }
        #expect(
            title("\u{1F468}\u{200D}\u{1F469}\u{200D}\u{1F467} at home")
                == "\u{1F468}\u{200D}\u{1F469}\u{200D}\u{1F467} at home"
        )
        #expect(title("hyphen\u{AD}ation \u{202E}and\u{2066} \u{FEFF}more\u{0}less") == "hyphenation and more less")
        #expect(title("\u{200D}\u{AD} \u{202E}") == nil)
        let old: [UInt8] =
            Array("<title>".utf8) + [0x93, 0x80, 0x35, 0x94, 0x20, 0x96, 0x20, 0xE4] + Array("</title>".utf8)
        for charset in ["ISO-8859-1", "windows-1252", "latin1"] {
            #expect(PageFacts(old, type: "text/html; charset=\(charset)").title == "“€5” – ä")
        }
    }
}
