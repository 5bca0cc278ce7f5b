internal import ChatAPI

extension RunningCommand {
    func run(_ command: RemoteControlCommand) async throws -> ChatResponse {
        switch command {
        case .setLocalDeviceName(let name):
            guard name.utf8.count <= 1000 else { throw ChatFailure.commandError("the name is too long") }
            return try await store.answer { tx in
                try LocalDevice.setName(name, tx)
                return .cmdOk(user_: nil)
            }
        case .connectRemoteCtrl(let link):
            recordChange()
            return try await services.remoteDesktop.connect(link: link)
        case .findKnownRemoteCtrl:
            recordChange()
            return try await services.remoteDesktop.find()
        case .confirmRemoteCtrl(let id):
            recordChange()
            return try await services.remoteDesktop.confirm(id)
        case .verifyRemoteCtrlSession(let code):
            recordChange()
            return try await services.remoteDesktop.verify(code: code)
        case .listRemoteCtrls: return try await services.remoteDesktop.list()
        case .stopRemoteCtrl:
            recordChange()
            await services.remoteDesktop.stop()
            return .cmdOk(user_: nil)
        case .deleteRemoteCtrl(let id):
            try await services.remoteDesktop.checkIdle()
            return try await store.answer { tx in
                try RemoteCtrlRecord.delete(id, tx)
                return .cmdOk(user_: nil)
            }
        case .listRemoteHosts: return try await services.remoteHosts.list()
        case .startRemoteHost(let id, let multicast, let address, let port):
            return try await services.remoteHosts.start(id, multicast: multicast, address: address, port: port)
        case .switchRemoteHost(let id): return try await services.remoteHosts.select(id)
        case .stopRemoteHost(let id):
            await services.remoteHosts.stop(id)
            return .cmdOk(user_: nil)
        case .deleteRemoteHost(let id):
            return try await services.remoteHosts.delete(id) { [store] in
                try await store.answer { tx in
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
