internal import ChatAPI
internal import ChatStore

extension RunningCommand {
    func run(_ command: SettingsCommand, as userId: Int64?) async throws -> ChatResponse {
        switch command {
        case .setNetworkConfig(let config): return try await setNetworkConfig(config)
        case .getNetworkConfig: return try await getNetworkConfig()
        case .setNetworkInfo(let info): return try setNetworkInfo(info)
        case .reconnectAllServers: return try await reconnectAllServers()
        case .reconnectServer(let named, let server):
            return try await reconnectServer(server, user: findUser(userId, named: named))
        case .saveSettings(let settings): return try await saveAppSettings(settings)
        case .getSettings(let defaults): return try await getAppSettings(defaults: defaults)
        case .setChatSettings(let chat, let settings):
            if chat.chatType == .local || chat.chatType == .contactConnection {
                throw ChatFailure.commandError("not supported")
            }
            return try await setChatSettings(settings, of: ChatKey(whole: chat), user: findUser(userId))
        case .setChatItemTTL(let named, let seconds):
            return try await setItemTTL(ItemTTL(seconds), user: findUser(userId, named: named))
        case .getChatItemTTL(let named): return try await getItemTTL(user: findUser(userId, named: named))
        case .setChatTTL(let named, let chat, let seconds):
            let user = try await findUser(userId, named: named)
            let ttl = try seconds.map(ItemTTL.init)
            if chat.chatType == .local { return try await setNotesTTL(chat.chatId, ttl, user: user) }
            return try await setChatTTL(ttl, of: ChatKey(whole: chat), user: user)
        case .setClientService(let named, let name, let enable):
            return try await setClientService(enable, userId: named, name: name)
        }
    }
}
