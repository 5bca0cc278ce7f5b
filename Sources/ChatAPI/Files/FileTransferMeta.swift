/// A file that is being sent, with the data for all recipients.
public struct FileTransferMeta: Codable, Hashable, Sendable {
    public var fileId: Int64
    public var xftpSndFile: XFTPSndFile?
    public var xftpRedirectFor: Int64?
    public var fileName: String
    public var filePath: String
    public var fileSize: Int64
    public var fileInline: InlineFileMode?
    public var chunkSize: Int64
    public var cancelled: Bool

    public init(
        fileId: Int64,
        xftpSndFile: XFTPSndFile? = nil,
        xftpRedirectFor: Int64? = nil,
        fileName: String,
        filePath: String,
        fileSize: Int64,
        fileInline: InlineFileMode? = nil,
        chunkSize: Int64,
        cancelled: Bool
    ) {
        self.fileId = fileId
        self.xftpSndFile = xftpSndFile
        self.xftpRedirectFor = xftpRedirectFor
        self.fileName = fileName
        self.filePath = filePath
        self.fileSize = fileSize
        self.fileInline = fileInline
        self.chunkSize = chunkSize
        self.cancelled = cancelled
    }
}
