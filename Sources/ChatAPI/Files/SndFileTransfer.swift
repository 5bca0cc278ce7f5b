/// A file that this profile is sending to one recipient.
package struct SndFileTransfer: Codable, Hashable, Sendable {
    package var fileId: Int64
    package var fileName: String
    package var filePath: String
    package var fileSize: Int64
    package var chunkSize: Int64
    package var recipientDisplayName: String
    package var connId: Int64
    package var agentConnId: String
    package var groupMemberId: Int64?
    package var fileStatus: FileStatus
    package var fileDescrId: Int64?
    package var fileInline: InlineFileMode?

    package init(
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
