internal import Concurrency
internal import Files

extension FolderBackup {
    func makeBackup(of host: StoreHost) async throws -> Outcome {
        let stores = host.folders.path
        let (unfinished, place) = try await runBlocking { try prepareTarget(stores) }
        if let progress = WorkProgress.currentProgress {
            let source = storeID.flatMap { host.findStore($0)?.folder.path } ?? dataFolder
            let bytes = try await runBlocking { DiskFiles.totalBytes(in: source) }
            // An encrypted backup writes its bytes twice: to the copy in the data folder, and to the encrypted file.
            progress.beginCounting(.bytes, of: encryptionSecret == nil ? bytes : 2 * bytes)
        }
        do {
            let sources = try await runBlocking { [earlierCopy] in try CopySources(base: earlierCopy) }
            var copied =
                if let storeID { try await copyStore(host, storeID, sources) } else {
                    try await copyAllStores(host, sources)
                }
            if storeID == nil, host.settings.placement != nil { try await copySharedStores(host, sources, &copied) }
            copied.faults = try await findFaults(keyOutside: host.firstStore?.folder.outsideKeyPath)
            let (outcome, mayContinue) = (copied, host.backupSlot.mayContinue)
            return try await runBlocking {
                host.folders.onStep("complete the copy")
                return try completeCopy(unfinished, place, sources, outcome, while: mayContinue)
            }
        } catch {
            await runCleanup {
                place?.discard()
                unfinished.removeFolder()
            }
            throw error
        }
    }
}
