internal import JSON

/// Writes the parts of the reference page. All texts from the contract are escaped. Rows and cells of tables have no
/// end tags, because the page is large and HTML does not require these tags.
struct ReferenceWriter {
    let contract: JSONValue
    /// Address of the page with the types; empty on that page itself.
    let typesPage: String

    /// Writes links to the categories.
    func writeContents() -> String {
        (contract["tags"]?.arrayValue ?? []).compactMap { $0["name"]?.stringValue }.map { name in
            "<a href=\"#category-\(name.escapedForAttribute)\">\(name.escapedForHTML)</a>"
        }.joined(separator: "\n")
    }

    /// Writes the operations by category. Operations that only apps need are at the end of their category.
    func writeCategories() -> String {
        var (byCategory, ofApps): ([String: [String]], [String: [String]]) = ([:], [:])
        for (path, methods) in contract["paths"]?.objectValue ?? JSONObject() {
            for (method, operation) in methods.objectValue ?? JSONObject() {
                guard let id = operation["operationId"]?.stringValue else { continue }
                let category = operation["tags"]?[0]?.stringValue ?? ""
                let entry = self.writeOperation(id, method, path, operation)
                if isForApps(operation) {
                    ofApps[category, default: []].append(entry)
                } else {
                    byCategory[category, default: []].append(entry)
                }
            }
        }
        return (contract["tags"]?.arrayValue ?? []).map { tag in
            let category = tag["name"]?.stringValue ?? ""
            let entries = (byCategory[category] ?? []) + (ofApps[category] ?? [])
            return "<section id=\"category-\(category.escapedForAttribute)\"><h2>\(escapeHTML(category))</h2>"
                + "<p>\(writeText(tag["description"]))</p>\(entries.joined())</section>"
        }.joined(separator: "\n")
    }

    private func isForApps(_ operation: JSONValue) -> Bool { operation["x-audience"] == "compatibility" }

    /// Writes a sentence about the keys that an operation accepts. Each alternative lists the scopes of one key.
    private func writeKeysSentence(_ alternatives: [JSONValue]) -> String {
        // Basic authentication and tickets need the same scopes as keys, so only the alternatives with keys are read.
        let scopes = alternatives.compactMap { $0["key"]?.arrayValue?.compactMap(\.stringValue) }
        guard !scopes.isEmpty else { return "No key is needed." }
        guard !scopes.contains([]) else { return "Needs any key." }
        return "Needs a key with "
            + scopes.map { $0.map { "<code>\(escapeHTML($0))</code>" }.joined(separator: ", ") }.joined(
                separator: ", or one of the store with "
            ) + "."
    }

    /// Writes sentences about the announced end of an operation.
    private func writeDeprecationSentence(_ deprecated: JSONValue?) -> String {
        guard let deprecated else { return "" }
        let sunset = deprecated["sunset"].map { " It may be gone from \(writeText($0))." } ?? ""
        let other = deprecated["replacement"].map { " Use <a href=\"#\(writeText($0))\">\(writeText($0))</a>." } ?? ""
        return " <strong>Deprecated</strong> since \(writeText(deprecated["since"])).\(sunset)\(other)"
    }

