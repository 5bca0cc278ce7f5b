import ArgumentParser
import Files
import Gateway
import JSON
import NIOPosix
import RelayBase
import SimpleXCrypto
import SMPRelay
import XFTPRelay

/// `simplex-gateway restore`: makes a data folder from a backup, or restores one store into the running gateway.
struct Restore: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Make a data folder from a copy that `backup` has made.",
        discussion: """
            The copy is checked first, and is not changed. --data names the new data folder. It must not exist yet, or must be empty: to replace a data folder, move it away first. The new folder gets \
            its name when it is complete. With --stores, the copy's stores other than the first go to that folder instead, which several nodes share; a store \
            that exists there is never replaced. Never run the original and the restored gateway together: contacts would no longer understand one of them.

            The copy of one store is restored into the running gateway, with its former id, API keys and passwords. Here --data names the gateway's folder, for its admin key.
            """
    )

    @OptionGroup var client: ClientOptions
    @Option(
        help:
            "File with the database key, if the copy has no key: 64 hexadecimal digits, or a passphrase. (default: database.key in the copy)"
    )
    var databaseKeyFile: String?
    @Option(
        help:
            "The folder of the stores other than the first, which all nodes share. (default: stores in the data folder)"
    )
    var stores: String?
    @Option(help: BackupSecretFile.help)
    var backupPassphraseFile: String?
    @Argument(help: "The folder of the copy, or the file of an encrypted copy.")
    var copy: String

    func run() async throws {
        try await exitOnFailure {
            let settings = try Settings()
            let source = FilePaths.absolutePath(copy)
            guard !DiskFiles.isPipe(source) else {
                throw Failure.configurationFailure(
                    "\(source) is a pipe, but an encrypted copy is read more than once: give a file"
                )
            }
            if FolderCopies.isStoreCopy(source) { return try await restoreStore(source, settings) }
            let target = FilePaths.absolutePath(
                try settings.readText("data", client.data) ?? DataFolder.findStandardPath()
            )
            let keyFile = try settings.readPath("database-key-file", databaseKeyFile)
            try checkTarget(target, source)
            let shared = try settings.readText("stores", stores).map(FilePaths.absolutePath)
            if let shared { try checkSharedFolder(shared, source, target) }
            if BackupReader.isBackup(source) {
                let secret = try readSecret(settings)
                try await fillFolder(to: target, shared, keyFile: keyFile) { partial in
                    var reader = try BackupReader(source, secret: secret)
                    try reader.extract(into: partial)
                }
            } else {
                try await restoreFolder(source, to: target, shared, keyFile: keyFile)
            }
            printLine(
                "\(source) was restored to \(target)"
                    + (shared.map { ", and the stores other than the first to \($0)" } ?? "")
            )
        }
    }

    /// Refuses a path for the data folder if the restoration would replace the backup or another file.
    private func checkTarget(_ target: String, _ source: String) throws {
        guard source != target, !FilePaths.isBelow(target, source) else {
            throw Failure.configurationFailure("the data folder \(target) must be outside of the copy")
        }
        let partial = target + ".partial"
        guard source != partial, !FilePaths.isBelow(source, partial) else {
            throw Failure.configurationFailure(
                "the copy is in \(partial), which is needed for the unfinished data folder: move the copy away"
            )
        }
        guard try !DiskFiles.exists(target) || DiskFiles.isFolder(target) && DiskFiles.listNames(in: target).isEmpty
        else {
            throw Failure.configurationFailure("\(target) exists already: to replace it, move it away first")
        }
        guard !DiskFiles.isMountPoint(target) else {
            throw Failure.configurationFailure(
                "\(target) is a mount point, which cannot be replaced: name a folder in it"
            )
        }
    }

    /// Restores a backup that is a folder, and not an encrypted file.
    private func restoreFolder(
        _ source: String,
        to target: String,
        _ shared: String?,
        keyFile: String?
    ) async throws {
        guard DiskFiles.isFolder(source) else {
            throw Failure.configurationFailure(
                DiskFiles.exists(source)
                    ? "\(source) is not an encrypted copy" : "there is no copy at \(source)"
            )
        }
        guard DiskFiles.isFile(source + "/keys.json") else {
            throw Failure.configurationFailure(
                "\(source) is not a complete copy of a data folder: keys.json is missing"
            )
        }
        // The folder is locked, because a gateway that starts with the copy would change the files.
        let folder = try DataFolder(source)
        _ = try await checkCopy(source, as: source, keyFile: keyFile)
        try await fillFolder(to: target, shared, keyFile: keyFile) { partial in
            try DiskFiles.copyFolder(folder.path, to: partial, except: [".lock", Self.unfinishedMarkName])
            // A missing list of contents causes only a warning. An earlier version may have made the copy, or a gateway
            // that was started with the copy has removed the list.
            if try !CopyChecksums.verifyFiles(partial) {
                printWarning(
                    "the copy has no list of its contents, \(CopyChecksums.fileName): missing files are not noticed"
                )
            }
            CopyChecksums.removeListFiles(from: partial)
        }
    }

    private func readSecret(_ settings: Settings) throws -> BackupSecret {
        guard let text = try BackupSecretFile.readText(settings, backupPassphraseFile) else {
            throw Failure.configurationFailure(
                "the copy is encrypted: name the file with its passphrase with --backup-passphrase-file"
            )
        }
        return BackupSecret(SecretBytes(text.utf8))
    }

    /// Restores a copy of one store into the running gateway.
    private func restoreStore(_ source: String, _ settings: Settings) async throws {
        var body: JSONObject = ["backup": .string(source)]
        if let secret = try BackupSecretFile.readText(settings, backupPassphraseFile) {
            body["passphrase"] = .string(secret)
        }
        let request = JSONValue.object(body)
        try await client.withGateway(settings) { gateway in
            let store = try await gateway.sendRequest(.POST, "/v1/restore", request, within: .hours(12))
            printLine(
                "the store \(store["storeId"]?.stringValue ?? "") was restored, and is \(store["state"]?.stringValue ?? "")"
            )
        }
    }

    /// Checks whether the copy of a data folder can be used.
    /// - Parameter name: the path that messages contain in place of a temporary folder.
    /// - Returns: the faults of the relays, and of stores other than the first.
    /// - Throws: when the first store cannot be opened, or a key file cannot be read.
    private func checkCopy(_ source: String, as name: String, keyFile: String?) async throws -> [String] {
        func refuse(_ reason: String, _ code: Int32 = 1) -> Failure {
            Failure(exitCode: code, message: "the copy cannot be used: \(reason.replacing(source, with: name))")
        }
        do throws(KeyFileError) { _ = try KeyFile(folder: source).loadKeys() } catch { throw refuse(error.description) }
        let relays = [Relay.inspectFolder(source + "/relay"), FileRelay.inspectFolder(source + "/file-relay")].flatMap(
            \.faults
        )
        .map(\.description)
        let stores = try await StoreInspection.inspectAll(in: source, keyFile: keyFile)
        if let fault = stores.first?.faults.first { throw refuse(fault.text, fault.isOfKey ? 3 : 1) }
        return (relays + stores.dropFirst().flatMap(\.faults).map(\.text)).map { $0.replacing(source, with: name) }
    }

    private func checkSharedFolder(_ shared: String, _ source: String, _ target: String) throws {
        guard DiskFiles.isFolder(shared) else { throw Failure.configurationFailure("there is no folder \(shared)") }
        guard ![source, target].contains(where: { $0 == shared || FilePaths.isBelow(shared, $0) }) else {
            throw Failure.configurationFailure(
                "--stores is \(shared), but must be outside of the copy and of the data folder"
            )
        }
    }

    /// The name of the file that marks a folder which a restoration is filling.
    private static let unfinishedMarkName = ".unfinished-restore"

    /// Destroys the keys in an unfinished folder before the folder is removed. The backup may be encrypted, so no key
    /// that opens its data may stay on the disk.
    @Sendable private static func destroyKeys(_ path: String) {
        for folder in [path] + DiskFiles.listEntries(path).map({ path + "/" + $0 }) {
            FolderCopies.destroyKeys(of: folder)
        }
    }

    private static func makeUnfinishedFolder(_ path: String) throws(Failure) -> UnfinishedFolder {
        do throws(UnfinishedFolder.Fault) {
            return try UnfinishedFolder.makeFolder(path, mark: unfinishedMarkName, removing: destroyKeys)
        } catch {
            switch error {
            case .inUse: throw Failure(exitCode: 4, message: "another restoration is using \(path)")
            case .pathOccupied:
                throw Failure.configurationFailure(
                    "there is something at \(path) that is not from a restoration: move it away"
                )
            case .fileError(let error): throw Failure(exitCode: 1, message: "the copy could not be restored: \(error)")
            }
        }
    }

    /// Fills a temporary folder from the backup, checks the folder, and renames it to its final name.
    /// - Parameter shared: the folder for stores other than the first; nil to keep them in the restored folder.
    private func fillFolder(
        to target: String,
        _ shared: String?,
        keyFile: String?,
        _ fill: (_ partial: String) throws -> Void
    ) async throws {
        do throws(FileSystemError) { try DiskFiles.makeFolder(FilePaths.parentFolder(of: target)) } catch {
            throw Failure(exitCode: 1, message: "the copy could not be restored: \(error)")
        }
        let unfinished = try Self.makeUnfinishedFolder(target + ".partial")
        var moved: [String] = []
        do {
            try fill(unfinished.path)
            for fault in try await checkCopy(unfinished.path, as: target, keyFile: keyFile) {
                printWarning("the copy, and so the data folder, has a fault: \(fault)")
            }
            try FolderCopies.markStoresAsCopies(of: unfinished.path)
            if let shared { moved = try moveStores(of: unfinished.path, to: shared) }
            DiskFiles.removeEmptyFolder(target)
            try unfinished.renameToFinal(as: target)
        } catch {
            Self.removeStores(moved)
            unfinished.removeFolder()
            switch error {
            case let failure as Failure: throw failure
            case BackupFault.wrongSecret, BackupFault.wrongSecretKind:
                throw Failure(exitCode: 3, message: "the copy could not be restored: \(error)")
            default: throw Failure(exitCode: 1, message: "the copy could not be restored: \(error)")
            }
        }
    }

    /// Removes stores that were moved before the restoration failed.
    private static func removeStores(_ stores: [String]) {
        for store in stores {
            FolderCopies.destroyKeys(of: store)
            DiskFiles.removeTree(store)
        }
    }

    /// Moves the stores of a restored folder to the folder that several nodes share. If one store cannot be moved, none
    /// is moved.
    /// - Returns: the new folders of the stores.
    private func moveStores(of partial: String, to shared: String) throws -> [String] {
        let ids = try StoreInspection.listIDs(in: partial + "/stores")
        let there = ids.filter { DiskFiles.exists(shared + "/" + $0) }
        guard there.isEmpty else {
            throw Failure.configurationFailure(
                "\(shared) has \(there.count) of the copy's stores already: to replace them, delete them or move them away first: \(there.joined(separator: " "))"
            )
        }
        let restoring = try Self.makeUnfinishedFolder(shared + "/.restoring")
        defer { restoring.removeFolder() }
        var moved: [String] = []
        do throws(FileSystemError) {
            // The shared folder may be on another file system, so the stores are copied before they are renamed.
            try DiskFiles.copyFolder(partial + "/stores", to: restoring.path)
            for id in ids {
                try DiskFiles.rename(restoring.path + "/" + id, toNew: shared + "/" + id)
                moved.append(shared + "/" + id)
            }
            try DiskFiles.syncEntry(shared)
            FolderCopies.destroyKeys(of: partial, first: false)
            DiskFiles.removeTree(partial + "/stores")
            return moved
        } catch {
            Self.removeStores(moved)
            throw error
        }
    }
}
