package import ChatAPI
package import ChatStore

extension ChatController {
    /// Registers a handler for all later changes.
    ///
    /// The handler runs on the thread of the database before the next transaction, so it must be quick, and must not
    /// wait.
    package func onChange(_ handler: @escaping @Sendable (ChatChange) -> Void) {
        store.changeFeed.addHandler(handler)
    }

    /// Runs a command that only reads, and publishes its response as a change. The response is published after all
    /// changes that it includes, and before all later changes.
    /// - Parameter origin: identifies the read in the published change.
    package func runOrderedRead(
        _ command: ChatCommand,
        as userId: Int64?,
        with rights: CommandRights,
        origin: UInt64
    ) async -> APIResult<ChatResponse> {
        let context = CommandContext(command, origin: origin)
        let result = await send(command, as: userId, with: rights, in: context)
        if case .result(let response) = result, !context.isPublished {
            try? await store.publishResponse(response, of: context)
        }
        return result
    }

    /// Runs a command, and publishes the response if no transaction has published it.
    func runAndPublishResponse(
        _ command: CommandContext,
        _ body: @Sendable () async throws -> ChatResponse
    ) async throws -> ChatResponse {
        guard store.changeFeed.hasFollowers, !command.isOrderedRead else { return try await body() }
        let response = try await body()
        if command.needsPublishing(response) { try? await store.publishResponse(response, of: command) }
        return response
    }
}
