/// The extent of deleting a chat. `notify`: the peer is notified.
public enum ChatDeleteMode: Hashable, Sendable {
    /// The chat and all that is in it.
    case full(notify: Bool)
    /// The contact or the membership; the conversation stays.
    case entity(notify: Bool)
    /// The conversation; the contact stays.
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
    mutating func chatDeleteMode() throws(CommandParseError) -> ChatDeleteMode {
        if take(" messages") { return .messages }
        let isEntity = take(" entity")
        if !isEntity { _ = take(" full") }
        let notify = try flag("notify") ?? true
        return isEntity ? .entity(notify: notify) : .full(notify: notify)
    }
}
