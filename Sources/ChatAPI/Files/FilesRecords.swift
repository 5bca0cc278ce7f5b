/// Folders for files, with absolute paths.
public struct AppFilePathsConfig: Codable, Hashable, Sendable {
    public var appFilesFolder: String
    public var appTempFolder: String
    public var appAssetsFolder: String
    public var appRemoteHostsFolder: String?

    public init(
        appFilesFolder: String,
        appTempFolder: String,
        appAssetsFolder: String,
        appRemoteHostsFolder: String? = nil
    ) {
        self.appFilesFolder = appFilesFolder
        self.appTempFolder = appTempFolder
        self.appAssetsFolder = appAssetsFolder
        self.appRemoteHostsFolder = appRemoteHostsFolder
    }
}

/// A file on the disk, with key and nonce if it is encrypted.
public struct CryptoFile: Codable, Hashable, Sendable {
    public var filePath: String
    public var cryptoArgs: CryptoFileArgs?

    public init(filePath: String, cryptoArgs: CryptoFileArgs? = nil) {
        self.filePath = filePath
        self.cryptoArgs = cryptoArgs
    }
}

/// The key and nonce of an encrypted file on the disk.
public struct CryptoFileArgs: Codable, Hashable, Sendable {
    public var fileKey: String
    public var fileNonce: String

    public init(fileKey: String, fileNonce: String) {
        self.fileKey = fileKey
        self.fileNonce = fileNonce
    }
}

/// A part of the description that is needed to receive a file over XFTP.
public struct FileDescr: Codable, Hashable, Sendable {
    public var fileDescrText: String
    public var fileDescrPartNo: Int
    public var fileDescrComplete: Bool

    public init(fileDescrText: String, fileDescrPartNo: Int, fileDescrComplete: Bool) {
        self.fileDescrText = fileDescrText
        self.fileDescrPartNo = fileDescrPartNo
        self.fileDescrComplete = fileDescrComplete
    }
}

/// The data in the link of a migration to another device, in addition to the file.
public struct MigrationFileLinkData: Codable, Hashable, Sendable {
    public var networkConfig: MigrationNetworkConfig?
}

/// A stored part of the description that is needed to receive a file over XFTP.
public struct RcvFileDescr: Codable, Hashable, Sendable {
    public var fileDescrId: Int64
    public var fileDescrText: String
    public var fileDescrPartNo: Int
    public var fileDescrComplete: Bool

    public init(fileDescrId: Int64, fileDescrText: String, fileDescrPartNo: Int, fileDescrComplete: Bool) {
        self.fileDescrId = fileDescrId
        self.fileDescrText = fileDescrText
        self.fileDescrPartNo = fileDescrPartNo
        self.fileDescrComplete = fileDescrComplete
    }
}

/// A file that is received over XFTP.
public struct XFTPRcvFile: Codable, Hashable, Sendable {
    public var rcvFileDescription: RcvFileDescr
    public var agentRcvFileId: String?
    public var agentRcvFileDeleted: Bool
    public var userApprovedRelays: Bool

    public init(
        rcvFileDescription: RcvFileDescr,
        agentRcvFileId: String? = nil,
        agentRcvFileDeleted: Bool,
        userApprovedRelays: Bool
    ) {
        self.rcvFileDescription = rcvFileDescription
        self.agentRcvFileId = agentRcvFileId
        self.agentRcvFileDeleted = agentRcvFileDeleted
        self.userApprovedRelays = userApprovedRelays
    }
}

/// Sessions and statistics of the XFTP servers, grouped by whether the user uses the server.
public struct XFTPServersSummary: Codable, Hashable, Sendable {
    public var xftpTotals: XFTPTotals
    public var currentlyUsedXFTPServers: [XFTPServerSummary]
    public var previouslyUsedXFTPServers: [XFTPServerSummary]

    public init(
        xftpTotals: XFTPTotals,
        currentlyUsedXFTPServers: [XFTPServerSummary],
        previouslyUsedXFTPServers: [XFTPServerSummary]
    ) {
        self.xftpTotals = xftpTotals
        self.currentlyUsedXFTPServers = currentlyUsedXFTPServers
        self.previouslyUsedXFTPServers = previouslyUsedXFTPServers
    }
}

/// A file that is sent over XFTP.
public struct XFTPSndFile: Codable, Hashable, Sendable {
    public var agentSndFileId: String
    public var privateSndFileDescr: String?
    public var agentSndFileDeleted: Bool
    public var cryptoArgs: CryptoFileArgs?

    public init(
        agentSndFileId: String,
        privateSndFileDescr: String? = nil,
        agentSndFileDeleted: Bool,
        cryptoArgs: CryptoFileArgs? = nil
    ) {
        self.agentSndFileId = agentSndFileId
        self.privateSndFileDescr = privateSndFileDescr
        self.agentSndFileDeleted = agentSndFileDeleted
        self.cryptoArgs = cryptoArgs
    }
}

/// Sessions and statistics over all XFTP servers together.
public struct XFTPTotals: Codable, Hashable, Sendable {
    public var sessions: ServerSessions
    public var stats: AgentXFTPServerStatsData

    public init(sessions: ServerSessions, stats: AgentXFTPServerStatsData) {
        self.sessions = sessions
        self.stats = stats
    }
}
