internal import ChatAPI
internal import ChatCore

extension ChatCommand {
    /// Whether the command only returns data of the databases: it changes nothing, and waits for no relay. Such answers
    /// may be large.
    var onlyReads: Bool { Scopes.required(for: self) == .read && !name.asksRelay }
}

extension CommandName {
    /// Whether the command reads, and waits for a relay.
    var asksRelay: Bool {
        switch self {
        case .contactQueueInfo, .groupMemberQueueInfo, .getUpdatedGroupLinkData: true
        default: false
        }
    }
}
