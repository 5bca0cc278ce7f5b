internal import ChatAPI
internal import ChatCore

extension ChatCommand {
    /// Whether it answers with what the databases hold, changes nothing, and waits for no relay. Such answers may be large.
    var onlyReads: Bool {
        switch name {
        case .contactQueueInfo, .groupMemberQueueInfo: false
        default: Scopes.required(for: self) == .read
        }
    }
}
