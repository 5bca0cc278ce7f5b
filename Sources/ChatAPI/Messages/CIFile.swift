/// The file of a message.
public struct CIFile: Codable, Hashable, Sendable {
    public var fileId: Int64
    public var fileName: String
    public var fileSize: Int64
    public var fileSource: CryptoFile?
    public var fileStatus: CIFileStatus
    public var fileProtocol: FileProtocol

    public init(
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
