/// A file that this profile is receiving.
package struct RcvFileTransfer: Codable, Hashable, Sendable {
    package var fileId: Int64
    package var xftpRcvFile: XFTPRcvFile?
    package var fileInvitation: FileInvitation
    package var fileStatus: RcvFileStatus
    package var fileType: FileType?
    package var rcvFileInline: InlineFileMode?
    package var senderDisplayName: String
    package var chunkSize: Int64
    package var cancelled: Bool
    package var grpMemberId: Int64?
    package var cryptoArgs: CryptoFileArgs?

    package init(
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
