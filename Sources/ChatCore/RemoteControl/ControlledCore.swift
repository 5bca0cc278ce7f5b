internal import ChatAPI
internal import ChatStore

/// The core that runs the commands of a controller, which is a desktop. ``ChatController`` conforms to this protocol.
protocol ControlledCore: AnyObject, Sendable {
    var chatFiles: ChatFiles { get }

    func send(
        _ command: ChatCommand,
        as userId: Int64?,
        with rights: CommandRights,
        in context: CommandContext?
    ) async -> APIResult<ChatResponse>
}
