/// The summary of servers that is shown to a user: the servers of all users, and the servers of the current user.
public struct PresentedServersSummary: Codable, Hashable, Sendable {
    public var statsStartedAt: UTCTime
    public var allUsersSMP: SMPServersSummary
    public var allUsersXFTP: XFTPServersSummary
    public var allUsersNtf: NtfServersSummary
    public var currentUserSMP: SMPServersSummary
    public var currentUserXFTP: XFTPServersSummary
    public var currentUserNtf: NtfServersSummary

    public init(
        statsStartedAt: UTCTime,
        allUsersSMP: SMPServersSummary,
        allUsersXFTP: XFTPServersSummary,
        allUsersNtf: NtfServersSummary,
        currentUserSMP: SMPServersSummary,
        currentUserXFTP: XFTPServersSummary,
        currentUserNtf: NtfServersSummary
    ) {
        self.statsStartedAt = statsStartedAt
        self.allUsersSMP = allUsersSMP
        self.allUsersXFTP = allUsersXFTP
        self.allUsersNtf = allUsersNtf
        self.currentUserSMP = currentUserSMP
        self.currentUserXFTP = currentUserXFTP
        self.currentUserNtf = currentUserNtf
    }
}
