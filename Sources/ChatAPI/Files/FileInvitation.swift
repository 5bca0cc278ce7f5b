/// The file that a message offers for download.
package struct FileInvitation: Codable, Hashable, Sendable {
    package var fileName: String
    package var fileSize: Int64
    package var fileDigest: String?
    package var fileConnReq: String?
    package var fileInline: InlineFileMode?
    package var fileDescr: FileDescr?

    package init(
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
