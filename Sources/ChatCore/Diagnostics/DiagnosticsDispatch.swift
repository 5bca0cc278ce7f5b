internal import ChatAPI

extension RunningCommand {
    func run(_ command: DiagnosticsCommand, as userId: Int64?) async throws -> ChatResponse {
        switch command {
        case .showVersion: showVersion()
        case .getAgentSubsTotal(let named): try await showSubscriptionsTotal(user: findUser(userId, named: named))
        case .getAgentServersSummary(let named): try await showServersSummary(user: findUser(userId, named: named))
        case .resetAgentServersStats: try await resetServersStats()
        case .contactQueueInfo(let contactId): try await showQueueInfo(contactId, user: findUser(userId))
        case .groupMemberQueueInfo(let groupId, let memberId):
            try await showMemberQueueInfo(groupId, memberId, user: findUser(userId))
        case .getNetworkStatuses: try await showNetworkStatuses()
        case .slowSQLQueries: showSlowStatements()
        case .debugLocks: showLocks()
        case .getAgentWorkers: showWorkersSummary()
        case .getAgentWorkersDetails: showWorkersDetails()
        case .getAgentSubs: showSubscriptions()
        case .resubscribeAllConnections: try await resubscribeAll()
        case .showConnectionsDiff(let showsIds): try await showConnectionsDiff(showsIds: showsIds)
        // The original reserves this command for bots that embed its core.
        case .customChatCommand: throw ChatFailure.commandError("not supported")
        default: throw ChatFailure.notImplemented(command.name.rawValue)
        }
    }
}
