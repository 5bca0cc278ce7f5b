internal import JSON
internal import SimpleXCrypto

/// A message for ntfy whose text is the body of the request. The header fields contain the title and all other values.
struct NtfyText {
    /// The members that this message has in its JSON form.
    let members: JSONObject

    init(_ request: HTTPRequest) throws(ProblemDetails) {
        guard let body = request.body.withBytes({ String(validating: $0, as: UTF8.self) }) else {
            throw ProblemDetails(.malformedBody, "The body must be text in UTF-8. Attachments are not received.")
        }
        for (name, names) in Self.refusedFields {
            guard request.firstValue(of: names) == nil else {
                throw ProblemDetails(parameter: name, "is not supported: the text only goes to the chat, and at once.")
            }
        }
        // A header field has only one line, so clients write a line break as `\n`.
        let short = request.firstValue(of: ["x-message", "message", "m"])?.replacing("\\n", with: "\n")
        var members = JSONObject()
        members["message"] = .string(body.isEmpty ? short ?? "" : body)
        for (name, names) in Self.textFields { members[name] = request.firstValue(of: names).map { .string($0) } }
        if let tags = request.firstValue(of: ["x-tags", "tags", "tag", "ta"]) {
            members["tags"] = .array(tags.split(separator: ",").map { .string($0.trimmingSpaces) })
        }
        members["priority"] = .integer(try Self.parsePriority(request))
        self.members = members
    }

    private static let textFields = [
        ("title", ["x-title", "title", "t"]), ("click", ["x-click", "click"]), ("attach", ["x-attach", "attach", "a"]),
    ]
    private static let refusedFields = [
        ("Delay", ["x-delay", "delay", "x-at", "at", "x-in", "in"]),
        ("Email", ["x-email", "x-e-mail", "email", "e-mail", "mail", "e"]), ("Call", ["x-call", "call"]),
        ("Filename", ["x-filename", "filename", "file", "f"]),
    ]

    private static func parsePriority(_ request: HTTPRequest) throws(ProblemDetails) -> Int64 {
        let names = ["x-priority", "priority", "prio", "p"]
        guard let text = request.firstValue(of: names)?.lowercased() else { return 0 }
        // A value of this form is the HTTP priority of the request (RFC 9218), which browsers and proxies send, and not
        // the priority of the message.
        guard !text.hasPrefix("u="), text != "i" else { return 0 }
        switch text {
        case "1", "min": return 1
        case "2", "low": return 2
        case "3", "default": return 3
        case "4", "high": return 4
        case "5", "max", "urgent": return 5
        default: throw ProblemDetails(parameter: "Priority", "must be from 1 to 5, or min, low, default, high or max.")
        }
    }
}

extension HTTPRequest {
    /// Returns the decoded value of the first header field in `names` that is not empty.
    fileprivate func firstValue(of names: [String]) -> String? {
        for name in names {
            if let text = header(name).map(EncodedWords.decode), !text.isEmpty { return text }
        }
        return nil
    }
}

/// Words in a header field that encode characters other than ASCII, such as `=?UTF-8?B?w7w=?=` (RFC 2047).
enum EncodedWords {
    /// Decodes the words of a field. Words in another character set than UTF-8 stay as they are.
    static func decode(_ field: String) -> String {
        var text = ""
        var rest = field.trimmingSpaces[...]
        while let word = rest.firstMatch(of: /=\?(?i:utf-8)\?([BbQq])\?([^? ]*)\?=/) {
            let between = rest[..<word.range.lowerBound]
            // Spaces between two encoded words are not part of the text.
            if text.isEmpty || !between.allSatisfy({ $0 == " " }) { text += between }
            let bytes = word.1.lowercased() == "b" ? try? Base64.decode(word.2) : decodeQEncoding(word.2)
            text += bytes.flatMap { String(validating: $0, as: UTF8.self) } ?? String(word.0)
            rest = rest[word.range.upperBound...]
        }
        return text + rest
    }

    private static func decodeQEncoding(_ word: Substring) -> [UInt8]? {
        PercentCoding.decode(
            word.replacing("%", with: "=25").replacing("_", with: " ").replacing("=", with: "%").utf8
        )
    }
}
