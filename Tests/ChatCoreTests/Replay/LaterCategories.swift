import JSON

/// Parts of a recording that belong to categories that are not built: the help pages of the terminal.
/// The comparison leaves them out, and also the queries by which a recorder read the original's own tables.
struct LaterCategories {
    /// The messages that came of commands that were left out, by the id that both sides have of them.
    private var messages: Set<String> = []
    /// Items of commands that were left out, in the client's own database.
    private var items: Set<String> = []

    /// Why a command need not be served: the category that it, or what it refers to, belongs to; nil when it must be.
    func category(of command: String) -> String? {
        if Self.helpPages.contains(String(command.prefix { $0 != " " })) { return "help" }
        return Self.categories.first { category in
            category.prefixes.contains { command.hasPrefix($0) } || category.parts.contains { command.contains($0) }
        }?.name
    }

    /// Whether the command is not to be run: the tables that it names are not ours.
    func leavesOut(_ command: String) -> Bool { category(of: command) == "recorder" }

    /// Help pages of the terminal.
    private static let helpPages: Set = [
        "/help", "/hi", "/hs", "/hd", "/hr", "/hf", "/hc", "/ha", "/hm", "/m", "/markdown",
    ]

    private typealias Category = (name: String, prefixes: [String], parts: [String])

    private static let categories: [Category] = [
        ("recorder", ["/sql "], [])
    ]

    /// Nothing of what the command made will be there.
    mutating func leaveOut(answer: JSONValue, of client: String) {
        for element in answer["chatItems"]?.arrayValue ?? [] {
            guard let meta = element["chatItem"]?["meta"] else { continue }
            if let id = meta["itemSharedMsgId"]?.stringValue { messages.insert(id) }
            if let id = meta["itemId"] { items.insert("\(client) \(id.text)") }
        }
    }

    /// The event without elements of a category that is not built; nil if nothing remains.
    func left(of event: JSONValue, for client: String) -> JSONValue? {
        guard let type = event["type"]?.stringValue, !isLater(type), !has(event, for: client) else { return nil }
        guard var object = event.objectValue else { return event }
        for list in ["chatItems", "chatItemDeletions"] {
            guard let elements = event[list]?.arrayValue, !elements.isEmpty else { continue }
            let left = elements.filter { !has($0, for: client) }
            if left.isEmpty { return nil }
            object[list] = .array(left)
        }
        return .object(object)
    }

    /// Whether the element of a list, or what an event tells, is of a later category.
    func has(_ value: JSONValue, for client: String) -> Bool {
        for part in [value["chatItem"], value["deletedChatItem"], value["reaction"]?["chatReaction"]] where part != nil
        {
            if let part, has(part, for: client) { return true }
        }
        guard value["content"] != nil, let meta = value["meta"] else { return false }
        return meta["itemSharedMsgId"]?.stringValue.map(messages.contains) ?? false
            || meta["itemId"].map { items.contains("\(client) \($0.text)") } ?? false
    }

    private func isLater(_ type: String) -> Bool { EventSignature.isProgress(type) }
}
