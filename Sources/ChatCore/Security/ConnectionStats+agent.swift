internal import Agent
internal import ChatAPI

extension ConnectionStats {
    init(_ servers: ConnectionServers) {
        self.init(
            connAgentVersion: servers.agentVersion,
            rcvQueuesInfo: servers.rcvQueues.map { queue in
                RcvQueueInfo(
                    rcvServer: queue.server, rcvSwitchStatus: queue.switchStatus.map { RcvSwitchStatus(rawValue: $0.rawValue) },
                    canAbortSwitch: queue.switchStatus?.canAbort ?? false)
            },
            sndQueuesInfo: servers.sndQueues.map { queue in
                SndQueueInfo(sndServer: queue.server, sndSwitchStatus: queue.switchStatus.map { SndSwitchStatus(rawValue: $0.rawValue) })
            },
            ratchetSyncState: RatchetSyncState(rawValue: servers.ratchetSync.rawValue), ratchetSyncSupported: servers.supportsRatchetSync)
    }
}
