/// Sessions, subscriptions and statistics over all SMP servers together.
public struct SMPTotals: Codable, Hashable, Sendable {
    public var sessions: ServerSessions
    public var subs: SMPServerSubs
    public var stats: AgentSMPServerStatsData

    public init(sessions: ServerSessions, subs: SMPServerSubs, stats: AgentSMPServerStatsData) {
        self.sessions = sessions
        self.subs = subs
        self.stats = stats
    }
}

/// Numbers of transport sessions with a server that are open, failed, or being opened.
public struct ServerSessions: Codable, Hashable, Sendable {
    public var ssConnected: Int
    public var ssErrors: Int
    public var ssConnecting: Int

    public init(ssConnected: Int, ssErrors: Int, ssConnecting: Int) {
        self.ssConnected = ssConnected
        self.ssErrors = ssErrors
        self.ssConnecting = ssConnecting
    }
}
