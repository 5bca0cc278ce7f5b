/// A file that this profile is sending, with the data for all recipients.
package struct FileTransferMeta: Codable, Hashable, Sendable {
    package var fileId: Int64
    package var xftpSndFile: XFTPSndFile?
    package var xftpRedirectFor: Int64?
    package var fileName: String
    package var filePath: String
    package var fileSize: Int64
    package var fileInline: InlineFileMode?
    package var chunkSize: Int64
    package var cancelled: Bool

    package init(
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
