public import ChatAPI

/// The effect of one transaction, for followers that keep the state in memory: its events, and the response to its
/// command. Changes are published in the order of the commits, each once. A follower that applies all of them has the
/// state of the store.
public struct ChatChange: Sendable {
    /// The events, as they are in the journal.
    public var events: [ChatEvent]
    /// The position in the journal after this change; nil when it has no events.
    public var cursor: EventCursor?
    public var command: ChatCommand?
    public var response: ChatResponse?
    /// The id of the read with this answer; nil for changes.
    public var origin: UInt64?
    /// Users with deleted chat content that followers may still hold.
    public var deletedOf: Set<Int64> = []
    /// The running calls, if this is a read of them; nil for all other changes.
    public var calls: [ActiveCall]?
}

extension ChatController {
    /// Registers a handler for every change from now on.
    ///
    /// The handler runs on the database's thread, before the next transaction: it must be quick, and must not wait.
    public func onChange(_ handler: @escaping @Sendable (ChatChange) -> Void) {
        store.changes.add(handler)
    }

    /// Runs a reading command in order with the changes: its response is published as a change with `origin`, after all
    /// changes that it includes and before all others.
    public func read(
        _ command: ChatCommand,
        as userId: Int64?,
        with rights: CommandRights,
        origin: UInt64
    ) async -> APIResult<ChatResponse> {
        let context = CommandContext(command, origin: origin)
        let result = await send(command, as: userId, with: rights, in: context)
        if case .result(let response) = result, !context.isPublished { try? await store.publish(response, of: context) }
        return result
    }

    /// Runs a command, and publishes its changes with the command.
    func following(
        _ command: CommandContext,
        _ body: @Sendable () async throws -> ChatResponse
    ) async throws -> ChatResponse {
        guard store.changes.hasFollowers, !command.isInOrder else { return try await body() }
        let response = try await body()
        if command.isToBePublished(response) { try? await store.publish(response, of: command) }
        return response
    }
}
