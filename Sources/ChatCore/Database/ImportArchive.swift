internal import Agent
internal import ChatAPI
internal import Concurrency
internal import Files
internal import SimpleXCrypto
internal import SQLCipher
internal import ZIP

extension RunningCommand {
    /// `/_db import`: replaces the databases with the databases of an archive, and adds the files of the archive to the
    /// existing files.
    ///
    /// The archive comes from a gateway or from an app. Its databases must open with the current key, or with the given
    /// passphrase. The store does not use these databases: their rows are copied into new databases with the current
    /// key, see ``ForeignStore``.
    func importArchive(_ config: ArchiveConfig) async throws -> ChatResponse {
        let path = config.archivePath
        guard path.hasPrefix("/") else { throw ChatFailure.commandError("the path is not absolute") }
        return try await lifecycle.runMaintenance {
            let (replacement, key, shown, mayContinue) = (
                services.configuration.replacement, lifecycle.databaseKey, services.folders.paths.shownPath(path),
                WorkProgress.makeContinueCondition(services.mayContinue)
            )
            let answer: ChatResponse
            do {
                let errors = try await runBlocking { () -> [ArchiveError] in
                    try replacement.createFolder()
                    return try ZIPReader.unpackAndSync(into: replacement.folder) {
                        try Self.unpackArchive(path, shown, replacement, while: mayContinue)
                    }
                }
                let foreign = ForeignStore(
                    chatPath: replacement.foreignChatPath,
                    agentPath: replacement.foreignAgentPath,
                    replacement: replacement,
                    key: key,
                    origin: .archive(
                        passphrase: config.passphrase.flatMap { $0.isEmpty ? nil : $0 },
                        badgeKeys: services.configuration.badgeKeys
                    ),
                    program: services.configuration.readerProgram,
                    foreignReads: services.storeWork.foreignReads
                )
                let left = try await foreign.takeOverRows()
                let refused = try await takeOverWallpapers(replacement, key)
                answer = .archiveImported(archiveErrors: errors + refused + left.map { .import(importError: $0) })
                try await storeAnswer(answer, in: replacement.chatPath, key)
                try WorkProgress.preventCancellation()
            } catch {
                await runCleanup { replacement.cancel() }
                switch error {
                case let error as ZIPError: throw error.chatFailure(shown, "withBinaryFile")
                case let error as DatabaseError:
                    throw ChatFailure(
                        ChatError.errorDatabase(databaseError: error.apiError(shown, ChatDatabaseError.errorOpen))
                    )
                case let error as ForeignStoreError:
                    throw ChatFailure(ChatErrorType.exception(message: "\(shown): \(error.sentence)"))
                default: throw error
                }
            }
            try await lifecycle.replaceStore(.kept, key: nil, leavesObjects: true)
            return answer
        }
    }

    /// Moves the wallpapers of an archive into the database that replaces the current database. Does nothing if a
    /// client has set the folder for wallpapers: the wallpapers then become files in that folder.
    private func takeOverWallpapers(
        _ replacement: StoreReplacement,
        _ key: DatabaseKey
    ) async throws -> [ArchiveError] {
        guard services.folders.paths.hasDefaultAssetsFolder else { return [] }
        let path = replacement.chatPath
        return try await services.withDatabase(path, key: key, ChatDatabaseError.errorOpen) { database in
            try await database.write { db in
                try ChatWallpapers.importPictures(in: replacement.assetsFolder, to: db, at: .now)
            }
        }
    }

    /// Stores the answer to this import in the database that replaces the current database.
    private func storeAnswer(_ answer: ChatResponse, in path: String, _ key: DatabaseKey) async throws {
        guard let claim else { return }
        try await services.withDatabase(path, key: key, ChatDatabaseError.errorOpen) { database in
            try await database.write { db in try claim.storeAnswer(answer, at: .now, in: db) }
        }
        recordStoredAnswer()
    }

    /// Unpacks the databases and files of a store from an archive. Other entries of the archive are reported as
    /// skipped.
    private static func unpackArchive(
        _ path: String,
        _ shown: String,
        _ replacement: StoreReplacement,
        while mayContinue: @escaping () -> Bool
    ) throws -> [ArchiveError] {
        var limits = ZIPLimits()
        // A tenth of the free space is not used, since the current store also writes.
        limits.maxBytes = DiskFiles.readFreeBytes(at: replacement.folder) / 10 * 9
        let archive = try ZIPReader(path: path, limits: limits, while: mayContinue)
        var errors: [ArchiveError] = []
        var databases: Set<String> = []
        let progress = WorkProgress.currentProgress
        progress?.beginCounting(.bytes, of: archive.entries.reduce(0) { $0 + Int64(clamping: $1.unpackedBytes) })
        for entry in archive.entries {
            defer { progress?.advance(by: Int64(clamping: entry.unpackedBytes)) }
            switch entry.name {
            case ArchiveNames.chatDatabase: try archive.unpackEntry(entry, to: replacement.foreignChatPath)
            case ArchiveNames.agentDatabase: try archive.unpackEntry(entry, to: replacement.foreignAgentPath)
            default:
                if let file = fileName(entry.name, in: ArchiveNames.filesFolder) {
                    try archive.unpackEntry(entry, to: replacement.filesFolder + "/" + file)
                } else if let file = fileName(entry.name, in: ArchiveNames.wallpapersFolder) {
                    try archive.unpackEntry(entry, to: replacement.assetsFolder + "/" + file)
                } else {
                    errors.append(.fileError(file: entry.name, fileError: "not a part of an archive"))
                }
                continue
            }
            databases.insert(entry.name)
        }
        for (name, file) in [
            (ArchiveNames.chatDatabase, replacement.foreignChatPath),
            (ArchiveNames.agentDatabase, replacement.foreignAgentPath),
        ] {
            guard databases.contains(name) else {
                throw ChatFailure(ChatErrorType.exception(message: "\(shown): there is no \(name)"))
            }
            // An empty file would be accepted as a new database with any key.
            guard DiskFiles.hasBytes(file) else {
                throw ChatFailure(ChatErrorType.exception(message: "\(shown): \(name) is empty"))
            }
        }
        return errors
    }

    private static func fileName(_ path: String, in folder: String) -> String? {
        guard path.hasPrefix(folder) else { return nil }
        let name = path.dropFirst(folder.count)
        return name.isEmpty || name.contains("/") ? nil : String(name)
    }
}
