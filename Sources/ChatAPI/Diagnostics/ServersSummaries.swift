/// Sessions and statistics of the XFTP servers. The servers are grouped by whether the user uses them.
package struct XFTPServersSummary: Codable, Hashable, Sendable {
    package var xftpTotals: XFTPTotals
    package var currentlyUsedXFTPServers: [XFTPServerSummary]
    package var previouslyUsedXFTPServers: [XFTPServerSummary]

    package init(
        xftpTotals: XFTPTotals,
        currentlyUsedXFTPServers: [XFTPServerSummary],
        previouslyUsedXFTPServers: [XFTPServerSummary]
    ) {
        self.xftpTotals = xftpTotals
        self.currentlyUsedXFTPServers = currentlyUsedXFTPServers
        self.previouslyUsedXFTPServers = previouslyUsedXFTPServers
    }
}

/// Sessions and statistics over all XFTP servers together.
package struct XFTPTotals: Codable, Hashable, Sendable {
    package var sessions: ServerSessions
    package var stats: AgentXFTPServerStatsData

    package init(sessions: ServerSessions, stats: AgentXFTPServerStatsData) {
        self.sessions = sessions
        self.stats = stats
    }
}

/// Sessions and statistics of one notification server.
package struct NtfServerSummary: Codable, Hashable, Sendable {
    package var ntfServer: String
    package var known: Bool?
    package var sessions: ServerSessions?
    package var stats: AgentNtfServerStatsData?

    package init(
        ntfServer: String,
        known: Bool? = nil,
        sessions: ServerSessions? = nil,
        stats: AgentNtfServerStatsData? = nil
    ) {
        self.ntfServer = ntfServer
        self.known = known
        self.sessions = sessions
        self.stats = stats
    }
}

/// Sessions and statistics of the notification servers. The servers are grouped by whether the user uses them.
package struct NtfServersSummary: Codable, Hashable, Sendable {
    package var ntfTotals: NtfTotals
    package var currentlyUsedNtfServers: [NtfServerSummary]
    package var previouslyUsedNtfServers: [NtfServerSummary]

    package init(
        ntfTotals: NtfTotals,
        currentlyUsedNtfServers: [NtfServerSummary],
        previouslyUsedNtfServers: [NtfServerSummary]
    ) {
        self.ntfTotals = ntfTotals
        self.currentlyUsedNtfServers = currentlyUsedNtfServers
        self.previouslyUsedNtfServers = previouslyUsedNtfServers
    }
}

/// Sessions and statistics over all notification servers together.
package struct NtfTotals: Codable, Hashable, Sendable {
    package var sessions: ServerSessions
    package var stats: AgentNtfServerStatsData

    package init(sessions: ServerSessions, stats: AgentNtfServerStatsData) {
        self.sessions = sessions
        self.stats = stats
    }
}
