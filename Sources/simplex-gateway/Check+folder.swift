import Files
import Gateway
import Glibc

/// Checks the data folder, and files with secrets elsewhere, for `simplex-gateway check`.
extension Check {
    /// Checks the data folder and its contents.
    /// - Returns: whether a running gateway uses the folder.
    func checkFolder(_ settings: Settings, _ folder: String, _ report: inout CheckReport) async -> Bool {
        guard DiskFiles.isFolder(folder) else {
            checkParentFolder(of: folder, &report)
            return false
        }
        guard !FolderCopies.isStoreCopy(folder) else {
            report.addFault(Failure.storeCopyFailure(folder).message, 2)
            return false
        }
        if Self.readPermissions(of: folder) & 0o077 != 0 {
            report.addFault("other users of this machine can read \(folder): chmod 700", 1)
        }
        guard access(folder, R_OK | W_OK | X_OK) == 0 else {
            report.addFault("this user cannot read and write \(folder): \(String(cString: strerror(errno)))", 1)
            return false
        }
        do throws(FileSystemError) { try DiskFiles.checkAllReadable(below: folder) } catch {
            report.addFault("no copy of \(folder) can be made: \(error)", 1)
        }
        if checkFreeSpace(folder, &report) { report.addSuccess("the data folder \(folder)") }
        do throws(KeyFileError) {
            let keys = try KeyFile(folder: folder).loadKeys()
            if keys.isEmpty {
                report.addNote("there are no API keys yet: serve makes the first one")
            } else {
                report.addSuccess(countWithNoun(keys.count, "API key"))
            }
        } catch { report.addFault(error.description, 1) }
        if !DiskFiles.hasBytes(folder + "/admin.key") {
            report.addNote(
                "there is no key in \(folder)/admin.key: commands such as backup, invite and web need a key in SXGW_KEY"
            )
        }
        // A gateway makes the lock file at its first start. Without this file no gateway uses the folder, so no lock is
        // taken.
        guard DiskFiles.exists(folder + "/.lock") else {
            await checkFolderContents(settings, folder, &report)
            return false
        }
        let lock: FileLock?
        do throws(FileSystemError) { lock = try FileLock.tryAcquire(folder + "/.lock") } catch {
            report.addFault(error.description, 1)
            return false
        }
        guard let lock else {
            report.addNote("a gateway uses \(folder): its databases and relays are not checked")
            return true
        }
        await checkFolderContents(settings, folder, &report)
        _ = consume lock
        return false
    }

    /// Checks the contents of a data folder that no gateway uses now.
    private func checkFolderContents(_ settings: Settings, _ folder: String, _ report: inout CheckReport) async {
        let parts = ["simplex_v1_chat.db", "simplex_v1_agent.db", "database.key", "passwords.json", "stores"]
        let isNew = !parts.contains { DiskFiles.exists(folder + "/" + $0) }
        do throws(CopyChecksums.Fault) { _ = try CopyChecksums.verifyFiles(folder) } catch {
            report.addFault("the folder is a copy that was changed: \(error)", 1)
        }
        let relay = checkRelayFolders(settings, folder, isNew: isNew, &report)
        let keyFile: String?
        do { keyFile = try settings.readPath("database-key-file", serve.databaseKeyFile) } catch {
            return report.addFault("\(error)", 2)
        }
        if isNew, keyFile == nil {
            report.addNote("there are no databases yet")
        } else {
            do {
                let stores = try await StoreInspection.inspectAll(
                    in: folder,
                    keyFile: keyFile,
                    relays: findRelays(settings, folder, relay)
                )
                for store in stores { report.addStoreFindings(store) }
                checkStoreCount(of: stores.count, settings, &report)
                for name in DiskFiles.listEntries(folder + "/stores")
                where !name.hasPrefix(".") && !stores.contains(where: { $0.id == name }) {
                    report.addNote("\(folder)/stores/\(name) is not a store: its name is not the id of a store")
                }
            } catch { report.addFault("\(error)", 1) }
        }
    }

    // MARK: Secrets

