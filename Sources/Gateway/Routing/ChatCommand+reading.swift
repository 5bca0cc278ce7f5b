internal import ChatAPI
internal import ChatCore

extension ChatCommand {
    /// Whether the command only returns data of the databases. Such a command changes nothing, waits for no relay, and
    /// may have a large answer.
    var onlyReads: Bool { Scopes.required(for: self) == .read && !name.asksRelay }
}

extension CommandName {
    /// Whether the command reads data from a relay, and so waits for the relay.
    var asksRelay: Bool {
        switch self {
        case .contactQueueInfo, .groupMemberQueueInfo, .getUpdatedGroupLinkData: true
        default: false
        }
    }
}
