internal import ChatAPI
internal import ChatText
internal import Concurrency
internal import Files
internal import Glibc
internal import SQLCipher
internal import SimpleXCrypto
internal import ZIP

extension RunningCommand {
    /// `/_db export`: exports both databases, with their state at one moment, and the files. Without a path, the
    /// archive is written to the folder of the databases. The databases keep their encryption, or get the given
    /// passphrase. The chat may keep running if the command permits this. An archive for the apps has databases in the
    /// format of the apps, and requires that the chat is stopped.
    func exportArchive(_ config: ArchiveConfig?) async throws -> ChatResponse {
        let path = config?.archivePath ?? "\(services.configuration.databasePrefix)_\(Timestamp.now.seconds).zip"
        guard path.hasPrefix("/") || config == nil else { throw ChatFailure.commandError("the path is not absolute") }
        let compressed = config?.disableCompression != true
        if await isAlreadyExported(path) {
            return .archiveExported(archiveErrors: Self.findFilesToExport(services.folders.paths).1)
        }
        // Files that are fetched for the archive stay on the disk until the archive is written.
        return try await services.fileObjects.withRemovalPrevented {
            try await exportStore(config, to: path, compressed: compressed)
        }
    }

    private func exportStore(_ config: ArchiveConfig?, to path: String, compressed: Bool) async throws -> ChatResponse {
        if config?.format == .app, config?.passphrase?.isEmpty != false {
            throw ChatFailure.commandError("an archive for the apps needs a passphrase")
        }
        // A profile that is moved to an app must not receive messages in this store, so the chat must be stopped.
        if config?.whileRunning == true, config?.format != .app {
            return try await lifecycle.runOutsideMaintenance {
                try await writeArchive(config, to: path, compressed: compressed)
            }
        }
        return try await lifecycle.runMaintenance { try await writeArchive(config, to: path, compressed: compressed) }
    }

    private func writeArchive(_ config: ArchiveConfig?, to path: String, compressed: Bool) async throws -> ChatResponse
    {
        let (replacement, folders, key, mayContinue) = (
            services.configuration.replacement, services.folders.paths, lifecycle.databaseKey,
            WorkProgress.makeContinueCondition(services.mayContinue)
        )
        do {
            try await runBlocking { try replacement.createFolder() }
            let progress = WorkProgress.currentProgress
            let copied = services.configuration.databasePaths.reduce(0) { $0 + (DiskFiles.fileSize($1) ?? 0) }
            if progress != nil {
                let rest = try await runBlocking {
                    Self.findFilesToExport(folders).0.reduce(0) { $0 + (DiskFiles.fileSize($1.path) ?? 0) }
                }
                // The bytes of the databases are counted twice: once for the copies, and once for the archive.
                progress?.beginCounting(.bytes, of: 2 * copied + rest)
            }
            let copies = [replacement.chatPath, replacement.agentPath]
            try await lifecycle.copyDatabases(to: copies)
            let away = try await lifecycle.isStoreChanged ? [] : services.fileObjects.fetchAllFiles()
            let left = try await encryptCopies(copies, config, key)
            let errors = try await runBlocking { () -> [ArchiveError] in
                let databases = [
                    ZIPWriter.SourceFile(path: replacement.chatPath, name: ArchiveNames.chatDatabase),
                    ZIPWriter.SourceFile(path: replacement.agentPath, name: ArchiveNames.agentDatabase),
                ]
                var (files, errors) = Self.findFilesToExport(folders, wallpapers: replacement.assetsFolder)
                errors += away.map { .fileError(file: $0.name, fileError: $0.reason) }
                let draft: String
                do throws(FileSystemError) { draft = try replacement.makeDraftFolder(beside: path) } catch {
                    throw ZIPError.fileNotOpened(code: error.errnoCode)
                }
                if config?.whileRunning == true { files = Self.hardLinkFiles(files, in: draft, &errors) }
                defer { for file in files where file.path.hasPrefix(draft + "/") { DiskFiles.removeFile(file.path) } }
                let whole = (databases + files).reduce(0) { $0 + (DiskFiles.fileSize($1.path) ?? 0) }
                try ZIPWriter.writeComplete(
                    databases + files,
                    to: path,
                    in: draft,
                    compressed: compressed,
                    while: mayContinue
                ) { progress?.advance(to: copied + Int64(Double(whole) * $0), of: copied + whole) }
                // The ZIP library may leave out its last report of the progress.
                progress?.advance(to: copied + whole, of: copied + whole)
                return errors
            }
            try await runBlocking { replacement.cancel() }
            return .archiveExported(archiveErrors: errors + left)
        } catch {
            await runCleanup { replacement.cancel() }
            guard let error = error as? ZIPError else { throw error }
            let shown = folders.shownPath(path)
            throw error.chatFailure(shown == path ? FilePaths.parentFolder(of: path) : shown, "openBinaryTempFile")
        }
    }

