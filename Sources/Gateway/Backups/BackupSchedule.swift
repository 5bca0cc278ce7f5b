internal import ChatAPI
package import Files
internal import SimpleXCrypto

/// The copies of everything that a gateway makes by itself.
package struct BackupSchedule: Sendable {
    /// The folder of the copies. It must exist, outside of the data folder.
    package var folder: String
    /// Seconds from one copy to the next.
    package var interval: Int64 = 86_400
    /// Number of complete copies that are kept.
    package var keep = 7
    /// The secret that encrypts the copies; nil for copies that are folders and share unchanged files.
    package var secret: BackupSecret?
    /// The id of the gateway in the names of its copies; empty if no other gateway uses the folder. Copies of other
    /// gateways are neither counted nor deleted.
    package var owner = ""

    package init(folder: String) { self.folder = folder }

    /// Seconds after a failed copy until the next attempt, if the interval is not shorter.
    static let retryTime: Int64 = 600

    private static let (prefix, encrypted) = ("copy-", ".backup")
    private static let removed = ".removed"
    /// Number of the characters of an id.
    private static let ownerLength = 12

    /// Returns the id of the gateway with a data folder, which must be locked. The id is in a file of the folder, and
    /// copies of the folder have it too: a restored gateway continues the copies. Blocks the thread.
    package static func owner(of dataFolder: String) throws(FileSystemError) -> String {
        let path = dataFolder + "/backups.id"
        if let known = try DiskFiles.read(path), known.count == ownerLength, Hex.decode(known) != nil {
            return String(decoding: known, as: UTF8.self)
        }
        let made = Hex.encode(RandomBytes.make(count: ownerLength / 2))
        try DiskFiles.replace(path, with: Array(made.utf8))
        return made
    }

    private var ending: String { owner.isEmpty ? "" : "-" + owner }

    /// Returns the name of a copy. The order of names is the order of the times.
    /// - Parameter seconds: the time since 1970-01-01T00:00:00Z.
    func name(at seconds: Int64) -> String {
        let time = Timestamp(seconds: seconds).text.replacing(":", with: "-")
        return Self.prefix + time + ending + (secret == nil ? "" : Self.encrypted)
    }

    /// Returns the time in the name of a copy of this gateway; nil for other names.
    func time(of name: String) -> Int64? {
        guard name.hasPrefix(Self.prefix) else { return nil }
        var text = name.dropFirst(Self.prefix.count)
        if text.hasSuffix(Self.encrypted) { text = text.dropLast(Self.encrypted.count) }
        guard text.hasSuffix(ending) else { return nil }
        let parts = text.dropLast(ending.count).split(separator: "T", omittingEmptySubsequences: false)
        guard parts.count == 2 else { return nil }
        return Timestamp(parsing: "\(parts[0])T\(parts[1].replacing("-", with: ":"))")?.seconds
    }

    /// Returns the complete copies of this gateway, the oldest first. Blocks the thread.
    func copies() -> [(path: String, time: Int64)] {
        DiskFiles.entries(folder).sorted().compactMap { name in
            let path = folder + "/" + name
            guard let time = time(of: name), !DiskFiles.isLink(path),
                DiskFiles.isFile(path + "/" + CopyList.name) || BackupReader.isBackup(path)
            else { return nil }
            return (path, time)
        }
    }

    /// Returns the time of the next copy. A copy of the future, which another clock has made, counts as made now.
    func next(after last: Int64?, now: Int64) -> Int64 { last.map { min($0, now) + interval } ?? now }

    /// Whether no other process uses a copy, as a restoration does. A copy that cannot be locked counts as used. Blocks
    /// the thread.
    static func isUnused(_ copy: String) -> Bool {
        var answer = false
        ifUnused(copy) { answer = true }
        return answer
    }

    /// Calls `body` if no other process uses a copy. No other process begins to use it before `body` returns.
    private static func ifUnused(_ copy: String, _ body: () -> Void) {
        guard DiskFiles.isFolder(copy) else { return body() }
        do throws(FileSystemError) {
            guard let lock = try FileLock.take(copy + "/.lock") else { return }
            body()
            withExtendedLifetime(lock) {}
        } catch {}
    }

    /// Removes the oldest copies above the number of kept copies, except used ones, and the remains of copies that a kill
    /// of this gateway has interrupted. Other files stay. Blocks the thread.
    func clean() {
        for name in DiskFiles.entries(folder) {
            let path = folder + "/" + name
            if name.hasSuffix(Self.removed), time(of: String(name.dropLast(Self.removed.count))) != nil {
                DiskFiles.remove(path)
            } else if name.hasSuffix(".partial"), time(of: String(name.dropLast(8))) != nil {
                UnfinishedFolder.removeLeft(path, mark: FolderBackup.mark)
                UnfinishedFile.removeLeft(String(path.dropLast(8)))
            }
        }
        for copy in copies().dropLast(max(1, keep)) {
            Self.ifUnused(copy.path) {
                // The copy is renamed before its files are removed. Otherwise an interrupted removal could leave a
                // copy without its list, which would look complete.
                guard (try? DiskFiles.rename(copy.path, toNew: copy.path + Self.removed)) != nil else { return }
                DiskFiles.remove(copy.path + Self.removed)
            }
        }
    }
}
