internal import ChatAPI
internal import ChatStore

extension RunningCommand {
    /// Returns a pending connection in the form of a chat of the chat list.
    func getPendingConnectionChat(_ connectionId: Int64, user: UserRecord) async throws -> ChatResponse {
        try await store.read { db in try Self.getPendingConnectionChat(connectionId, user: user, db) }
    }

    static func getPendingConnectionChat(
        _ connectionId: Int64,
        user: UserRecord,
        _ db: StoreConnection
    ) throws -> ChatResponse {
        let connection = try ConnectionRecord.getPending(connectionId, user: user, in: db)
        let chat = AChat(
            chatInfo: .contactConnection(contactConnection: connection.apiPendingConnection),
            chatItems: [],
            chatStats: .empty
        )
        return .apiChat(user: user.api, chat: chat, navInfo: nil)
    }
}
