internal import Agent
internal import ChatAPI
internal import ChatStore
internal import SQLCipher

extension RunningCommand {
    /// `/set client service`: makes a profile a client service, or a usual profile again. Relays know all queues of a
    /// client service by one certificate. The chat must be stopped: the next start subscribes to the queues with the
    /// new setting.
    /// - Parameter name: the name of the profile; nil for any name.
    /// - Throws: `chatNotStopped`; `userUnknown` if the profile has another name or does not exist, or if it is hidden
    ///   and not active.
    func setClientService(_ isService: Bool, userId: Int64, name: String?) async throws -> ChatResponse {
        try await lifecycle.runOutsideMaintenance {
            guard !lifecycle.isStoreChanged else { throw ChatFailure(ChatErrorType.chatStoreChanged) }
            guard !lifecycle.isRunning else { throw ChatFailure(ChatErrorType.chatNotStopped) }
            try await store.read { db in
                let user = try ViewPassword.authorize(UserRecord.find(userId, in: db), nil)
                guard name == nil || name == user.localDisplayName else {
                    throw ChatFailure(ChatErrorType.userUnknown)
                }
            }
            if isService {
                // In the session mode `entity`, the agent creates no service, so the command is refused.
                let config = try await readNetworkConfig()
                guard config.sessionMode != .entity else {
                    throw ChatFailure(
                        ChatError.agentError(AgentError.command(.prohibited, context: "setClientService").apiError)
                    )
                }
            }
            let answer = try await store.writeAndAnswer { tx in
                try tx.db.update(
                    "users",
                    set: ["client_service": isService, "updated_at": tx.now.nanoseconds],
                    where: ["user_id": userId]
                )
                return .cmdOk(user_: try Self.getUser(userId, tx.db).api)
            }
            // If this process ends before the agent has applied the setting, the next start applies it.
            try await services.applyClientServices(in: store)
            return answer
        }
    }
}

extension CoreServices {
    /// Passes to the agent, for each user, whether the user is a client service. The agent must be offline.
    func applyClientServices(in store: some StoreAccess) async throws {
        let stored = try await store.read { db in
            try db.query("SELECT agent_user_id, client_service FROM users").map {
                (try $0.int64("agent_user_id"), try $0.bool("client_service"))
            }
        }
        try await withAgent { try await $0.setServices(Dictionary(stored) { first, _ in first }) }
    }
}