    /// Checks the permissions of files that other users of this machine must not read.
    func checkSecretFiles(_ settings: Settings, _ folder: String, _ report: inout CheckReport) {
        // Other users cannot read these files while the folder is closed to them. But a copy of a file keeps its
        // permissions, and may be in an open folder. So the check only adds a note.
        for path in Self.secretPaths(in: folder) where Self.readPermissions(of: path) & 0o077 != 0 {
            report.addNote("other users could read \(path) if its folder were open to them: chmod 600")
        }
        let files: [(option: String, flag: String?)] = [
            ("database-key-file", serve.databaseKeyFile), ("tls-key", serve.tlsKey),
            ("relay-password-file", serve.embedded.relayPasswordFile),
            ("name-resolver-auth", serve.embedded.nameResolver.nameResolverAuth),
            ("file-relay-web-key", serve.embedded.fileRelayWebKey), ("files-s3", serve.objects.filesS3),
            ("events-redis", serve.broker.eventsRedis), ("otlp-headers", serve.spans.otlpHeaders),
        ]
        for (option, flag) in files {
            // An option that cannot be read is skipped: the check of the configuration has reported it.
            guard let path = (try? settings.readPath(option, flag)).flatMap({ $0 }) else { continue }
            // Only a right of all users is reported. A group may be allowed to read the file, for example TLS keys.
            if Self.readPermissions(of: path) & 0o004 != 0 {
                report.addNote("everybody on this machine can read \(path), the file of --\(option): chmod 600")
            }
        }
    }

    /// Returns the paths of files that other users must not read: data, and keys that open data. The files are in a
    /// data folder, its stores and its relays.
    private static func secretPaths(in folder: String) -> [String] {
        let stores = DiskFiles.listEntries(folder + "/stores").map { folder + "/stores/" + $0 }
        return ([folder, folder + "/relay", folder + "/file-relay"] + stores).flatMap { place in
            DiskFiles.listFiles(place).filter { name in
                [".key", ".json", ".db", "-wal", ".log"].contains(where: name.hasSuffix)
            }.map { place + "/" + $0 }
        }
    }

    /// Returns the permissions of a file, or 0 when the file does not exist.
    private static func readPermissions(of path: String) -> mode_t {
        var status = stat()
        return stat(path, &status) == 0 ? status.st_mode & 0o777 : 0
    }

    // MARK: Free space

    private func checkStoreCount(of stores: Int, _ settings: Settings, _ report: inout CheckReport) {
        let (hasRelay, hasFileRelay) = serve.embedded.areRelaysConfigured(settings)
        guard let budget = try? serve.connections.makeBudget(settings, hasRelay: hasRelay, hasFileRelay: hasFileRelay),
            budget.openStores < stores
        else { return }
        report.addNote(
            "there are \(stores) stores, but only \(budget.openStores) can be open at the same time: raise the limit of open files (ulimit -n), or see --max-open-stores and --close-idle-stores"
        )
    }

    @discardableResult private func checkFreeSpace(_ folder: String, _ report: inout CheckReport) -> Bool {
        let mebibytes = DiskFiles.readFreeBytes(at: folder) >> 20
        guard mebibytes < 100 else { return true }
        report.addFault("the disk of \(folder) has only \(mebibytes) MiB left", 1)
        return false
    }

    /// Checks whether `serve` can make a data folder that does not exist yet.
    private func checkParentFolder(of folder: String, _ report: inout CheckReport) {
        var place = folder
        while (try? DiskFiles.hasEntry(place)) == false, place != FilePaths.parentFolder(of: place) {
            place = FilePaths.parentFolder(of: place)
        }
        guard DiskFiles.isFolder(place) else { return report.addFault("\(place) is not a folder", 1) }
        guard access(place, W_OK | X_OK) == 0 else {
            return report.addFault("there is no folder \(folder) yet, and this user cannot make it in \(place)", 1)
        }
        report.addNote("there is no folder \(folder) yet: serve makes it at its first start")
        checkFreeSpace(place, &report)
    }
}
