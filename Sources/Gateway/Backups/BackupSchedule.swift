internal import ChatAPI
package import Files
internal import SimpleXCrypto

/// Settings of the regular backups of the data folder, which a gateway makes by itself. Each backup is called a copy.
package struct BackupSchedule: Sendable {
    /// The folder for the copies. The folder must exist, and must be outside of the data folder.
    package var folder: String
    /// Seconds from one copy to the next.
    package var intervalSeconds: Int64 = 86_400
    /// Number of complete copies that are kept.
    package var keptCopyCount = 7
    /// The secret that encrypts the copies; nil for unencrypted copies, which are folders and share unchanged files.
    package var secret: BackupSecret?
    /// The id of the gateway in the names of its copies; empty if no other gateway uses the folder. Copies of other
    /// gateways are neither counted nor deleted.
    package var gatewayID = ""

    package init(folder: String) { self.folder = folder }

    /// Seconds from a failed copy to the next attempt. If ``intervalSeconds`` is shorter, the next attempt is after the
    /// interval.
    static let retryDelaySeconds: Int64 = 600

    private static let (copyPrefix, encryptedSuffix) = ("copy-", ".backup")
    private static let removedSuffix = ".removed"
    /// Number of characters of ``gatewayID``.
    private static let gatewayIDLength = 12

    /// Returns the id of the gateway to which a data folder belongs, and makes the id at the first call. The caller
    /// must hold the lock of the folder. Copies of the folder contain the id, so a restored gateway continues its
    /// series of copies. Blocks the thread.
    package static func readOrMakeGatewayID(of dataFolder: String) throws(FileSystemError) -> String {
        let path = dataFolder + "/backups.id"
        if let known = try DiskFiles.readFile(path), known.count == gatewayIDLength, Hex.decode(known) != nil {
            return String(decoding: known, as: UTF8.self)
        }
        let made = Hex.encode(RandomBytes.make(count: gatewayIDLength / 2))
        try DiskFiles.replaceFile(path, with: Array(made.utf8))
        return made
    }

    private var gatewaySuffix: String { gatewayID.isEmpty ? "" : "-" + gatewayID }

    /// Returns the name for a copy that is made at a time. The alphabetical order of names is the order of the times.
    /// - Parameter seconds: the time since 1970-01-01T00:00:00Z.
    func copyName(at seconds: Int64) -> String {
        let time = Timestamp(seconds: seconds).text.replacing(":", with: "-")
        return Self.copyPrefix + time + gatewaySuffix + (secret == nil ? "" : Self.encryptedSuffix)
    }

    /// Returns the time in the name of a copy of this gateway; nil for other names.
    func parseTime(of name: String) -> Int64? {
        guard name.hasPrefix(Self.copyPrefix) else { return nil }
        var text = name.dropFirst(Self.copyPrefix.count)
        if text.hasSuffix(Self.encryptedSuffix) { text = text.dropLast(Self.encryptedSuffix.count) }
        guard text.hasSuffix(gatewaySuffix) else { return nil }
        let parts = text.dropLast(gatewaySuffix.count).split(separator: "T", omittingEmptySubsequences: false)
        guard parts.count == 2 else { return nil }
        return Timestamp(parsing: "\(parts[0])T\(parts[1].replacing("-", with: ":"))")?.seconds
    }

    /// Returns the complete copies of this gateway, the oldest first. Blocks the thread.
    func listCopies() -> [(path: String, time: Int64)] {
        DiskFiles.listEntries(folder).sorted().compactMap { name in
            let path = folder + "/" + name
            guard let time = parseTime(of: name), !DiskFiles.isLink(path),
                DiskFiles.isFile(path + "/" + CopyChecksums.fileName) || BackupReader.isBackup(path)
            else { return nil }
            return (path, time)
        }
    }

    /// Returns the time of the next copy. A last copy whose time is in the future, for example after a change of the
    /// clock, counts as made now.
    /// - Parameter last: the time of the last copy; nil if there is no copy.
    func nextCopyTime(after last: Int64?, now: Int64) -> Int64 { last.map { min($0, now) + intervalSeconds } ?? now }

    /// Whether no other process, such as a restoration, uses a copy. A copy that cannot be locked counts as used.
    /// Blocks the thread.
    static func isCopyUnused(_ copy: String) -> Bool {
        var answer = false
        runIfCopyUnused(copy) { answer = true }
        return answer
    }

    /// Calls `body` if no other process uses a copy. No other process can begin to use the copy before `body` returns.
    private static func runIfCopyUnused(_ copy: String, _ body: () -> Void) {
        guard DiskFiles.isFolder(copy) else { return body() }
        do throws(FileSystemError) {
            guard let lock = try FileLock.tryAcquire(copy + "/.lock") else { return }
            body()
            withExtendedLifetime(lock) {}
        } catch {}
    }

    /// Removes the oldest copies, so that ``keptCopyCount`` copies remain. Copies that another process uses stay. Also
    /// removes the incomplete copies that this gateway left when it was killed. Other files stay. Blocks the thread.
    func removeOldCopies() {
        for name in DiskFiles.listEntries(folder) {
            let path = folder + "/" + name
            if name.hasSuffix(Self.removedSuffix), parseTime(of: String(name.dropLast(Self.removedSuffix.count))) != nil
            {
                DiskFiles.removeTree(path)
            } else if name.hasSuffix(".partial"), parseTime(of: String(name.dropLast(8))) != nil {
                UnfinishedFolder.removeUnfinished(path, mark: FolderBackup.unfinishedMarkName)
                UnfinishedFile.removeLeftoverFile(String(path.dropLast(8)))
            }
        }
        for copy in listCopies().dropLast(max(1, keptCopyCount)) {
            Self.runIfCopyUnused(copy.path) {
                // The copy is renamed before its files are removed. Otherwise an interrupted removal could leave a copy
                // without the list of its files. Such a copy would look complete.
                guard (try? DiskFiles.rename(copy.path, toNew: copy.path + Self.removedSuffix)) != nil else { return }
                DiskFiles.removeTree(copy.path + Self.removedSuffix)
            }
        }
    }
}
