internal import ChatCore
internal import Concurrency
internal import Files
internal import Glibc
internal import JSON
internal import SimpleXCrypto

/// The target of a backup: its checks, the folder of the unfinished copy, and the completion of the copy.
extension FolderBackup {
    /// Checks the path of the new copy, and makes the unfinished folder and file of the copy.
    /// - Parameter stores: the folder of the stores.
    /// - Returns: the folder into which the files are copied, and the file of an encrypted copy.
    func prepareTarget(_ stores: String) throws -> (UnfinishedFolder, UnfinishedFile?) {
        try checkTarget(stores)
        // An earlier backup with the same target may have been of the other kind (encrypted or not), and may have left
        // remains.
        if encryptionSecret == nil {
            UnfinishedFile.removeLeftoverFile(target)
        } else {
            UnfinishedFolder.removeUnfinished(target + ".partial", mark: Self.unfinishedMarkName)
        }
        let place = encryptionSecret == nil ? nil : try UnfinishedFile(target)
        do { return (try makeFolder(), place) } catch {
            place?.discard()
            throw error
        }
    }

    /// Checks the unfinished copy, and returns the descriptions of its faults.
    /// - Parameter keyOutside: the key file of the first store, if it is not in the data folder.
    /// - Throws: `conflict` if the copy contains only one store, and this store has a fault.
    func findFaults(keyOutside: String?) async throws -> [String] {
        if let storeID {
            guard
                let fault = await StoreInspection.inspectOne(
                    storeID,
                    in: StoreFolder(path: unfinishedPath),
                    isQuick: true
                )
                .faults.first
            else { return [] }
            throw ProblemDetails(
                .conflict,
                "The store cannot be copied: \(fault.text.replacing(unfinishedPath, with: dataFolder + "/stores/" + storeID))."
            )
        }
        var faults: [String] = []
        do throws(KeyFileError) { _ = try KeyFile(folder: unfinishedPath).loadKeys() } catch {
            faults.append(error.description)
        }
        for check in checks { faults += try await runBlocking { check(unfinishedPath) } }
        for store in try await StoreInspection.inspectAll(in: unfinishedPath, keyFile: keyOutside, isQuick: true) {
            faults += store.faults.map(\.text)
        }
        return faults.map { $0.replacing(unfinishedPath, with: dataFolder) }
    }

    /// Completes the copy and renames it to the target.
    func completeCopy(
        _ unfinished: UnfinishedFolder,
        _ place: UnfinishedFile?,
        _ sources: CopySources,
        _ outcome: Outcome,
        while mayContinue: () -> Bool
    ) throws -> Outcome {
        guard let encryptionSecret, let place else {
            try sources.writeStates(to: unfinished.path)
            let known = sources.sharedHashes
            try CopyChecksums.writeList(
                in: unfinished.path,
                except: [Self.unfinishedMarkName],
                known: known,
                while: mayContinue
            )
            var outcome = outcome
            for name in [CopySources.fileName, CopyChecksums.fileName] {
                outcome.countFile(unfinished.path + "/" + name)
            }
            outcome.sharedFileCount = known.count
            // The whole copy must be on the disk before it is renamed.
            sync()
            try WorkProgress.preventCancellation()
            try unfinished.renameToFinal(as: target)
            return outcome
        }
        let writer = try BackupWriter(
            place,
            storeID == nil ? .dataFolder : .store,
            secret: encryptionSecret,
            cost: passwordCost
        )
        try writer.add(contentsOf: unfinished.path, except: [Self.unfinishedMarkName], while: mayContinue)
        try writer.finish()
        guard mayContinue() else { throw CancellationError() }
        try WorkProgress.preventCancellation()
        try place.publish()
        unfinished.removeFolder()
        var made = Outcome()
        made.countFile(target)
        (made.storesElsewhere, made.storesLeftOut, made.faults) = (
            outcome.storesElsewhere, outcome.storesLeftOut, outcome.faults
        )
        return made
    }

    /// Makes the folder for the unfinished copy.
    private func makeFolder() throws -> UnfinishedFolder {
        // An unencrypted copy has its keys beside the databases by choice of the administrator, so its remains are
        // removed without overwriting.
        let isStaging = encryptionSecret != nil
        do throws(UnfinishedFolder.Fault) {
            // Before the remains of an encrypted copy are removed, the keys that open its databases are overwritten.
            return try UnfinishedFolder.makeFolder(unfinishedPath, mark: Self.unfinishedMarkName) {
                if isStaging { FolderCopies.destroyKeys(of: $0) }
            }
        } catch {
            switch error {
            case .inUse: throw ProblemDetails.otherBackupRunningProblem(target)
            case .pathOccupied: throw ProblemDetails.occupiedPathProblem(unfinishedPath)
            case .fileError(let error):
                guard !error.isStorageFull else { throw error }
                throw ProblemDetails(.invalidValue, "The folder of the backup cannot be made: \(error)")
            }
        }
    }

    /// Checks that nothing exists at the target, and that the target is outside of the data folder.
    /// - Parameter stores: the folder of the stores. It is outside of the data folder when several nodes share the
    ///   stores.
    private func checkTarget(_ stores: String) throws(ProblemDetails) {
        guard !DiskFiles.exists(target) else {
            throw ProblemDetails(.invalidValue, "There is something at \(target) already.")
        }
        let parent = FilePaths.parentFolder(of: target)
        guard let real = FilePaths.realPath(parent), DiskFiles.isFolder(real) else {
            throw ProblemDetails(
                .invalidValue,
                "The folder of the copy cannot be made, because there is no folder \(parent)."
            )
        }
        for folder in [dataFolder, stores].map({ FilePaths.realPath($0) ?? $0 }) {
            guard real != folder, !FilePaths.isBelow(real, folder) else {
                throw ProblemDetails(
                    .invalidValue,
                    "The backup must be outside of the data folder: the next backup would contain it."
                )
            }
        }
    }
}