    private func writeOperation(_ id: String, _ method: String, _ path: String, _ operation: JSONValue) -> String {
        let parameters = (operation["parameters"]?.arrayValue ?? []).map(resolveReference)
        let body = operation["requestBody"].map(resolveReference)
        let media =
            body?["content"]?.objectValue?.first { _ in true }.map { " data-media=\"\($0.0.escapedForAttribute)\"" }
            ?? ""
        let named = operation["x-core-command"]
        let commands = named?.arrayValue?.compactMap(\.stringValue) ?? named?.stringValue.map { [$0] } ?? []
        let command =
            commands.isEmpty
            ? "" : " (core: \(commands.map { "<code>\(escapeHTML($0))</code>" }.joined(separator: ", ")))"
        var out =
            "<details id=\"\(id.escapedForAttribute)\"\(media)><summary><b>\(escapeHTML(method.uppercased()))</b> <code>\(escapeHTML(path))</code> "
        out +=
            "<span>\(writeText(operation["summary"]))</span></summary><p><code>\(escapeHTML(id))</code>\(command) \(writeText(operation["description"]))</p>"
        let audience = isForApps(operation) ? " Only for compatibility with the apps." : ""
        let since = operation["x-since"].map { " Since \(writeText($0))." } ?? ""
        let keys = writeKeysSentence(operation["security"]?.arrayValue ?? [])
        out += "<p>\(keys)\(since)\(audience)\(writeDeprecationSentence(operation["x-deprecated"]))</p>"
        let codes = findOwnCodes(method, path, operation)
        if !codes.isEmpty {
            let list = codes.map { "<code>\(escapeHTML($0))</code>" }.joined(separator: " ")
            out += "<p>Problems: \(list)</p>"
        }
        if operation["responses"]?["101"] == nil {
            let line = CurlLine(
                method,
                path,
                parameters,
                body,
                isOpen: operation["security"]?.arrayValue == [],
                findExamples
            )
            out += "<pre class=\"curl\">\(escapeHTML(line.text))</pre>"
        }
        if !parameters.isEmpty {
            out += "<h4>Parameters</h4><table>"
            for parameter in parameters {
                let need = parameter["required"]?.boolValue == true ? "" : "?"
                let (name, place) = (writeText(parameter["name"]), writeText(parameter["in"]))
                // The request form of the page reads the name and the place of a parameter from the first two cells.
                out += "<tr><td><code>\(name)\(need)</code><td>\(place)"
                // Parameters of the path that are ids have clear names, so their descriptions are left out.
                let words = place == "path" && name.hasSuffix("Id") ? "" : writeText(parameter["description"])
                out += "<td>\(writeType(parameter["schema"]))<td>\(words)"
            }
            out += "</table>"
        }
        if let body { out += "<h4>Request</h4>" + writeContent(body, class: "body") }
        for (status, response) in operation["responses"]?.objectValue ?? JSONObject() {
            // Answers that several operations share are skipped: all of them are problems, whose codes are listed
            // above.
            if response["$ref"] != nil { continue }
            out += "<h4>\(escapeHTML(status)) \(writeText(response["description"]))</h4>" + writeContent(response)
        }
        return out + "</details>\n"
    }

    /// Writes the contents of a request or an answer.
    /// - Parameter mark: the HTML class of the examples, by which the script finds the examples; nil for no class. With
    ///   a class, the example of a type is written on this page too.
    private func writeContent(_ holder: JSONValue, class mark: String? = nil) -> String {
        var out = ""
        for (media, value) in holder["content"]?.objectValue ?? JSONObject() {
            // A body that only one operation has is described on this page, and not on the page of the types.
            let (name, target) = (value["schema"]?["$ref"]?.stringValue ?? "", value["schema"].map(resolveReference))
            let isOwn = name.hasSuffix("Request") || name.hasSuffix("Response") && target?["oneOf"] != nil
            let schema = isOwn ? target : value["schema"]
            let named = (schema?["$ref"] ?? schema?["oneOf"]?[0]?["$ref"])?.stringValue?.split(separator: "/").last
            // The example of a type is written only once, on the page of the types. The script of this page inserts the
            // example after this paragraph.
            if mark == nil, value["example"] == nil, let named {
                out +=
                    "<p data-example=\"type-\(named.escapedForAttribute)\"><code>\(escapeHTML(media))</code> \(writeType(schema))</p>"
            } else {
                let attribute = mark.map { " class=\"\($0)\"" } ?? ""
                out += "<p><code>\(escapeHTML(media))</code> \(writeType(schema))</p>"
                for example in findExamples(value) {
                    out += "<pre\(attribute)>\(escapeHTML(example.makeIndentedText()))</pre>"
                }
            }
        }
        return out
    }

    private func findExamples(_ value: JSONValue) -> [JSONValue] {
        if let example = value["example"] { return [example] }
        let schema = value["schema"].map(resolveReference)
        return (schema?["oneOf"]?[0].map(resolveReference) ?? schema)?["examples"]?.arrayValue ?? []
    }

    /// Writes the named schemas: the schemas of events, or all other schemas.
    func writeSchemaSections(ofEvents: Bool) -> String {
        let schemas = contract["components"]?["schemas"]
        let events = Set(
            (schemas?["Event"]?["oneOf"]?.arrayValue ?? []).compactMap {
                $0["$ref"]?.stringValue?.split(separator: "/").last.map(String.init)
            }
        )
        return (schemas?.objectValue ?? JSONObject()).filter { events.contains($0.key) == ofEvents }.map {
            name,
            schema in
            let title = ofEvents ? schema["properties"]?["type"]?["const"]?.stringValue ?? name : name
            let example = schema["examples"]?[0].map { "<pre>\(escapeHTML($0.makeIndentedText()))</pre>" } ?? ""
            return
                "<details id=\"type-\(name.escapedForAttribute)\"><summary><code>\(escapeHTML(title))</code> <span>\(writeText(schema["description"]))</span></summary>"
                + "\(writeFields(schema))\(example)</details>\n"
        }.joined()
    }

