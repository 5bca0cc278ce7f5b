/// The file of a message.
package struct CIFile: Codable, Hashable, Sendable {
    package var fileId: Int64
    package var fileName: String
    package var fileSize: Int64
    package var fileSource: CryptoFile?
    package var fileStatus: CIFileStatus
    package var fileProtocol: FileProtocol

    package init(
        fileId: Int64,
        fileName: String,
        fileSize: Int64,
        fileSource: CryptoFile? = nil,
        fileStatus: CIFileStatus,
        fileProtocol: FileProtocol
    ) {
        self.fileId = fileId
        self.fileName = fileName
        self.fileSize = fileSize
        self.fileSource = fileSource
        self.fileStatus = fileStatus
        self.fileProtocol = fileProtocol
    }
}
