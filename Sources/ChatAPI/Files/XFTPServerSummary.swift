/// Sessions and statistics of one XFTP server.
public struct XFTPServerSummary: Codable, Hashable, Sendable {
    public var xftpServer: String
    public var known: Bool?
    public var sessions: ServerSessions?
    public var stats: AgentXFTPServerStatsData?
    public var rcvInProgress: Bool
    public var sndInProgress: Bool
    public var delInProgress: Bool

    public init(
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
