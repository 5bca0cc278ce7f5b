internal import ChatAPI

extension RunningCommand {
    func run(_ command: RemoteControlCommand) async throws -> ChatResponse {
        switch command {
        case .setLocalDeviceName(let name):
            guard name.utf8.count <= 1000 else { throw ChatFailure.command("the name is too long") }
            return try await store.answer { tx in
                try RemoteControlSchema.setDeviceName(name, tx)
                return .cmdOk(user_: nil)
            }
        case .connectRemoteCtrl(let link):
            noteChange()
            return try await remoteControl.connect(link: link)
        case .findKnownRemoteCtrl:
            noteChange()
            return try await remoteControl.find()
        case .confirmRemoteCtrl(let id):
            noteChange()
            return try await remoteControl.confirm(id)
        case .verifyRemoteCtrlSession(let code):
            noteChange()
            return try await remoteControl.verify(code: code)
        case .listRemoteCtrls: return try await remoteControl.list()
        case .stopRemoteCtrl:
            noteChange()
            await remoteControl.stop()
            return .cmdOk(user_: nil)
        case .deleteRemoteCtrl(let id):
            try await remoteControl.checkIdle()
            return try await store.answer { tx in
                try RemoteCtrlRecord.delete(id, tx)
                return .cmdOk(user_: nil)
            }
        case .listRemoteHosts, .startRemoteHost, .switchRemoteHost, .stopRemoteHost, .deleteRemoteHost, .storeRemoteFile, .getRemoteFile:
            throw ChatFailure.notImplemented(command.name.rawValue)
        }
    }
}
