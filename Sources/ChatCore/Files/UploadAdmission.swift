internal import ChatAPI
internal import ChatStore
internal import Concurrency
internal import Files
internal import SimpleXCrypto
internal import SQLCipher

extension RunningCommand {
    /// Checks that the client which sends a command has uploaded the files of the command. An API key that is limited
    /// to some chats must not send files of other chats, even if the client guesses the names of these files.
    ///
    /// Each upload must be encrypted, because only the client that has uploaded a file knows the encryption key. The
    /// authentication tag of the file shows whether the command contains the right key. The transaction that sends the
    /// messages checks again that no other message uses the uploads.
    /// - Throws: `accessDenied`.
    func checkUploads(_ command: ChatCommand, of userId: Int64?) async throws {
        for source in command.sentFiles {
            let isUploadUnused = try await store.read { db in
                try Uploads.isUploadUnused(source.filePath, of: userId, db)
            }
            guard isUploadUnused, try await Uploads.hasValidKey(source, services.folders.paths) else {
                throw Uploads.deniedFailure
            }
        }
    }
}

extension Uploads {
    static var deniedFailure: ChatFailure {
        ChatFailure(
            ChatErrorType.accessDenied(
                reason: "a key that is limited to some chats sends only its own encrypted uploads, each in one message"
            )
        )
    }

    /// Whether the encryption key that a command contains for a file decrypts this file.
    static func hasValidKey(_ source: CryptoFile, _ folders: LocalFolders.Paths) async throws -> Bool {
        guard let arguments = source.cryptoArgs.flatMap({ try? CryptoFileArguments($0) }) else { return false }
        return try await runBlocking {
            let file = folders.makeStoreFile(try folders.makeStoredPath(folders.storedPath(source.filePath)))
            guard let stored = file.size, let size = try? FileCipher.contentsSize(storedSize: stored) else {
                return false
            }
            return try ChatFiles.hasValidTag(file, size, arguments)
        }
    }
}

extension ChatCommand {
    /// The files that the command sends to a chat, or keeps in notes.
    var sentFiles: [CryptoFile] {
        switch self {
        case .messages(.sendMessages(_, _, _, _, _, let messages)), .messages(.createChatItems(_, let messages)):
            messages.compactMap(\.fileSource)
        default: []
        }
    }
}

extension Uploads {
    /// Checks that each file is an upload of the user that no message uses yet, and that the messages have different
    /// files.
    /// - Throws: `accessDenied`.
    static func requireUnusedUploads(
        _ files: some Sequence<OutgoingFile>,
        of user: UserRecord,
        _ db: StoreConnection
    ) throws {
        var paths: Set<String> = []
        for file in files {
            let path = file.source.filePath
            guard paths.insert(path).inserted, try isUploadUnused(path, of: user.userId, db) else {
                throw deniedFailure
            }
        }
    }

    /// Whether a file is an upload of a user, and no message has it yet.
    fileprivate static func isUploadUnused(_ path: String, of userId: Int64?, _ db: StoreConnection) throws -> Bool {
        try db.firstRow(
            "SELECT 1 AS n FROM uploads WHERE file_path = :file_path AND user_id = :user_id AND planned_id IS NULL",
            ["file_path": path, "user_id": userId]
        )
            != nil
    }
}
