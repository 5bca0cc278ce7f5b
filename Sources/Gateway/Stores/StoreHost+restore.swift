internal import ChatCore
internal import Concurrency
internal import Files
internal import JSON

#if canImport(Glibc)
    internal import Glibc
#endif

extension StoreHost {
    /// Makes a store from a copy of one store. The store has its former id, keys and passwords. It is opened if it
    /// needs no password.
    /// - Parameter path: a folder, or the file of an encrypted copy.
    func restoreStore(_ path: String, _ secret: BackupSecret?) async throws -> Store {
        guard !isStopped else { throw ProblemDetails(.unavailable, "The server is stopping.") }
        return try await restorationLock.runLocked {
            let folders = folders
            // The draft has a temporary id until the id of the copied store is known.
            let draft = folders.makeDraftFolder(StoreID.make())
            do {
                let id = try await runBlocking { [self] () throws -> String in
                    try DiskFiles.makeFolder(folders.path)
                    folders.onStep("make the folder")
                    try DiskFiles.makeNewFolder(draft.path)
                    folders.onStep("copy the store")
                    try copyBackup(path, secret, to: draft.path)
                    return try prepareDraft(draft)
                }
                guard findStore(id) == nil else {
                    throw ProblemDetails(.conflict, "The store \(id) exists already: to replace it, delete it first.")
                }
                let folder = folders.makeStoreFolder(id).path
                // A store with this id may exist even if this node has not loaded it: another node may have the store,
                // or its record cannot be read.
                guard !DiskFiles.exists(folder) else {
                    throw ProblemDetails(
                        .conflict,
                        "The store \(id) exists already: to replace it, delete it first. If this gateway does not list it, move \(folder) away."
                    )
                }
                try await takeOverCopy(in: draft)
                try await checkDraft(id, draft)
                let store = try await creationLock.runLocked {
                    try await runBlocking { [self] () throws -> Store in
                        guard let record = draft.readRecord() else {
                            throw ProblemDetails(.invalidValue, "The copy has no record of a store.")
                        }
                        try WorkProgress.preventCancellation()
                        try folders.publishDraft(draft, as: id)
                        return try addStore(id, record)
                    }
                }
                if store.canOpenByItself {
                    do throws(ProblemDetails) { try await openPasswordlessStore(store) } catch {
                        log.error(
                            "a restored store stays locked",
                            metadata: ["store": "\(id)", "reason": "\(error.detail)"]
                        )
                    }
                }
                return store
            } catch {
                await runCleanup {
                    draft.destroyKeys()
                    draft.removeFolder()
                }
                throw error
            }
        }
    }

    /// Copies or decrypts a backup of one store into a folder, and verifies the files. Blocks the thread.
    private func copyBackup(_ path: String, _ secret: BackupSecret?, to target: String) throws {
        let (progress, mayContinue) = (
            WorkProgress.currentProgress, WorkProgress.makeContinueCondition { !self.isStopped }
        )
        progress?.beginCounting(
            .bytes,
            of: DiskFiles.isFolder(path) ? DiskFiles.totalBytes(in: path) : DiskFiles.fileSize(path)
        )
        if DiskFiles.isFolder(path) {
            guard DiskFiles.isFile(path + FolderBackup.storeRecordName) else {
                throw ProblemDetails(
                    .invalidValue,
                    "\(path) is not a copy of one store. If it is a copy of everything, `simplex-gateway restore` restores it while no gateway runs."
                )
            }
            try DiskFiles.copyFolder(path, to: target, while: mayContinue) { progress?.advance(by: $0) }
            do throws(CopyChecksums.Fault) {
                if try !CopyChecksums.verifyFiles(target, while: mayContinue) {
                    log.warning(
                        "the copy has no list of its contents: missing files are not noticed",
                        metadata: ["copy": "\(path)"]
                    )
                }
            } catch { throw ProblemDetails(error) }
            return CopyChecksums.removeListFiles(from: target)
        }
        guard DiskFiles.isFile(path) else { throw ProblemDetails(.invalidValue, "There is no backup at \(path).") }
        guard let secret else {
            throw ProblemDetails(member: "passphrase", "is missing: the backup is encrypted.", .missing)
        }
        do throws(BackupFault) {
            var reader = try BackupReader(path, secret: secret)
            guard reader.kind == .store else { throw .notAStoreCopy }
            try reader.extract(into: target, while: mayContinue)
        } catch {
            throw ProblemDetails(error)
        }
    }

