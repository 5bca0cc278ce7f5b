/// The summary of servers that is shown to a user: the servers of all users, and the servers of the current user.
package struct PresentedServersSummary: Codable, Hashable, Sendable {
    package var statsStartedAt: UTCTime
    package var allUsersSMP: SMPServersSummary
    package var allUsersXFTP: XFTPServersSummary
    package var allUsersNtf: NtfServersSummary
    package var currentUserSMP: SMPServersSummary
    package var currentUserXFTP: XFTPServersSummary
    package var currentUserNtf: NtfServersSummary

    package init(
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
