internal import ChatAPI

extension RunningCommand {
    func run(_ command: ServerCommand, as userId: Int64?) async throws -> ChatResponse {
        switch command {
        case .getServerOperators: try await getServerOperators()
        case .setServerOperators(let operators): try await setServerOperators(operators)
        case .getUserServers(let named): try await getUserServers(user: findUser(userId, named: named))
        case .setUserServers(let named, let lists):
            try await setUserServers(lists, user: findUser(userId, named: named))
        case .validateServers(let named, let lists):
            try await validateServers(lists, user: findUser(userId, named: named))
        case .getUsageConditions: try await getUsageConditions()
        case .acceptConditions(let id, let operators): try await acceptConditions(id, operators: operators)
        case .setConditionsNotified(let id): try await setConditionsNotified(id)
        case .testProtoServer(let named, let server): try await testServer(server, user: findUser(userId, named: named))
        case .testChatRelay(let named, let address):
            try await testChatRelay(address, user: findUser(userId, named: named))
        }
    }
}
