/// A file that is being sent to one recipient.
public struct SndFileTransfer: Codable, Hashable, Sendable {
    public var fileId: Int64
    public var fileName: String
    public var filePath: String
    public var fileSize: Int64
    public var chunkSize: Int64
    public var recipientDisplayName: String
    public var connId: Int64
    public var agentConnId: String
    public var groupMemberId: Int64?
    public var fileStatus: FileStatus
    public var fileDescrId: Int64?
    public var fileInline: InlineFileMode?

    public init(
        fileId: Int64,
        fileName: String,
        filePath: String,
        fileSize: Int64,
        chunkSize: Int64,
        recipientDisplayName: String,
        connId: Int64,
        agentConnId: String,
        groupMemberId: Int64? = nil,
        fileStatus: FileStatus,
        fileDescrId: Int64? = nil,
        fileInline: InlineFileMode? = nil
    ) {
        self.fileId = fileId
        self.fileName = fileName
        self.filePath = filePath
        self.fileSize = fileSize
        self.chunkSize = chunkSize
        self.recipientDisplayName = recipientDisplayName
        self.connId = connId
        self.agentConnId = agentConnId
        self.groupMemberId = groupMemberId
        self.fileStatus = fileStatus
        self.fileDescrId = fileDescrId
        self.fileInline = fileInline
    }
}
