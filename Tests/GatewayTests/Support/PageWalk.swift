import JSON
import Testing

extension HTTPClient {
    /// Reads a list page by page from its beginning to its end, and back. Checks that the pages are the same in both
    /// directions, that the first page has no `prev` and the last page no `next`, and that `Link` has the same cursors.
    /// - Parameter first: the target of the first page.
    func walkPages(
        _ first: String,
        sourceLocation: SourceLocation = #_sourceLocation,
        _ entries: (JSONValue) -> [JSONValue]
    ) async throws -> [[JSONValue]] {
        var (targets, pages): ([String], [[JSONValue]]) = ([], [])
        var prev: String?
        var next: String? = first
        while let target = next, pages.count < 100 {
            let page = try await readPage(target, sourceLocation)
            #expect((page.prev == nil) == pages.isEmpty, "\(target)", sourceLocation: sourceLocation)
            targets.append(target)
            pages.append(entries(page.json))
            (next, prev) = (page.next, page.prev)
        }
        var back: [[JSONValue]] = []
        while let target = prev, back.count < 100 {
            let page = try await readPage(target, sourceLocation)
            #expect(page.next != nil, "\(target)", sourceLocation: sourceLocation)
            back.append(entries(page.json))
            prev = page.prev
        }
        #expect(
            back.reversed().map { $0.map(\.textWithoutUse) } == pages.dropLast().map { $0.map(\.textWithoutUse) },
            "\(first)",
            sourceLocation: sourceLocation
        )
        return pages
    }

    private func readPage(
        _ target: String,
        _ sourceLocation: SourceLocation
    ) async throws -> (json: JSONValue, next: String?, prev: String?) {
        let answer = try await call("GET", target)
        #expect(answer.status == 200, "\(target): \(answer.text)", sourceLocation: sourceLocation)
        let json = try answer.json
        var links: [String: String] = [:]
        for link in (answer.header("link") ?? "").matches(of: /<([^>]*)>; rel="(next|prev)"/) {
            links[String(link.2)] = String(link.1)
        }
        for name in ["next", "prev"] {
            let cursor = json[name]?.stringValue
            #expect(json[name] != nil && (cursor == nil) == (links[name] == nil), sourceLocation: sourceLocation)
            if let cursor {
                #expect(links[name]?.hasSuffix("cursor=\(cursor)") == true, sourceLocation: sourceLocation)
            }
        }
        return (json, links["next"], links["prev"])
    }
}

extension JSONValue {
    /// The text of an entry without the members that change while pages are read.
    fileprivate var textWithoutUse: String {
        guard case .object(var entry) = self else { return text }
        for name in ["idleSeconds", "lastUsedAt", "lastUsedFrom"] { entry[name] = nil }
        return JSONValue.object(entry).text
    }
}
