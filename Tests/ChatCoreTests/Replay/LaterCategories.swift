import JSON

/// Commands of a recording that the replay leaves out: the queries by which the recorder read the original's tables.
struct LaterCategories {
    /// The shared ids of messages that omitted commands have sent.
    private var omittedMessages: Set<String> = []
    /// The item ids of omitted commands, in the client's database.
    private var omittedItems: Set<String> = []

    /// Returns the unsupported category to which a command or its object belongs; nil if the command must be served.
    func category(of command: String) -> String? {
        Self.categories.first { category in
            category.prefixes.contains { command.hasPrefix($0) } || category.parts.contains { command.contains($0) }
        }?.name
    }

    /// Whether the command is left out, because it names tables that this program does not have.
    func isRecorderCommand(_ command: String) -> Bool { category(of: command) == "recorder" }

    private typealias Category = (name: String, prefixes: [String], parts: [String])

    private static let categories: [Category] = [
        ("recorder", ["/sql "], [])
    ]

    /// Records that the results of an omitted command will be missing.
    mutating func recordMissingResults(answer: JSONValue, of client: String) {
        for element in answer["chatItems"]?.arrayValue ?? [] {
            guard let meta = element["chatItem"]?["meta"] else { continue }
            if let id = meta["itemSharedMsgId"]?.stringValue { omittedMessages.insert(id) }
            if let id = meta["itemId"] { omittedItems.insert("\(client) \(id.text)") }
        }
    }

    /// Returns the event without elements of an unsupported category; nil if no element remains.
    func supportedPart(of event: JSONValue, for client: String) -> JSONValue? {
        guard let type = event["type"]?.stringValue, !isUnsupportedType(type), !isUnsupported(event, for: client) else {
            return nil
        }
        guard var object = event.objectValue else { return event }
        for list in ["chatItems", "chatItemDeletions"] {
            guard let elements = event[list]?.arrayValue, !elements.isEmpty else { continue }
            let left = elements.filter { !isUnsupported($0, for: client) }
            if left.isEmpty { return nil }
            object[list] = .array(left)
        }
        return .object(object)
    }

    /// Whether the element of a list, or the content of an event, is of an unsupported category.
    func isUnsupported(_ value: JSONValue, for client: String) -> Bool {
        for part in [value["chatItem"], value["deletedChatItem"], value["reaction"]?["chatReaction"]] where part != nil
        {
            if let part, isUnsupported(part, for: client) { return true }
        }
        guard value["content"] != nil, let meta = value["meta"] else { return false }
        return meta["itemSharedMsgId"]?.stringValue.map(omittedMessages.contains) ?? false
            || meta["itemId"].map { omittedItems.contains("\(client) \($0.text)") } ?? false
    }

    private func isUnsupportedType(_ type: String) -> Bool { EventSignature.isProgress(type) }
}
