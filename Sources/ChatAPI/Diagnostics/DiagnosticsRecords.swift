/// The versions of the core and of its agent library.
public struct CoreVersionInfo: Codable, Hashable, Sendable {
    public var version: String
    public var simplexmqVersion: String
    public var simplexmqCommit: String

    public init(version: String, simplexmqVersion: String, simplexmqCommit: String) {
        self.version = version
        self.simplexmqVersion = simplexmqVersion
        self.simplexmqCommit = simplexmqCommit
    }
}

/// The report of a server about a queue: keys, subscription, size, and the next message.
public struct QueueInfo: Codable, Hashable, Sendable {
    public var qiSnd: Bool
    public var qiNtf: Bool
    public var qiSub: QSub?
    public var qiSize: Int
    public var qiMsg: MsgInfo?
}

/// A queue from which a connection receives messages.
public struct RcvQueueInfo: Codable, Hashable, Sendable {
    public var rcvServer: String
    public var status: QueueStatus?
    public var rcvSwitchStatus: RcvSwitchStatus?
    public var canAbortSwitch: Bool
    public var subStatus: SubscriptionStatus?

    public init(
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

/// Numbers of queues on a server: subscribed queues, and queues that wait for a subscription.
public struct SMPServerSubs: Codable, Hashable, Sendable {
    public var ssActive: Int
    public var ssPending: Int

    public init(ssActive: Int, ssPending: Int) {
        self.ssActive = ssActive
        self.ssPending = ssPending
    }
}

/// Sessions, subscriptions and statistics of one SMP server.
public struct SMPServerSummary: Codable, Hashable, Sendable {
    public var smpServer: String
    public var known: Bool?
    public var sessions: ServerSessions?
    public var subs: SMPServerSubs?
    public var stats: AgentSMPServerStatsData?

    public init(
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

/// Sessions, subscriptions and statistics of the SMP servers, grouped by whether the user uses the server.
public struct SMPServersSummary: Codable, Hashable, Sendable {
    public var smpTotals: SMPTotals
    public var currentlyUsedSMPServers: [SMPServerSummary]
    public var previouslyUsedSMPServers: [SMPServerSummary]
    public var onlyProxiedSMPServers: [SMPServerSummary]

    public init(
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
public struct SlowQueryStats: Codable, Hashable, Sendable {
    public var count: Int64
    public var timeMax: Int64
    public var timeAvg: Int64
    public var errs: [String: Int]
}

/// A queue to which a connection sends messages.
public struct SndQueueInfo: Codable, Hashable, Sendable {
    public var sndServer: String
    public var status: QueueStatus?
    public var sndSwitchStatus: SndSwitchStatus?

    public init(sndServer: String, status: QueueStatus? = nil, sndSwitchStatus: SndSwitchStatus? = nil) {
        self.sndServer = sndServer
        self.status = status
        self.sndSwitchStatus = sndSwitchStatus
    }
}
