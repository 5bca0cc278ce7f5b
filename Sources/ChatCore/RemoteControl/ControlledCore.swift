internal import ChatAPI
internal import ChatStore

/// A core that a controller uses. ``ChatController`` has these functions.
protocol ControlledCore: AnyObject, Sendable {
    var chatFiles: ChatFiles { get }

    func send(
        _ command: ChatCommand,
        as userId: Int64?,
        with rights: CommandRights,
        claim: RequestClaim?
    ) async -> APIResult<ChatResponse>
}
