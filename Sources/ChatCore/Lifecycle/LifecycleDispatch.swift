internal import ChatAPI

extension RunningCommand {
    func run(_ command: LifecycleCommand) async throws -> ChatResponse {
        switch command {
        case .startChat(let isMainApp, _):
            return try await withAgent { _ in try await self.start(receives: isMainApp) } ? .chatStarted : .chatRunning
        case .checkChatRunning: return isRunning ? .chatRunning : .chatStopped
        case .stopChat:
            await stop()
            return .chatStopped
        case .activateChat: return try await withAgent { _ in try await self.activate() }
        case .suspendChat(let microseconds): return await suspend(microseconds: Int64(microseconds))
        case .setAppFilePaths(let config):
            try folders.use(config.appFilesFolder, as: \.files)
            try folders.use(config.appTempFolder, as: \.temporary)
            try folders.use(config.appAssetsFolder, as: \.assets)
            if let remoteHosts = config.appRemoteHostsFolder { try folders.use(remoteHosts, as: \.remoteHosts) }
        case .setFilesFolder(let path): try folders.use(path, as: \.files)
        case .setTempFolder(let path): try folders.use(path, as: \.temporary)
        case .setRemoteHostsFolder(let path): try folders.use(path, as: \.remoteHosts)
        case .setEncryptLocalFiles(let encrypts): folders.encryptFiles(encrypts)
        case .quitChat: throw ChatFailure.notImplemented(command.name.rawValue)
        }
        return .cmdOk(user_: nil)
    }
}
