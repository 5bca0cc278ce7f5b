import Foundation
import TestSupport
import Testing

@testable import Gateway

@Suite(.socketTimeLimit) struct GuidePagesTests {
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()
        .appending(path: "Sources/simplex-gateway/Documentation.docc")

    @Test
    func `The program contains exactly the files of the documentation and the changelog`() throws {
        let paths = try FileManager.default.subpathsOfDirectory(atPath: Self.folder.path).filter { path in
            try Self.folder.appending(path: path).resourceValues(forKeys: [.isDirectoryKey]).isDirectory == false
        }
        let changelog = Self.folder.appending(path: "../../../.github/CHANGELOG.md")
        #expect(try Data(contentsOf: changelog) == Data(GuidePages.sourceFiles["Changelog.md"] ?? []))
        #expect(paths.count + 1 == GuidePages.sourceFiles.count)
        for path in paths {
            let file = Self.folder.appending(path: path)
            let embedded = try #require(GuidePages.sourceFiles[file.lastPathComponent], "\(path)")
            #expect(try Data(contentsOf: file) == Data(embedded), "\(path)")
        }
        #expect(
            GuidePages.pages.count == GuidePages.sourceFiles.count
                && GuidePages.pages[ReferencePage.typesPageName] == nil
        )
    }

    @Test
    func `Every page of the guide is HTML without scripts, and its links lead to existing pages`() async throws {
        try await ServedGateway.run { served in
            let client = try await served.connectAnonymously()
            for name in GuidePages.pages.keys.sorted() where !name.hasSuffix(".png") && !name.hasSuffix(".svg") {
                let page = try await client.call("GET", "/docs/\(name)")
                #expect(page.status == 200 && page.header("content-type") == "text/html; charset=utf-8", "\(name)")
                let policy = try #require(page.header("content-security-policy"))
                #expect(policy.hasPrefix("default-src 'none'; style-src 'sha256-"), "\(name)")
                #expect(!policy.contains("script-src") && !policy.contains("unsafe"), "\(name)")
                #expect(page.text.matches(of: /<script|\ on\w+="|src="https?:/).isEmpty, "\(name)")
                let prose = page.text.replacing(
                    /<pre>[\s\S]*?<\/pre>|<code>[^<]*<\/code>|<style>[^<]*<\/style>/,
                    with: ""
                )
                #expect(prose.matches(of: /`|\*\*|&lt;doc:|@Metadata|\]\(|<p>(#|\||- )/).isEmpty, "\(name)")
                for link in page.text.matches(of: /(?:href|src)="([^"]+)"/).map({ String($0.1) })
                where !link.hasPrefix("https://") && !link.hasPrefix("../") {
                    #expect(GuidePages.pages[link] != nil, "\(name) names \(link)")
                }
                #expect(page.text.contains("<a href=\"../docs\">"), "\(name)")
            }
        }
    }

    @Test
    func `The guide and its pages have links to each other, and the reference has links to the guide`() async throws {
        try await ServedGateway.run { served in
            var client = try await served.connectAnonymously()
            let guide = try await client.call("GET", "/docs/guide").text
            #expect(guide.contains("<h1 id=\"simplex-gateway\">simplex-gateway</h1>"))
            #expect(guide.contains("<li><a href=\"start\">Start</a></li>"))
            let start = try await client.call("GET", "/docs/start").text
            #expect(start.contains("<h2 id=\"rules-of-the-api\">Rules of the API</h2>"))
            #expect(start.contains("<img src=\"web-client.png\" alt=\"The web client with a chat\">"))
            #expect(start.contains("<nav><p><a href=\"guide\">simplex-gateway</a></p>"))
            let reference = try await client.call("GET", "/docs").text
            #expect(reference.contains("<a href=\"docs/guide\">") && reference.contains("<a href=\"docs/changelog\">"))
            let changelog = try await client.call("GET", "/docs/changelog").text
            #expect(
                changelog.contains("<h1 id=\"changelog\">Changelog</h1>")
                    && changelog.contains("<h3 id=\"added\">Added</h3>")
            )
            let picture = try await client.call("GET", "/docs/web-client.png")
            #expect(picture.status == 200 && picture.header("content-type") == "image/png")
            #expect(picture.body == GuidePages.sourceFiles["web-client.png"])
            let testing = try await client.call("GET", "/docs/testing").text
            #expect(testing.contains("<img src=\"benchmarks.svg\" alt=\"The figures of a run of gateway-bench\">"))
            let figures = try await client.call("GET", "/docs/benchmarks.svg")
            #expect(figures.status == 200 && figures.header("content-type") == "image/svg+xml")
            #expect(figures.body == GuidePages.sourceFiles["benchmarks.svg"])
            // The contract does not have this path, because it is only for people who type it.
            client.checksAnswers = false
            let slash = try await client.call("GET", "/docs/")
            #expect(slash.status == 303 && slash.header("location") == "../docs")
        }
    }

    @Test
    func `A request with the current ETag of a page of the guide gets 304 without a body`() async throws {
        try await ServedGateway.run { served in
            let client = try await served.connectAnonymously()
            for path in ["/docs", "/docs/types", "/docs/start", "/docs/web-client.png"] {
                let page = try await client.call("GET", path)
                let tag = try #require(page.header("etag"))
                #expect(page.header("cache-control") == "max-age=300", "\(path)")
                let again = try await client.call("GET", path, headers: [("If-None-Match", tag)])
                #expect(again.status == 304 && again.body.isEmpty, "\(path)")
                #expect(again.header("cache-control") == "max-age=300", "\(path)")
            }
        }
    }

    @Test(arguments: [
        "Start", "start.md", "Start.md", "simplex-gateway", "missing", "..%2Fdocs",
        "%2E%2E%2F%2E%2E%2Fetc%2Fpasswd",
        "..%2FArchitecture%2FModules.md", "architecture%2Fmodules", "WEB-CLIENT.PNG",
    ])
    func `A request for an unknown page or for a path outside of the documentation gets 404`(name: String) async throws
    {
        try await ServedGateway.run { served in
            let answer = try await served.connectAnonymously().call("GET", "/docs/\(name)")
            #expect(answer.status == 404)
            #expect(try answer.json["detail"] == "The documentation has no such page: /docs/guide lists its pages.")
        }
    }

    @Test(arguments: [
        ("## A `b` & c", "<h2 id=\"a-b-c\">A <code>b</code> &amp; c</h2>"),
        ("one\ntwo **three** <four>", "<p>one\ntwo <strong>three</strong> &lt;four&gt;</p>"),
        ("- one\n  more\n- two", "<ul><li>one\nmore</li>\n<li>two</li>\n</ul>"),
        ("7. one\n8. two\n   - in", "<ol start=\"7\"><li>one</li>\n<li>two<ul><li>in</li>\n</ul>\n</li>\n</ol>"),
        (
            "| a | b |\n|---|---|\n| `x` | y |",
            "<table><tr><th>a</th><th>b</th></tr>\n<tr><td><code>x</code></td><td>y</td></tr>\n</table>"
        ),
        ("```sh\na <b> \"c\"\n\n# d\n```", "<pre><code>a &lt;b&gt; \"c\"\n\n# d</code></pre>"),
        ("> Note: one\n> two", "<blockquote><p>Note: one\ntwo</p>\n</blockquote>"),
        ("[a](https://b.example/\"c)", "<p><a href=\"https://b.example/&quot;c\">a</a></p>"),
        ("<doc:Known> <doc:Other>", "<p><a href=\"known\">Title</a> &lt;doc:Other&gt;</p>"),
        ("@Metadata {\n  @TechnologyRoot\n}\nText 2 * 3 * 4", "<p>Text 2 * 3 * 4</p>"),
        ("a `<b>` ` c", "<p>a <code>&lt;b&gt;</code> ` c</p>"),
    ])
    func `The Markdown of the guide is converted to HTML`(text: String, html: String) {
        let writer = MarkdownWriter { $0 == "Known" ? ("known", "Title") : nil }
        #expect(writer.renderHTML(text) == html + "\n")
    }
}
