internal import ChatAPI

extension RunningCommand {
    func run(_ command: RemoteControlCommand) async throws -> ChatResponse {
        switch command {
        case .setLocalDeviceName(let name):
            guard name.utf8.count <= 1000 else { throw ChatFailure.commandError("the name is too long") }
            return try await store.writeAndAnswer { tx in
                try LocalDeviceName.setName(name, tx)
                return .cmdOk(user_: nil)
            }
        case .connectRemoteCtrl(let link):
            recordExternalChange()
            return try await services.remoteDesktop.connectByLink(link: link)
        case .findKnownRemoteCtrl:
            recordExternalChange()
            return try await services.remoteDesktop.startSearch()
        case .confirmRemoteCtrl(let id):
            recordExternalChange()
            return try await services.remoteDesktop.confirmController(id)
        case .verifyRemoteCtrlSession(let code):
            recordExternalChange()
            return try await services.remoteDesktop.verifyCode(code: code)
        case .listRemoteCtrls: return try await services.remoteDesktop.listControllers()
        case .stopRemoteCtrl:
            recordExternalChange()
            await services.remoteDesktop.stopSession()
            return .cmdOk(user_: nil)
        case .deleteRemoteCtrl(let id):
            try await services.remoteDesktop.requireNoSession()
            return try await store.writeAndAnswer { tx in
                try RemoteCtrlRecord.delete(id, tx)
                return .cmdOk(user_: nil)
            }
        case .listRemoteHosts: return try await services.remoteHosts.listHosts()
        case .startRemoteHost(let id, let multicast, let address, let port):
            return try await services.remoteHosts.startSession(id, multicast: multicast, address: address, port: port)
        case .switchRemoteHost(let id): return try await services.remoteHosts.selectHost(id)
        case .stopRemoteHost(let id):
            await services.remoteHosts.stopSession(id)
            return .cmdOk(user_: nil)
        case .deleteRemoteHost(let id):
            return try await services.remoteHosts.deleteHost(id) { [store] in
                try await store.writeAndAnswer { tx in
                    try tx.db.execute("DELETE FROM remote_hosts WHERE remote_host_id = ?", [id])
                    return .cmdOk(user_: nil)
                }
            }
        case .storeRemoteFile(let id, let encrypted, let path):
            let client = try await services.remoteHosts.requireHost(id).client
            let use = try await services.fileObjects.fetchAndHold(path)
            defer { withExtendedLifetime(use) {} }
            let file = try await client.sendFile(path, encrypted: encrypted)
            return .remoteFileStored(remoteHostId: id, remoteFileSource: file)
        case .getRemoteFile(let id, let file):
            try await services.remoteHosts.requireHost(id).client.fetchIfMissing(file)
            return .cmdOk(user_: nil)
        }
    }
}
