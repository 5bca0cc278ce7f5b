import JSON

/// What of a recording belongs to rooms that are not built: groups with members, files, calls, push notifications and remote control, and the help
/// pages of the terminal. It is left out of the comparison. Commands of groups are not run: they would be answered for a group without members.
struct LaterRooms {
    /// The messages that came of commands that were left out, by the id that both sides have of them.
    private var messages: Set<String> = []
    /// What came of them in the client's own database.
    private var items: Set<String> = []

    /// Whether the members of groups are there, and so what happens in groups.
    let hasGroups: Bool

    init(of recording: Recording) { hasGroups = recording.hasGroups }

    /// Why a command need not be served: the room that it, or what it refers to, belongs to; nil when it must be.
    func room(of command: String) -> String? {
        if Self.helpPages.contains(String(command.prefix { $0 != " " })) { return "help" }
        return (hasGroups ? Self.rooms : Self.groups + Self.rooms).first { room in
            room.prefixes.contains { command.hasPrefix($0) } || room.parts.contains { command.contains($0) }
        }?.name
    }

    /// Whether the command is not to be run: it would be answered for a group without members, or for what is not in it.
    func leavesOut(_ command: String) -> Bool { room(of: command).map { ["groups", "support"].contains($0) } ?? false }

    /// What the terminal explains itself with.
    private static let helpPages: Set = ["/help", "/hi", "/hs", "/hd", "/hr", "/hf", "/hc", "/ha", "/hm", "/m", "/markdown"]

    private typealias Room = (name: String, prefixes: [String], parts: [String])

    private static let groups: [Room] = [
        (
            "groups",
            [
                "#", "/g ", "/gs", "/ms ", "/add ", "/group", "/_group", "/_relay", "/create link ", "/show link ", "/set link ", "/delete link ",
                "/set history ", "/set admission ", "/set welcome ",
                "/_create member contact ", "/_invite member contact ", "/_accept member contact ",
            ], ["/i #", " #1", " #2", " #3", " #99", "#club", "#quiet"]
        )
    ]

    private static let rooms: [Room] = [
        // Nobody waits to be let in, and there are no conversations with moderators.
        ("support", ["/_accept member #", "/_report "], ["(_support"]),
        ("files", ["/f ", "/fcancel ", "/freceive ", "/fstatus ", "/_set_file_to_receive "], [#""fileSource":"#]),
        ("calls", ["/_call "], []),
        ("notifications", ["/_ntf "], []),
    ]

    /// By client and type: events that will tell of what a command has deleted that was never there.
    private var deletions: [String: Int] = [:]

    /// Nothing of what the command made will be there.
    mutating func leaveOut(_ command: String, answer: JSONValue, of client: String) {
        if command.hasPrefix("/delete link ") {
            for type in ["agentRcvQueuesDeleted", "agentConnsDeleted"] { deletions["\(client) \(type)", default: 0] += 1 }
        }
        for element in answer["chatItems"]?.arrayValue ?? [] {
            guard let meta = element["chatItem"]?["meta"] else { continue }
            if let id = meta["itemSharedMsgId"]?.stringValue { messages.insert(id) }
            if let id = meta["itemId"] { items.insert("\(client) \(id.text)") }
        }
    }

    /// What is left of the event without what belongs to a later room; nil for nothing.
    mutating func left(of event: JSONValue, for client: String) -> JSONValue? {
        if let type = event["type"]?.stringValue, let count = deletions["\(client) \(type)"], count > 0 {
            deletions["\(client) \(type)"] = count - 1
            return nil
        }
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

    /// Whether the element of a list, or what an event tells, is of a later room.
    func has(_ value: JSONValue, for client: String) -> Bool {
        if !hasGroups, value["groupInfo"] != nil || value["chatInfo"]?["type"] == "group" { return true }
        if value["chatInfo"]?["type"] == "contactRequest", value["chatInfo"]?["contactRequest"]?["groupId"] != nil { return true }
        for part in [value["chatItem"], value["deletedChatItem"], value["reaction"]?["chatReaction"]] where part != nil {
            if let part, has(part, for: client) { return true }
        }
        guard let content = value["content"]?["type"]?.stringValue, let meta = value["meta"] else { return false }
        return value["file"] != nil || Self.calls.contains(content) || !hasGroups && Self.invitations.contains(content)
            || meta["itemSharedMsgId"]?.stringValue.map(messages.contains) ?? false
            || meta["itemId"].map { items.contains("\(client) \($0.text)") } ?? false
    }

    private static let invitations: Set = ["sndGroupInvitation", "rcvGroupInvitation"]
    private static let calls: Set = ["sndCall", "rcvCall"]

    private func isLater(_ type: String) -> Bool {
        ["rcvFile", "sndFile", "call"].contains { type.hasPrefix($0) } || !hasGroups && (type.contains("Group") || type.contains("Member"))
    }
}
