/// The file that a message offers for download.
public struct FileInvitation: Codable, Hashable, Sendable {
    public var fileName: String
    public var fileSize: Int64
    public var fileDigest: String?
    public var fileConnReq: String?
    public var fileInline: InlineFileMode?
    public var fileDescr: FileDescr?

    public init(
        fileName: String,
        fileSize: Int64,
        fileDigest: String? = nil,
        fileConnReq: String? = nil,
        fileInline: InlineFileMode? = nil,
        fileDescr: FileDescr? = nil
    ) {
        self.fileName = fileName
        self.fileSize = fileSize
        self.fileDigest = fileDigest
        self.fileConnReq = fileConnReq
        self.fileInline = fileInline
        self.fileDescr = fileDescr
    }
}
