/// Sessions and statistics of one XFTP server.
package struct XFTPServerSummary: Codable, Hashable, Sendable {
    package var xftpServer: String
    package var known: Bool?
    package var sessions: ServerSessions?
    package var stats: AgentXFTPServerStatsData?
    package var rcvInProgress: Bool
    package var sndInProgress: Bool
    package var delInProgress: Bool

    package init(
        xftpServer: String,
        known: Bool? = nil,
        sessions: ServerSessions? = nil,
        stats: AgentXFTPServerStatsData? = nil,
        rcvInProgress: Bool,
        sndInProgress: Bool,
        delInProgress: Bool
    ) {
        self.xftpServer = xftpServer
        self.known = known
        self.sessions = sessions
        self.stats = stats
        self.rcvInProgress = rcvInProgress
        self.sndInProgress = sndInProgress
        self.delInProgress = delInProgress
    }
}
