internal import ChatAPI
internal import ChatCore

extension ChatCommand {
    /// Whether the command only returns data of the databases: it changes nothing, and waits for no relay. Such answers
    /// may be large.
    var onlyReads: Bool {
        switch name {
        case .contactQueueInfo, .groupMemberQueueInfo: false
        default: Scopes.required(for: self) == .read
        }
    }
}