    /// Prepares the folder of a store that is being restored, and returns the id of the store. Blocks the thread.
    private func prepareDraft(_ draft: StoreFolder) throws -> String {
        let record = draft.path + FolderBackup.storeRecordName
        let json = try DiskFiles.readFile(record).flatMap { try? JSONValue(parsing: $0) }
        guard let id = json?["storeId"]?.stringValue, StoreID.isID(id) else {
            throw ProblemDetails(.invalidValue, "The copy does not name its store.")
        }
        // A store may delete everything in its folder of the object storage. So the folder must belong to this store.
        guard [nil, id].contains(draft.readRecord()?.objectFolder) else {
            throw ProblemDetails(.invalidValue, "The copy names the folder of another store in the object storage.")
        }
        DiskFiles.removeFile(record)
        DiskFiles.removeFile(draft.fencePath)
        do { try draft.copiedDatabases.renameToCopied() } catch let error as ChatOpenError {
            throw convertCopyError(error)
        }
        // The mark that shows that the store is a copy is written now, because copies from earlier versions have no
        // mark.
        try DiskFiles.replaceFile(draft.copyMarkPath, with: [])
        return id
    }

    /// Copies the rows of the copied databases into new databases, if the key file in the same folder opens the copied
    /// databases. Rows that only a password opens are copied later, when the password is given.
    private func takeOverCopy(in draft: StoreFolder) async throws {
        let ring = FileKeyring(path: draft.databaseKeyPath), objects = draft.readRecord()?.objectFolder
        // Without a key that can be read, the databases stay as they are, and `checkDraft` reports the reason later.
        guard draft.hasKeyFile, let key = (try? ring.readKeyMaterial()) ?? nil else { return }
        do throws(ChatOpenError) {
            do throws(ChatOpenError) {
                try await adoptCopy(in: draft, .sealed(key), objects: objects, reading: copiedDatabaseReads)
            } catch {
                guard case .wrongKey = error, let prepared = (try? ring.readPreparedKey()) ?? nil else {
                    throw error
                }
                try await adoptCopy(in: draft, .sealed(prepared), objects: objects, reading: copiedDatabaseReads)
                ring.adoptNewKey()
            }
        } catch { throw convertCopyError(error) }
    }

    private func convertCopyError(_ error: ChatOpenError) -> any Error {
        switch error {
        case .unusableCopy(let reason): ProblemDetails(.invalidValue, "The copy cannot be used: \(reason).")
        case .wrongKey:
            ProblemDetails(
                .invalidValue,
                "The copy cannot be used: the key does not open its databases, or these files are not databases."
            )
        default: error
        }
    }

    /// Checks the databases of a store that is being restored, and the files beside them.
    /// - Throws: when the store could not be opened.
    private func checkDraft(_ id: String, _ draft: StoreFolder) async throws {
        guard let fault = await StoreInspection.inspectOne(id, in: draft).faults.first else { return }
        // The client does not know the path of the draft, so the path is removed from the message.
        throw ProblemDetails(
            .invalidValue,
            "The copy cannot be used: \(fault.text.replacing(draft.path + "/", with: ""))."
        )
    }
}

extension ProblemDetails {
    fileprivate init(_ fault: CopyChecksums.Fault) {
        switch fault {
        case .damagedList, .missingFile, .changedFile: self.init(.invalidValue, "The copy is damaged: \(fault).")
        case .fileError(let error): self.init(error, "The copy cannot be read: \(error)")
        case .stopped: self.init(.unavailable, "The server is stopping.")
        }
    }

    init(_ fault: BackupFault) {
        let text = fault.description
        let sentence = text.prefix(1).uppercased() + text.dropFirst() + "."
        switch fault {
        case .wrongSecret, .wrongSecretKind: self.init(.wrongPassphrase, sentence)
        case .notABackup, .damagedFile, .notAStoreCopy: self.init(.invalidValue, sentence)
        case .stopped: self.init(.unavailable, "The server is stopping.")
        case .fileError(let error): self.init(error, "The backup cannot be read: \(error)")
        }
    }
}
