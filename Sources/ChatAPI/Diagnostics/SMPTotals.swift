/// Sessions, subscriptions and statistics over all SMP servers together.
package struct SMPTotals: Codable, Hashable, Sendable {
    package var sessions: ServerSessions
    package var subs: SMPServerSubs
    package var stats: AgentSMPServerStatsData

    package init(sessions: ServerSessions, subs: SMPServerSubs, stats: AgentSMPServerStatsData) {
        self.sessions = sessions
        self.subs = subs
        self.stats = stats
    }
}

/// The number of transport sessions with a server that are open, failed, or being opened.
package struct ServerSessions: Codable, Hashable, Sendable {
    package var ssConnected: Int
    package var ssErrors: Int
    package var ssConnecting: Int

    package init(ssConnected: Int, ssErrors: Int, ssConnecting: Int) {
        self.ssConnected = ssConnected
        self.ssErrors = ssErrors
        self.ssConnecting = ssConnecting
    }
}
