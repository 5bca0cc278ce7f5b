internal import ChatAPI
internal import ChatCore

extension ChatCommand {
    /// Whether the command only returns data of the databases. Such a command changes nothing, waits for no relay, and
    /// may have a large answer.
    var isReadOnly: Bool { Scopes.requiredScopes(for: self) == .read && name.facts.effect == .read }
}
