internal import JSON

/// The contract as served at `/openapi.json`, and the contract of the streams. Each document is made at its first
/// request.
enum OpenAPIDocument {
    static let response = prepared(ServedContract.document)
    /// The contract of the streams, served at `/asyncapi.json`.
    static let streams = prepared(ServedContract.streams)

    private static func prepared(_ document: JSONValue?) -> HTTPResponse {
        guard let document else { return HTTPResponse(status: 500) }
        return HTTPResponse(
            content: .prepared(
                PreparedResponse(
                    status: 200,
                    headers: [("Content-Type", "application/json"), ("Cache-Control", "max-age=300")],
                    body: SharedBytes(document.encoded()),
                    isPublic: true
                )
            )
        )
    }
}

/// Reads the subset of YAML that the contract uses: block mappings and block sequences by indentation, leaves that are
/// JSON values, and comment lines.
enum ContractReader {
    private struct Line {
        var indent: Int
        var text: Substring
    }

    /// Reads a text.
    /// - Returns: `nil` for a text that is not in this subset.
    static func read(_ yaml: String) -> JSONValue? {
        var lines: [Line] = []
        for line in yaml.split(separator: "\n") {
            let text = line.drop { $0 == " " }
            if text.isEmpty || text.hasPrefix("#") { continue }
            lines.append(Line(indent: line.count - text.count, text: text))
        }
        var rest = lines[...]
        guard let first = rest.first, let value = block(&rest, indent: first.indent), rest.isEmpty else { return nil }
        return value
    }

    private static func block(_ lines: inout ArraySlice<Line>, indent: Int) -> JSONValue? {
        guard let first = lines.first, first.indent == indent else { return nil }
        return first.text.hasPrefix("- ") ? sequence(&lines, indent) : mapping(&lines, indent)
    }

    private static func sequence(_ lines: inout ArraySlice<Line>, _ indent: Int) -> JSONValue? {
        var items: [JSONValue] = []
        while var line = lines.first, line.indent == indent, line.text.hasPrefix("- ") {
            line.text = line.text.dropFirst(2)
            if line.text.hasPrefix("{") || line.text.hasPrefix("[")
                || line.text.hasSuffix("\"") && key(line.text) == nil
            {
                guard let value = leaf(line.text) else { return nil }
                items.append(value)
                lines.removeFirst()
            } else {
                // The item is a mapping whose first key is on the line of the dash.
                line.indent += 2
                lines[lines.startIndex] = line
                guard let value = mapping(&lines, indent + 2) else { return nil }
                items.append(value)
            }
        }
        return .array(items)
    }

    private static func mapping(_ lines: inout ArraySlice<Line>, _ indent: Int) -> JSONValue? {
        var object = JSONObject()
        while let line = lines.first, line.indent == indent, !line.text.hasPrefix("- ") {
            guard let (name, value) = key(line.text), object[name] == nil else { return nil }
            lines.removeFirst()
            if value.isEmpty {
                guard let next = lines.first, next.indent > indent, let child = block(&lines, indent: next.indent)
                else { return nil }
                object[name] = child
            } else {
                guard let child = leaf(value) else { return nil }
                object[name] = child
            }
        }
        if let next = lines.first, next.indent > indent { return nil }
        return .object(object)
    }

    /// Splits a line after its key: `name: …` or `"name": …`
    private static func key(_ text: Substring) -> (String, Substring)? {
        let end: Substring.Index
        let name: String
        if text.hasPrefix("\"") {
            guard let quote = text.dropFirst().firstIndex(of: "\"") else { return nil }
            name = String(text[text.index(after: text.startIndex)..<quote])
            end = text.index(after: quote)
        } else {
            guard let colon = text.firstIndex(of: ":") else { return nil }
            name = String(text[..<colon])
            end = colon
        }
        guard text[end...].hasPrefix(":") else { return nil }
        return (name, text[end...].dropFirst().drop { $0 == " " })
    }

    private static func leaf(_ text: Substring) -> JSONValue? {
        // The text is parsed inside a list, so that values other than objects and arrays are accepted too.
        try? JSONValue(parsing: "[\(text)]")[0]
    }
}
