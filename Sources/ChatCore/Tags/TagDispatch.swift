internal import ChatAPI
internal import ChatStore

extension RunningCommand {
    func run(_ command: TagCommand, as userId: Int64?) async throws -> ChatResponse {
        switch command {
        case .getChatTags(let named): return try await getChatTags(user: findUser(userId, named: named))
        case .createChatTag(let data): return try await createChatTag(data, user: findUser(userId))
        case .setChatTags(let chat, let tagIds):
            if chat.chatType == .local || chat.chatType == .contactConnection || chat.chatScope != nil {
                throw ChatFailure.commandError("not supported")
            }
            return try await setChatTags(tagIds, of: ChatKey(whole: chat), user: findUser(userId))
        case .deleteChatTag(let tagId): return try await deleteChatTag(tagId, user: findUser(userId))
        case .updateChatTag(let tagId, let data): return try await updateChatTag(tagId, data, user: findUser(userId))
        case .reorderChatTags(let tagIds): return try await reorderChatTags(tagIds, user: findUser(userId))
        }
    }
}
