internal import CEmbedded

/// The pages of the guide: the documentation and the changelog, without scripts. The pages are made from the Markdown
/// files of the documentation at the first request for one of the pages.
enum GuidePages {
    /// Files of the documentation, by name.
    static let sourceFiles = EmbeddedFiles.readFiles(sxgw_guide)

    /// Pages and pictures, by the last part of their addresses.
    static let pages: [String: PublicPage] = {
        var pages: [String: PublicPage] = [:]
        for (name, text) in texts {
            pages[makePageAddress(name)] = PublicPage(html: makePageHTML(name, text), policy: contentPolicy)
        }
        for (suffix, type) in [(".png", "image/png"), (".svg", "image/svg+xml")] {
            for (name, bytes) in sourceFiles where name.hasSuffix(suffix) {
                pages[name] = PublicPage(bytes, type: type, policy: "default-src 'none'; sandbox")
            }
        }
        return pages
    }()

    private static let contentPolicy =
        "default-src 'none'; style-src '\(PublicPage.makePolicyHash(styleSheet))'; img-src 'self'; base-uri 'none'; form-action 'none'; "
        + "frame-ancestors 'none'"

    /// The first page of the guide, which lists the other pages.
    private static let firstPage: Substring = "simplex-gateway"

    /// Markdown of the pages, by name.
    private static let texts: [Substring: String] = Dictionary(
        uniqueKeysWithValues: sourceFiles.filter { $0.key.hasSuffix(".md") }.map { name, bytes in
            (name.dropLast(3), String(decoding: bytes, as: UTF8.self))
        }
    )

    private static func makePageAddress(_ name: Substring) -> String { name == firstPage ? "guide" : name.lowercased() }

    private static func parseTitle(_ text: String) -> String {
        String(text.prefix { $0 != "\n" }.drop { $0 == "#" || $0 == " " })
    }

    private static let writer = MarkdownWriter { name in
        texts[name].map { (makePageAddress(name), parseTitle($0)) }
    }

    /// The lists of topics in the pages. `owner` is the name of the page that has the list, and `topics` is the
    /// Markdown of the list.
    private static let topicLists: [(owner: Substring, topics: Substring)] = texts.sorted { $0.key < $1.key }
        .compactMap { owner, text in
            text.firstRange(of: "\n## Topics\n").map { (owner, text[$0.upperBound...]) }
        }

    /// Returns the list of topics that contains a page, as HTML; empty if no list contains the page.
    private static func makeTopicListHTML(with name: Substring) -> String {
        guard let list = topicLists.first(where: { $0.topics.contains("<doc:\(name)>") }),
            let title = texts[list.owner].map(parseTitle)
        else { return "" }
        return "<nav><p><a href=\"\(makePageAddress(list.owner))\">\(title.escapedForHTML)</a></p>"
            + writer.renderHTML(String(list.topics))
            + "</nav>"
    }

    private static func makePageHTML(_ name: Substring, _ text: String) -> String {
        """
        <!DOCTYPE html>
        <html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
        <title>\(parseTitle(text).escapedForHTML): guide</title><style>\(styleSheet)</style></head><body>
        <header><a href="guide">Guide</a> <a href="../docs">Reference of the API</a> <a href="../app">Web client</a></header>
        <main>\(writer.renderHTML(text))</main>
        \(makeTopicListHTML(with: name))</body></html>
        """
    }

    private static let styleSheet = """
        body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:0 auto;padding:1rem;color:#1b1b1f;background:#fff}
        code,pre{font:14px/1.4 ui-monospace,monospace}pre{background:#f3f3f6;padding:.6rem;overflow:auto}
        header{border-bottom:1px solid #ccc;padding-bottom:.5rem}header a{margin-right:1rem}img{max-width:100%}
        main{overflow-wrap:anywhere}nav{border-top:1px solid #ccc;margin-top:2rem}nav h3{margin:.6rem 0 0}
        nav ul{columns:12rem;margin:.2rem 0}table{border-collapse:collapse}th{text-align:left}
        th,td{border-bottom:1px solid #e4e4ea;padding:.3rem .8rem .3rem 0;vertical-align:top}
        blockquote{border-left:4px solid #d98200;margin:1rem 0;padding:.1rem 1rem;background:#f7f3ec}
        @media(prefers-color-scheme:dark){body{color:#e4e4ea;background:#17171b}pre{background:#222228}a{color:#8ab4ff}
        blockquote{background:#2a2620}th,td{border-color:#33333b}}
        """
}
