internal import ChatAPI
internal import ChatStore
internal import ChatText
internal import Files
internal import Glibc
internal import SimpleXCrypto
internal import SQLCipher

/// A copy of a file for another message. The copy has its own name on the disk, and its own key if files are encrypted.
struct FileCopy: Sendable {
    private let source: (file: StoreFile, arguments: CryptoFileArgs?)
    private let targetPath: String
    var sourcePath: String { source.file.path.text }
    let outgoingFile: OutgoingFile

    /// Reserves a name for the copy. A copy that no message uses is deleted after ``Uploads/lifetimeSeconds``.
    init(
        of file: FileRecord,
        as content: MsgContent,
        _ folders: LocalFolders.Paths,
        _ user: UserRecord,
        _ tx: Transaction
    ) throws {
        source = (folders.makeStoreFile(file.path ?? StoredPath(file.name)), file.cryptoArgs)
        try LocalFolders.makeFolder(folders.filesFolder)
        let wanted = Self.makeName(of: file, as: content, at: tx.now)
        let name = try FileName.chooseName(wanted, in: folders.filesFolder, folders, tx.db)
        let shown = folders.hidesFileNames ? wanted : name
        try Uploads.add(name, shown: shown == name ? nil : shown, user: user.userId, tx)
        targetPath = folders.filesFolder + "/" + name
        outgoingFile = OutgoingFile(
            copy: CryptoFile(
                filePath: name,
                cryptoArgs: folders.encryptsFiles ? CryptoFileArguments().apiArguments : nil
            ),
            name: shown,
            size: file.size
        )
    }

    /// Returns the name of the copy. The name of an image, a voice message or a video begins with a prefix for its
    /// kind.
    private static func makeName(of file: FileRecord, as content: MsgContent, at time: Timestamp) -> String {
        let prefix: String
        switch content {
        case .image: prefix = "IMG_"
        case .voice: prefix = "voice_"
        case .video: prefix = "video_"
        default: return FileName.safeName(file.name)
        }
        let date = time.text.prefix(19).filter { $0 != "-" && $0 != ":" }.replacing("T", with: "_")
        let ending = FileName.safeName(file.name).lastIndex(of: ".").map { FileName.safeName(file.name)[$0...] } ?? ""
        return prefix + date + ending
    }

    /// Writes the copy to the disk. If writing fails, removes the incomplete copy. Blocks the thread.
    func writeCopy() throws {
        do { try writeContents() } catch {
            DiskFiles.removeFile(targetPath)
            switch error {
            case let error as FileSystemError: throw error.chatFailure()
            case let error as FileCipher.Failure:
                throw ChatFailure(ChatErrorType.internalError(message: "\(error)"))
            default: throw error
            }
        }
    }

    private func writeContents() throws {
        let file = try source.file.openFile(O_RDONLY)
        let copy = try OpenFile(targetPath, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW)
        let (opened, sealed) = (
            try Self.makeStream(source.arguments), try Self.makeStream(outgoingFile.source.cryptoArgs)
        )
        var left = try file.readSize() - (opened == nil ? 0 : Int64(FileCipher.tagSize))
        while left > 0 {
            let part = try file.read(upTo: Int(min(left, 1 << 20)))
            guard !part.isEmpty else { throw FileCipher.Failure.invalidFileSize }
            left -= Int64(part.count)
            let contents = opened?.decrypt(part) ?? part
            try copy.write(sealed?.encrypt(contents) ?? contents)
        }
        if let opened {
            guard try opened.isTagValid(tag: file.read(upTo: FileCipher.tagSize)) else {
                throw FileCipher.Failure.invalidAuthTag
            }
        }
        if let sealed { try copy.write(sealed.computeTag()) }
        try copy.sync()
    }

    private static func makeStream(_ arguments: CryptoFileArgs?) throws -> SecretBoxStream? {
        try arguments.map { arguments in
            let arguments = try CryptoFileArguments(arguments)
            return SecretBoxStream(key: arguments.fileKey, nonce: arguments.fileNonce)
        }
    }
}

extension OutgoingFile {
    /// Creates an outgoing file that is a copy of another file. The copy is written to the disk later.
    fileprivate init(copy: CryptoFile, name: String, size: Int64) {
        source = copy
        path = StoredPath(copy.filePath)
        self.name = name
        self.size = size
    }
}
