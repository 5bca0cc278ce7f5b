public import ChatAPI

/// What one transaction has changed, for those who follow the state in memory: the events that it told, and the answer to the command that
/// it was for. Changes are told in the order of the commits, each once: whoever applies them all has the state of the store.
public struct ChatChange: Sendable {
    /// As they stand in the journal.
    public var events: [ChatEvent]
    /// The place in the journal after this change; nil when it told no event.
    public var cursor: EventCursor?
    public var command: ChatCommand?
    public var response: ChatResponse?
    /// The read whose answer this is; nil for changes.
    public var origin: UInt64?
    /// The users of whose chats something was deleted that those who follow may still hold.
    public var deletedOf: Set<Int64> = []
}

extension ChatController {
    /// Registers what is told of every change from now on.
    ///
    /// The handler runs on the database's thread, before the next transaction: it must be quick, and must not wait.
    public func onChange(_ handler: @escaping @Sendable (ChatChange) -> Void) {
        store.changes.add(handler)
    }

    /// Runs a command that reads, at its place among the changes: its answer is told as a change too, with `origin`, after all that it
    /// has seen and before all that it has not.
    public func read(_ command: ChatCommand, as userId: Int64?, with rights: CommandRights, origin: UInt64) async -> APIResult<ChatResponse> {
        let context = CommandContext(command, origin: origin)
        let result = await send(command, as: userId, with: rights, in: context)
        if case .result(let response) = result, !context.isTold { try? await store.tell(response, of: context) }
        return result
    }

    /// Runs a command with its changes told as its own.
    func following(_ command: CommandContext, _ body: @Sendable () async throws -> ChatResponse) async throws -> ChatResponse {
        guard store.changes.hasFollowers, !command.isInOrder else { return try await body() }
        let response = try await body()
        if command.isToBeTold(response) { try? await store.tell(response, of: command) }
        return response
    }
}
