import Foundation
import JSON
import TestSupport
import Testing

@testable import Gateway

@Suite(.socketTimeLimit) struct WebClientPageTests {
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()
        .appending(path: "Sources/WebClient/client")

    @Test
    func `The program contains exactly the files of the web client's folder`() throws {
        let names = try FileManager.default.subpathsOfDirectory(atPath: Self.folder.path).filter { name in
            try Self.folder.appending(path: name).resourceValues(forKeys: [.isDirectoryKey]).isDirectory == false
        }
        #expect(Set(names) == Set(WebClientPage.sources.keys))
        for name in names {
            #expect(
                try Data(contentsOf: Self.folder.appending(path: name)) == Data(WebClientPage.sources[name] ?? []),
                "\(name)"
            )
        }
    }

    @Test
    func `A first visit of the web client transfers at most 110 KB, and the words of each language at most 14 KB`() {
        func transferred(_ isIncluded: (String) -> Bool) -> [Int] {
            WebClientPage.files.filter { isIncluded($0.key) }.values.map {
                (ContentCoding.gzip($0, isPublic: true) ?? $0).count
            }
        }
        let always = transferred {
            WebClientPage.firstModules.contains($0) || $0.hasSuffix(".css") || $0 == "icons.json"
        }
        // A browser loads the words of only one language, so only English is counted for the first visit.
        let english = transferred { $0 == "words/en.json" }, words = transferred { $0.hasPrefix("words/") }
        #expect(always.count > 50 && (always + english).reduce(0, +) <= 110_000)
        #expect(english.count == 1 && words.allSatisfy { $0 <= 14_000 })
    }

    @Test
    func `Every module of the web client is loaded at the start, with a later part of the page, or as a worker`() {
        let all = Set(WebClientPage.files.keys.filter { $0.hasSuffix(".js") })
        var found = WebClientPage.firstModules
        var waiting = Array(found)
        while let name = waiting.popLast() {
            let more = Self.findModules(namedBy: name).filter { found.insert($0).inserted }
            waiting += more
        }
        #expect(all.subtracting(found) == Set(["worker.js", "calls/frames.js"]))
        #expect(!WebClientPage.firstModules.contains("settings/SettingsPages.js"))
        #expect(WebClientPage.firstModules.isSuperset(of: ["main.js", "model/requests.js", "chats/ChatView.js"]))
    }

    @Test(arguments: [
        ("// first\nlet a = 1\n", "let a = 1\n"), ("  // about it\n  run() // now", "  run() // now"),
        ("/** One line. */\nrun()", "run()"), ("/**\n * Two\n * lines.\n */\nrun()", "run()"),
        ("/** @type {any} */ let a", "/** @type {any} */ let a"),
        ("let a = 1 / 2\n/x/.test(a)", "let a = 1 / 2\n/x/.test(a)"),
        ("a\n\nb", "a\n\nb"), ("", ""),
    ])
    func `A served script has no comment lines, and its code lines are unchanged`(written: String, served: String) {
        #expect(String(decoding: WebClientPage.removeComments(Array(written.utf8)), as: UTF8.self) == served)
    }

    @Test
    func `A browser at the root URL of the gateway is redirected to the web client, and other programs are not`()
        async throws
    {
        try await ServedGateway.run { served in
            var client = try await served.connectAnonymously()
            let visit = try await client.call(
                "GET",
                "/",
                headers: [("Accept", "text/html,application/xhtml+xml,*/*;q=0.8")]
            )
            #expect(visit.status == 303 && visit.header("location") == "app")
            #expect(try await client.call("GET", "/").status == 401)
            // The contract does not have this path, because it is only for people who type it.
            client.checksAnswers = false
            let slash = try await client.call("GET", "/app/")
            #expect(slash.status == 303 && slash.header("location") == "../app")
        }
    }

    @Test
    func `The web client's page refers only to files of its version, and its policy forbids inline scripts and styles`()
        async throws
    {
        try await ServedGateway.run { served in
            let client = try await served.connectAnonymously()
            let page = try await client.call("GET", "/app")
            #expect(page.status == 200 && page.header("content-type") == "text/html; charset=utf-8")
            #expect(page.header("cache-control") == "no-cache")
            let policy = try #require(page.header("content-security-policy"))
            #expect(
                policy.hasPrefix("default-src 'none'; script-src 'self'; ")
                    && policy.contains("require-trusted-types-for 'script'")
            )
            #expect(!policy.contains("unsafe") && !policy.contains("data:"))
            #expect(
                page.header("x-content-type-options") == "nosniff" && page.header("referrer-policy") == "no-referrer"
            )
            let html = page.text
            #expect(
                html.matches(of: /\ (style|on\w+)=/).isEmpty
                    && html.matches(of: /<script(?! type="module" src=)|<style/).isEmpty
            )
            let named = html.matches(of: /(?:src|href)="([^"]+)"/).map { String($0.1) }
            let manifest = String(decoding: WebClientPage.files["manifest.webmanifest"] ?? [], as: UTF8.self)
            let icons = manifest.matches(of: /"src": "([^"]+)"/).map { "app/\(WebClientPage.version)/\($0.1)" }
            #expect(icons.count == 3)
            let others: Set = ["index.html"]
            // The page itself loads the words of the user's language, so `index.html` names none of these files.
            let wanted = WebClientPage.files.keys.filter {
                $0.hasSuffix(".js")
                    ? WebClientPage.firstModules.contains($0) : !others.contains($0) && !$0.hasPrefix("words/")
            }
            #expect(Set(named + icons) == Set(wanted.map { "app/\(WebClientPage.version)/\($0)" }))
            for path in named + icons {
                #expect(path.hasPrefix("app/\(WebClientPage.version)/"), "\(path)")
                let file = try await client.call("GET", "/\(path)")
                #expect(file.status == 200, "\(path)")
                #expect(file.header("cache-control") == "public, max-age=31536000, immutable", "\(path)")
                #expect(file.header("x-content-type-options") == "nosniff", "\(path)")
            }
        }
    }

    @Test(arguments: [
        "main.js.map", "index.html", "..%2Fmain.js", "%00", "MAIN.JS", "api.js", "model", "model/main.js",
        "a/b/api.js",
    ])
    func `A request for an unknown file or a wrong version of the web client is refused`(name: String) async throws {
        try await ServedGateway.run { served in
            let client = try await served.connectAnonymously()
            #expect(try await client.call("GET", "/app/\(WebClientPage.version)/\(name)").status >= 400)
            #expect(try await client.call("GET", "/app/0123456789abcdef/main.js").status == 404)
        }
    }

    @Test
    func `Every script that the web client imports is a file of the web client`() {
        for name in WebClientPage.files.keys where name.hasSuffix(".js") {
            for imported in Self.findModules(namedBy: name) {
                #expect(WebClientPage.files[imported] != nil, "\(name) imports \(imported)")
            }
        }
    }

    /// Returns the paths of the modules that a module imports or loads later.
    private static func findModules(namedBy name: String) -> [String] {
        let folder = URL(filePath: "/\(name)").deletingLastPathComponent()
        let text = String(decoding: WebClientPage.files[name] ?? [], as: UTF8.self)
        return text.matches(of: /(?:from |import |later\()"(\.[^"]+)"/).map {
            String(folder.appending(path: String($0.1)).standardized.path.dropFirst())
        }
    }
}