    private func writeFields(_ schema: JSONValue) -> String {
        let required = Set((schema["required"]?.arrayValue ?? []).compactMap(\.stringValue))
        guard let properties = schema["properties"]?.objectValue else { return "<p>\(writeType(schema))</p>" }
        var out = "<table>"
        for (name, property) in properties {
            out +=
                "<tr><td><code>\(escapeHTML(name))\(required.contains(name) ? "" : "?")</code><td>\(writeType(property))"
            out += "<td>\(writeText(property["description"]))"
        }
        return out + "</table>"
    }

    /// Writes a short description of a schema, with links to the types in it.
    private func writeType(_ schema: JSONValue?) -> String {
        guard let schema, schema.objectValue != nil else { return "" }
        if let name = schema["$ref"]?.stringValue?.split(separator: "/").last {
            return
                "<a href=\"\(typesPage)#type-\(name.escapedForAttribute)\"><code>\(escapeHTML(String(name)))</code></a>"
        }
        if let value = schema["const"] { return "<code>\(escapeHTML(value.text))</code>" }
        if let values = schema["enum"]?.arrayValue {
            return values.map { "<code>\(escapeHTML($0.text))</code>" }.joined(separator: " ")
        }
        for key in ["oneOf", "anyOf", "allOf"] {
            if let parts = schema[key]?.arrayValue {
                return parts.map { writeType($0) }.joined(separator: key == "allOf" ? " and " : " or ")
            }
        }
        let names =
            schema["type"]?.stringValue.map { [$0] } ?? (schema["type"]?.arrayValue ?? []).compactMap(\.stringValue)
        if names.contains("array") { return "list of \(writeType(schema["items"]))" }
        if let properties = schema["properties"]?.objectValue {
            return "{ "
                + properties.map { "<code>\(escapeHTML($0.0))</code>: \(writeType($0.1))" }.joined(separator: ", ")
                + " }"
        }
        if let values = schema["additionalProperties"], values.objectValue != nil {
            return "map of \(writeType(values))"
        }
        let format = schema["format"]?.stringValue.map { " (\($0))" } ?? ""
        return escapeHTML(names.isEmpty ? "any value" : names.joined(separator: " or ")) + escapeHTML(format)
    }

    /// Returns the part of the contract to which a reference leads. A value without a reference is returned unchanged.
    private func resolveReference(_ value: JSONValue) -> JSONValue {
        guard let reference = value["$ref"]?.stringValue, reference.hasPrefix("#/") else { return value }
        return reference.dropFirst(2).split(separator: "/").reduce(contract as JSONValue?) { $0?[String($1)] } ?? value
    }

    /// Writes a text of the contract as HTML, with code between backticks.
    func writeText(_ value: JSONValue?) -> String {
        let parts = (value?.stringValue ?? "").split(separator: "`", omittingEmptySubsequences: false)
        guard parts.count % 2 == 1 else { return escapeHTML(value?.stringValue ?? "") }
        return parts.enumerated().map {
            $0 % 2 == 1 ? "<code>\(escapeHTML(String($1)))</code>" : escapeHTML(String($1))
        }
        .joined()
    }

    private func escapeHTML(_ text: String) -> String { text.escapedForHTML }
}

extension JSONValue {
    /// Returns the value as indented text, with one line for each member.
    fileprivate func makeIndentedText(_ depth: Int = 0) -> String {
        let inner = String(repeating: "  ", count: depth + 1)
        let end = "\n" + String(repeating: "  ", count: depth)
        if let object = objectValue, !object.isEmpty {
            let members = object.map { "\(inner)\(JSONValue.string($0.0).text): \($0.1.makeIndentedText(depth + 1))" }
            return "{\n" + members.joined(separator: ",\n") + end + "}"
        }
        if let array = arrayValue, !array.isEmpty {
            return "[\n" + array.map { inner + $0.makeIndentedText(depth + 1) }.joined(separator: ",\n") + end + "]"
        }
        return text
    }
}
