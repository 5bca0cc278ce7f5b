internal import ChatAPI

extension RunningCommand {
    func run(_ command: LifecycleCommand) async throws -> ChatResponse {
        switch command {
        case .startChat(let isMainApp, _):
            let isMigrating = try await lifecycle.isMigrating
            guard lifecycle.isRunning || !isMigrating else {
                throw ChatFailure.commandError(
                    "the profiles are migrating to another device: finish or cancel the migration"
                )
            }
            return try await services.withAgent { _ in try await self.lifecycle.start(receives: isMainApp) }
                ? .chatStarted : .chatRunning
        case .checkChatRunning: return lifecycle.isRunning ? .chatRunning : .chatStopped
        case .stopChat:
            await lifecycle.stop()
            return .chatStopped
        case .activateChat:
            let response = try await services.withAgent { _ in try await self.lifecycle.activate() }
            recordExternalChange()
            return response
        case .suspendChat(let microseconds): return await lifecycle.suspend(microseconds: Int64(microseconds))
        case .setAppFilePaths(let config):
            try services.folders.setFolder(config.appFilesFolder, as: \.filesFolder)
            try services.folders.setFolder(config.appTempFolder, as: \.temporaryFolder)
            try services.folders.setFolder(config.appAssetsFolder, as: \.assetsFolder)
            if let remoteHosts = config.appRemoteHostsFolder {
                try services.folders.setFolder(remoteHosts, as: \.remoteHostsFolder)
            }
        case .setFilesFolder(let path): try services.folders.setFolder(path, as: \.filesFolder)
        case .setTempFolder(let path): try services.folders.setFolder(path, as: \.temporaryFolder)
        case .setRemoteHostsFolder(let path): try services.folders.setFolder(path, as: \.remoteHostsFolder)
        case .setEncryptLocalFiles(let encrypts): services.folders.setFileEncryption(encrypts)
        case .quitChat: throw ChatFailure.notImplemented(command.name.rawValue)
        }
        return .cmdOk(user_: nil)
    }
}
