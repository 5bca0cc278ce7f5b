internal import Agent
internal import ChatAPI

extension ConnectionStats {
    init(_ servers: ConnectionServers) {
        self.init(
            connAgentVersion: servers.agentVersion,
            rcvQueuesInfo: servers.rcvServers.map { RcvQueueInfo(rcvServer: $0, canAbortSwitch: false) },
            sndQueuesInfo: servers.sndServers.map { SndQueueInfo(sndServer: $0) },
            ratchetSyncState: RatchetSyncState(rawValue: servers.ratchetSync.rawValue), ratchetSyncSupported: servers.supportsRatchetSync)
    }
}
