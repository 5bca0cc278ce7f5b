internal import ChatAPI

extension ChatController {
    func run(_ command: SettingsCommand, as userId: Int64?) async throws -> ChatResponse {
        switch command {
        case .setNetworkConfig(let config): try await setNetworkConfig(config)
        case .getNetworkConfig: try await getNetworkConfig()
        case .setNetworkInfo(let info): try setNetworkInfo(info)
        case .reconnectAllServers: try await reconnectAllServers()
        case .reconnectServer(let named, let server): try await reconnectServer(server, user: user(userId, named: named))
        default: throw ChatFailure.notImplemented(name(of: command))
        }
    }
}
