/// The versions of the core and of its agent library.
package struct CoreVersionInfo: Codable, Hashable, Sendable {
    package var version: String
    package var simplexmqVersion: String
    package var simplexmqCommit: String

    package init(version: String, simplexmqVersion: String, simplexmqCommit: String) {
        self.version = version
        self.simplexmqVersion = simplexmqVersion
        self.simplexmqCommit = simplexmqCommit
    }
}

/// The report of a server about a queue: its keys, subscription and size, and the next message.
package struct QueueInfo: Codable, Hashable, Sendable {
    package var qiSnd: Bool
    package var qiNtf: Bool
    package var qiSub: QSub?
    package var qiSize: Int
    package var qiMsg: MsgInfo?
}

/// A queue from which a connection receives messages.
package struct RcvQueueInfo: Codable, Hashable, Sendable {
    package var rcvServer: String
    package var status: QueueStatus?
    package var rcvSwitchStatus: RcvSwitchStatus?
    package var canAbortSwitch: Bool
    package var subStatus: SubscriptionStatus?

    package init(
        rcvServer: String,
        status: QueueStatus? = nil,
        rcvSwitchStatus: RcvSwitchStatus? = nil,
        canAbortSwitch: Bool,
        subStatus: SubscriptionStatus? = nil
    ) {
        self.rcvServer = rcvServer
        self.status = status
        self.rcvSwitchStatus = rcvSwitchStatus
        self.canAbortSwitch = canAbortSwitch
        self.subStatus = subStatus
    }
}

/// The number of queues on a server that are subscribed, and the number of queues that wait for a subscription.
package struct SMPServerSubs: Codable, Hashable, Sendable {
    package var ssActive: Int
    package var ssPending: Int

    package init(ssActive: Int, ssPending: Int) {
        self.ssActive = ssActive
        self.ssPending = ssPending
    }
}

/// Sessions, subscriptions and statistics of one SMP server.
package struct SMPServerSummary: Codable, Hashable, Sendable {
    package var smpServer: String
    package var known: Bool?
    package var sessions: ServerSessions?
    package var subs: SMPServerSubs?
    package var stats: AgentSMPServerStatsData?

    package init(
        smpServer: String,
        known: Bool? = nil,
        sessions: ServerSessions? = nil,
        subs: SMPServerSubs? = nil,
        stats: AgentSMPServerStatsData? = nil
    ) {
        self.smpServer = smpServer
        self.known = known
        self.sessions = sessions
        self.subs = subs
        self.stats = stats
    }
}

/// Sessions, subscriptions and statistics of the SMP servers. The servers are grouped by whether the user uses them.
package struct SMPServersSummary: Codable, Hashable, Sendable {
    package var smpTotals: SMPTotals
    package var currentlyUsedSMPServers: [SMPServerSummary]
    package var previouslyUsedSMPServers: [SMPServerSummary]
    package var onlyProxiedSMPServers: [SMPServerSummary]

    package init(
        smpTotals: SMPTotals,
        currentlyUsedSMPServers: [SMPServerSummary],
        previouslyUsedSMPServers: [SMPServerSummary],
        onlyProxiedSMPServers: [SMPServerSummary]
    ) {
        self.smpTotals = smpTotals
        self.currentlyUsedSMPServers = currentlyUsedSMPServers
        self.previouslyUsedSMPServers = previouslyUsedSMPServers
        self.onlyProxiedSMPServers = onlyProxiedSMPServers
    }
}

/// The number of slow runs of an SQL statement, and their durations.
package struct SlowQueryStats: Codable, Hashable, Sendable {
    package var count: Int64
    package var timeMax: Int64
    package var timeAvg: Int64
    package var errs: [String: Int]

    package init(count: Int64, timeMax: Int64, timeAvg: Int64, errs: [String: Int]) {
        self.count = count
        self.timeMax = timeMax
        self.timeAvg = timeAvg
        self.errs = errs
    }
}

/// A queue to which a connection sends messages.
package struct SndQueueInfo: Codable, Hashable, Sendable {
    package var sndServer: String
    package var status: QueueStatus?
    package var sndSwitchStatus: SndSwitchStatus?

    package init(sndServer: String, status: QueueStatus? = nil, sndSwitchStatus: SndSwitchStatus? = nil) {
        self.sndServer = sndServer
        self.status = status
        self.sndSwitchStatus = sndSwitchStatus
    }
}

/// Progress in renegotiating the encryption (ratchet) of a connection, and the state of the connection's queues.
package struct RatchetSyncProgress: Codable, Hashable, Sendable {
    package var ratchetSyncStatus: RatchetSyncState
    package var connectionStats: ConnectionStats

    package init(ratchetSyncStatus: RatchetSyncState, connectionStats: ConnectionStats) {
        self.ratchetSyncStatus = ratchetSyncStatus
        self.connectionStats = connectionStats
    }
}

/// Progress in moving a connection to another queue, and whether the queue is for receiving or sending.
package struct SwitchProgress: Codable, Hashable, Sendable {
    package var queueDirection: QueueDirection
    package var switchPhase: SwitchPhase
    package var connectionStats: ConnectionStats

    package init(queueDirection: QueueDirection, switchPhase: SwitchPhase, connectionStats: ConnectionStats) {
        self.queueDirection = queueDirection
        self.switchPhase = switchPhase
        self.connectionStats = connectionStats
    }
}
