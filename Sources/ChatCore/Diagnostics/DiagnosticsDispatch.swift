internal import ChatAPI

extension RunningCommand {
    func run(_ command: DiagnosticsCommand, as userId: Int64?) async throws -> ChatResponse {
        switch command {
        case .showVersion: showVersion()
        case .getAgentSubsTotal(let named): try await subscriptionsTotal(user: user(userId, named: named))
        case .getAgentServersSummary(let named): try await serversSummary(user: user(userId, named: named))
        case .resetAgentServersStats: try await resetServersStats()
        case .contactQueueInfo(let contactId): try await queueInfo(contactId, user: user(userId))
        case .groupMemberQueueInfo(let groupId, let memberId):
            try await memberQueueInfo(groupId, memberId, user: user(userId))
        case .getNetworkStatuses: try await networkStatuses()
        case .resubscribeAllConnections: try await resubscribeAll()
        case .showConnectionsDiff(let showsIds): try await connectionsDiff(showsIds: showsIds)
        // The original reserves this command for bots that embed its core.
        case .customChatCommand: throw ChatFailure.command("not supported")
        default: throw ChatFailure.notImplemented(command.name.rawValue)
        }
    }
}
