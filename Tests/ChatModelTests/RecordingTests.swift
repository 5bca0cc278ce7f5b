import ChatAPI
import ChatModel
import JSON
import TestSupport
import Testing

/// What clients of the original were told, given to models of theirs.
@Suite("Recorded conversations")
struct RecordingTests {
    @Test("a model that follows a recording has the chats that the original lists", arguments: [
        "messages-direct", "messages-content", "messages-pagination", "connect-invitation", "contact-prefs-info", "receipts-statuses",
        "chat-settings", "notes-folder", "tags", "offline-reconnect",
    ])
    func follows(_ name: String) throws {
        var followers: [String: Follower] = [:]
        for line in try Fixture.transcript(name) {
            guard let client = line["client"]?.stringValue else { continue }
            try followers[client, default: Follower()].follow(line, in: name)
        }
    }
}

/// The models of one client: those of each of its profiles.
private struct Follower {
    var models: [Int64: ChatModel] = [:]
    var commands: [String: String] = [:]

    mutating func follow(_ line: JSONValue, in name: String) throws {
        let key = line["corrId"]?.stringValue ?? ""
        switch line["dir"]?.stringValue {
        case "cmd": commands[key] = line["cmd"]?.stringValue
        case "event":
            guard let json = line["json"], let event = try? JSONDecoder().decode(ChatEvent.self, from: json) else { return }
            apply(ModelUpdates(event))
        case "resp":
            guard let json = line["json"], json["type"] != "chatCmdError", let text = commands.removeValue(forKey: key),
                let command = try? ChatCommand(parsing: text),
                let response = try? JSONDecoder().decode(ChatResponse.self, from: json)
            else { return }
            try answered(response, to: command, "\(name) \(line["n"]?.integerValue ?? 0) \(text)")
        default: break
        }
    }

    private mutating func answered(_ response: ChatResponse, to command: ChatCommand, _ place: String) throws {
        guard case .apiChats(let user, let chats) = response else { return apply(ModelUpdates(response, to: command)) }
        guard case .messages(.getChats(_, _, nil, nil)) = command else { return }
        if let model = models[user.userId], model.chatsLoaded, model.reloadsNothing {
            for listed in chats.map({ Chat($0) }) {
                guard let chat = model.getChat(listed.id) else { Issue.record("\(listed.id) is missing at \(place)"); continue }
                #expect(chat.chatItems.map(\.id) == listed.chatItems.map(\.id), "preview of \(listed.id) at \(place)")
                #expect(chat.chatStats.unreadCount == listed.chatStats.unreadCount, "unread of \(listed.id) at \(place)")
                #expect(chat.chatStats.unreadChat == listed.chatStats.unreadChat, "mark of \(listed.id) at \(place)")
            }
        }
        apply(ModelUpdates(response, to: command))
    }

    private mutating func apply(_ updates: ModelUpdates) {
        if let userId = updates.userId, models[userId] == nil { models[userId] = ChatModel(userId: userId) }
        for userId in models.keys { models[userId]?.apply(updates) }
    }
}

extension ChatModel {
    fileprivate var reloadsNothing: Bool {
        var copy = self
        return copy.takeReloads().isEmpty
    }
}
