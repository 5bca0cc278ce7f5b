internal import ChatAPI
internal import ChatStore

extension RunningCommand {
    /// Finds the user for whom a command runs.
    /// - Parameter named: the user that the command names.
    func findUser(_ userId: Int64?, named: Int64? = nil) async throws -> UserRecord {
        try await store.read { db in
            let user = try Self.findUserOrActive(userId, db)
            if let named, named != user.userId {
                throw ChatFailure(ChatErrorType.differentActiveUser(commandUserId: named, activeUserId: user.userId))
            }
            return user
        }
    }

    /// Finds a user.
    /// - Parameter userId: the id of the user; nil for the active user.
    static func findUserOrActive(_ userId: Int64?, _ db: StoreConnection) throws -> UserRecord {
        if let userId { return try ViewPassword.authorize(UserRecord.find(userId, in: db), nil) }
        return try UserRecord.getActive(in: db)
    }

    /// Returns the id of the contact of a chat reference. Throws an error for another type of chat, for which the
    /// command does not exist.
    static func requireContactId(_ chat: ChatRef) throws -> Int64 {
        guard chat.chatType == .direct else { throw ChatFailure.commandError("not supported") }
        return chat.chatId
    }
}