    /// Makes databases of the apps from the copies, or encrypts the copies with the passphrase of the archive.
    /// - Returns: descriptions of data that databases of the apps cannot contain.
    private func encryptCopies(
        _ copies: [String],
        _ config: ArchiveConfig?,
        _ key: DatabaseKey
    ) async throws -> [ArchiveError] {
        guard let passphrase = config?.passphrase else { return [] }
        if config?.format == .app {
            return try await makeDatabasesOfApp(services.configuration.replacement, key, passphrase)
        }
        for copy in copies {
            try await services.withDatabase(copy, key: key, ChatDatabaseError.errorExport) {
                try await $0.rekey(to: .passphrase(passphrase))
            }
        }
        return []
    }

    /// Makes hard links to the files, so that the contents stay if the chat deletes the files. Files that no longer
    /// exist are omitted.
    private static func hardLinkFiles(
        _ files: [ZIPWriter.SourceFile],
        in folder: String,
        _ errors: inout [ArchiveError]
    ) -> [ZIPWriter.SourceFile] {
        files.enumerated().compactMap { index, file in
            let place = "\(folder)/\(index)"
            if link(file.path, place) == 0 { return ZIPWriter.SourceFile(path: place, name: file.name) }
            let error = FileSystemError(.open, file.path, code: errno)
            // Only a missing file is left out. After any other error, such as a file system without hard links, the
            // export reads the original file.
            guard error.errnoCode == ENOENT else { return file }
            errors.append(.fileError(file: file.name, fileError: error.message()))
            return nil
        }
    }

    /// Returns whether an earlier run of this request has written the archive. An archive gets its name when it is
    /// complete. If no file exists at the path, this function records that the request will write the archive.
    private func isAlreadyExported(_ path: String) async -> Bool {
        guard let claim, let isThere = try? await runBlocking({ DiskFiles.exists(path) }) else { return false }
        if isThere { return (try? await store.read { db in try claim.isRequestStored(in: db) }) ?? false }
        try? await store.write { tx in try claim.recordConnection(connection: nil, at: tx.now, in: tx.db) }
        return false
    }

    /// Returns the files to export with the databases, and an error for each file that cannot be exported.
    /// - Parameter wallpapers: a folder with the wallpapers of the chat database; nil without such a folder.
    private static func findFilesToExport(
        _ folders: LocalFolders.Paths,
        wallpapers: String? = nil
    ) -> ([ZIPWriter.SourceFile], [ArchiveError]) {
        var sources: [ZIPWriter.SourceFile] = []
        var errors: [ArchiveError] = []
        var names: Set<String> = []
        let sourceFolders = [
            (folders.filesFolder, ArchiveNames.filesFolder), (wallpapers, ArchiveNames.wallpapersFolder),
            (folders.assetsFolder + "/wallpapers", ArchiveNames.wallpapersFolder),
        ]
        for case (let folder?, let name) in sourceFolders {
            for file in DiskFiles.listFiles(folder)
            where !FileName.isTemporaryName(file) && names.insert(name + file).inserted {
                let path = folder + "/" + file
                if !ZIPReader.isSafeName(name + file) {
                    errors.append(.fileError(file: file, fileError: "an archive cannot contain a file with this name"))
                } else {
                    do throws(FileSystemError) {
                        try DiskFiles.checkReadable(path)
                        sources.append(ZIPWriter.SourceFile(path: path, name: name + file))
                    } catch {
                        errors.append(.fileError(file: file, fileError: error.message()))
                    }
                }
            }
        }
        return (sources, errors)
    }
}

extension ZIPError {
    func chatFailure(_ path: String, _ action: String) -> ChatFailure {
        switch self {
        case .fileNotOpened(let code), .writeFailed(let code):
            FileSystemError(.open, path, code: code).chatFailure(action)
        case .notAnArchive: ChatFailure(ChatErrorType.exception(message: "\(path): not a ZIP archive"))
        case .damagedEntry(let entry): ChatFailure(ChatErrorType.exception(message: "\(path): \(entry) is damaged"))
        case .unsafeName(let name):
            ChatFailure(ChatErrorType.exception(message: "\(path): the name \(name) leads out of the archive"))
        case .duplicateName(let name): ChatFailure(ChatErrorType.exception(message: "\(path): \(name) occurs twice"))
        case .stopped: ChatFailure(ChatErrorType.chatStoreChanged)
        case .tooLarge: ChatFailure(ChatErrorType.exception(message: "\(path): its unpacked content is too large"))
        case .unsupportedEntry(let entry):
            ChatFailure(
                ChatErrorType.exception(message: "\(path): \(entry) is encrypted or compressed in an unknown way")
            )
        }
    }
}
