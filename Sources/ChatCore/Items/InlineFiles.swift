internal import ChatAPI
internal import ChatStore
internal import Files
internal import SimpleXCrypto
internal import SQLCipher

/// Small files that are sent in messages, in chunks. Apps before version 4.6 send all small files in this way. This
/// program only receives such files.
///
/// The database keeps the chunks until the file is complete. Then the worker writes the file. The limits are the same
/// as in the original (`defaultInlineFilesConfig` in simplex-chat's `Controller.hs`).
enum InlineFiles {
    /// The maximum number of chunks of a file that `/freceive` without `inline` accepts. It is also the maximum number
    /// of chunks of a voice message that the sender sends without a request.
    static let maxUnrequestedChunks: Int64 = 8
    /// The maximum number of chunks of a file that `/freceive` with `inline=on` accepts.
    static let maxRequestedChunks: Int64 = 15

    static func countChunks(of file: FileRecord, _ db: StoreConnection) throws -> Int64 {
        try db.queryFirst("SELECT count(*) AS chunks FROM inline_chunks WHERE file_id = ?", [file.fileId])?.int64(
            "chunks"
        )
            ?? 0
    }

    static func readContents(of file: FileRecord, _ db: StoreConnection) throws -> [UInt8] {
        try db.query("SELECT bytes FROM inline_chunks WHERE file_id = ? ORDER BY chunk_no", [file.fileId]).flatMap {
            try $0.blob("bytes")
        }
    }

    static func deleteChunks(_ file: FileRecord, _ tx: Transaction) throws {
        try tx.db.execute("DELETE FROM inline_chunks WHERE file_id = ?", [file.fileId])
    }

    /// Writes a file whose chunks are complete. Blocks the thread. If the process ends before the result is recorded,
    /// the file is written again.
    static func writeContents(_ contents: [UInt8], of file: FileRecord, _ folders: LocalFolders.Paths) throws {
        guard let path = file.path else { return }
        let stored =
            try file.cryptoArgs.map { try FileCipher.sealContents(contents, CryptoFileArguments($0)) } ?? contents
        do {
            try LocalFolders.makeFolder(folders.filesFolder)
            try folders.makeStoreFile(path).replaceContent(with: stored)
        } catch let error as FileSystemError {
            // A full disk is temporary, so the write is repeated.
            if FileSystemError.isFullDiskCode(error.errnoCode) { throw error }
            throw error.chatFailure()
        }
    }
}
