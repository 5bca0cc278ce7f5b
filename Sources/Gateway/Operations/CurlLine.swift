internal import JSON

/// A command line of curl that calls an operation. The guide and the reference page explain the variables in the line.
struct CurlLine {
    let text: String

    /// Makes the line for one operation.
    /// - Parameters:
    ///   - isOpen: whether the operation needs no key.
    ///   - examples: returns the examples of the content of a request body.
    init(
        _ method: String,
        _ path: String,
        _ parameters: [JSONValue],
        _ body: JSONValue?,
        isOpen: Bool,
        _ examples: (JSONValue) -> [JSONValue]
    ) {
        var (path, query) = (path, [String]())
        for parameter in parameters where parameter["required"]?.boolValue == true {
            let name = parameter["name"]?.stringValue ?? ""
            let value = Self.chooseExampleValue(name, parameter["schema"])
            if parameter["in"] == "path" { path = path.replacing("{\(name)}", with: value) }
            if parameter["in"] == "query" { query.append("\(name)=\(value)") }
        }
        // The value of the variable `G` ends with `/v1`, the prefix of the interface.
        let address = path.hasPrefix("/v1/") ? "$G" + path.dropFirst(3) : "${G%/v1}" + path
        let target = address + (query.isEmpty ? "" : "?" + query.joined(separator: "&"))
        let (given, implied) = Self.makeBodyOptions(body, examples)
        var words = ["curl -sS"]
        if !isOpen { words.append("-H \"$A\"") }
        if method != implied { words.append("-X \(method.uppercased())") }
        text = (words + ["\"\(target)\""] + given).joined(separator: " ")
    }

    /// Returns an example for a parameter: the first value of an enumeration, 1 for an integer, otherwise the name in
    /// capitals, which the reader replaces.
    private static func chooseExampleValue(_ name: String, _ schema: JSONValue?) -> String {
        if schema?["type"] == "array" { return chooseExampleValue(name, schema?["items"]) }
        if let items = schema?["items"] { return chooseExampleValue(name, items) }
        if let first = schema?["enum"]?[0]?.stringValue { return first }
        return schema?["type"] == "integer" ? "1" : name.uppercased()
    }

    /// Returns the options of curl for the body of a request, and the method that curl uses by default with these
    /// options.
    private static func makeBodyOptions(
        _ body: JSONValue?,
        _ examples: (JSONValue) -> [JSONValue]
    ) -> (options: [String], method: String) {
        guard let content = body?["content"] else { return ([], "get") }
        if let json = content["application/json"] {
            let example = examples(json).first?.text ?? "{}"
            return (["-d '\(example.replacing("'", with: "'\\''"))'"], "post")
        }
        if content["multipart/form-data"] != nil { return (["-F file=@FILE"], "post") }
        return (["-T FILE"], "put")
    }
}
