/// A file that is being received.
public struct RcvFileTransfer: Codable, Hashable, Sendable {
    public var fileId: Int64
    public var xftpRcvFile: XFTPRcvFile?
    public var fileInvitation: FileInvitation
    public var fileStatus: RcvFileStatus
    public var fileType: FileType?
    public var rcvFileInline: InlineFileMode?
    public var senderDisplayName: String
    public var chunkSize: Int64
    public var cancelled: Bool
    public var grpMemberId: Int64?
    public var cryptoArgs: CryptoFileArgs?

    public init(
        fileId: Int64,
        xftpRcvFile: XFTPRcvFile? = nil,
        fileInvitation: FileInvitation,
        fileStatus: RcvFileStatus,
        fileType: FileType? = nil,
        rcvFileInline: InlineFileMode? = nil,
        senderDisplayName: String,
        chunkSize: Int64,
        cancelled: Bool,
        grpMemberId: Int64? = nil,
        cryptoArgs: CryptoFileArgs? = nil
    ) {
        self.fileId = fileId
        self.xftpRcvFile = xftpRcvFile
        self.fileInvitation = fileInvitation
        self.fileStatus = fileStatus
        self.fileType = fileType
        self.rcvFileInline = rcvFileInline
        self.senderDisplayName = senderDisplayName
        self.chunkSize = chunkSize
        self.cancelled = cancelled
        self.grpMemberId = grpMemberId
        self.cryptoArgs = cryptoArgs
    }
}
