internal import ChatAPI

extension ChatController {
    func run(_ command: LifecycleCommand) async throws -> ChatResponse {
        switch command {
        case .startChat: return try await withAgent { _ in try await self.start() } ? .chatStarted : .chatRunning
        case .checkChatRunning: return isRunning ? .chatRunning : .chatStopped
        case .stopChat:
            await stop()
            return .chatStopped
        default: throw ChatFailure.notImplemented(name(of: command))
        }
    }
}
