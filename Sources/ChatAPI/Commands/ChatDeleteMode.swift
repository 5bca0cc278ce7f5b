/// The extent to which a chat is deleted. `notify` determines whether the peer is notified.
package enum ChatDeleteMode: Hashable, Sendable {
    /// Deletes the chat with all its contents.
    case full(notify: Bool)
    /// Deletes the contact or the membership, and keeps the messages.
    case entity(notify: Bool)
    /// Deletes the messages, and keeps the contact.
    case messages
}

extension ChatDeleteMode: CommandArgument {
    var commandText: String {
        switch self {
        case .full(let notify): "full notify=\(notify ? "on" : "off")"
        case .entity(let notify): "entity notify=\(notify ? "on" : "off")"
        case .messages: "messages"
        }
    }
}

extension CommandScanner {
    mutating func scanChatDeleteMode() throws(CommandParseError) -> ChatDeleteMode {
        if skipPrefix(" messages") { return .messages }
        let isEntity = skipPrefix(" entity")
        if !isEntity { _ = skipPrefix(" full") }
        let notify = try scanFlag("notify") ?? true
        return isEntity ? .entity(notify: notify) : .full(notify: notify)
    }
}
