internal import ChatAPI
internal import Files

/// The copies of everything that a gateway makes by itself.
public struct BackupSchedule: Sendable {
    /// The folder of the copies. It must exist, outside of the data folder.
    public var folder: String
    /// Seconds from one copy to the next.
    public var interval: Int64 = 86_400
    /// Number of complete copies that are kept.
    public var keep = 7
    /// The secret that encrypts the copies; nil for copies that are folders and share unchanged files.
    public var secret: BackupSecret?

    public init(folder: String) { self.folder = folder }

    /// Seconds after a failed copy until the next attempt, if the interval is not shorter.
    static let retryTime: Int64 = 600

    private static let (prefix, encrypted) = ("copy-", ".backup")
    private static let removed = ".removed"

    /// Returns the name of a copy. The order of names is the order of the times.
    /// - Parameter seconds: the time since 1970-01-01T00:00:00Z.
    func name(at seconds: Int64) -> String {
        Self.prefix + Timestamp(seconds: seconds).text.replacing(":", with: "-") + (secret == nil ? "" : Self.encrypted)
    }

    /// Returns the time in the name of a copy; nil for other names.
    static func time(of name: String) -> Int64? {
        guard name.hasPrefix(prefix) else { return nil }
        var text = name.dropFirst(prefix.count)
        if text.hasSuffix(encrypted) { text = text.dropLast(encrypted.count) }
        let parts = text.split(separator: "T", omittingEmptySubsequences: false)
        guard parts.count == 2 else { return nil }
        return Timestamp(parsing: "\(parts[0])T\(parts[1].replacing("-", with: ":"))")?.seconds
    }

    /// Returns the complete copies in the folder, the oldest first. Blocks the thread.
    func copies() -> [(path: String, time: Int64)] {
        DiskFiles.entries(folder).sorted().compactMap { name in
            let path = folder + "/" + name
            guard let time = Self.time(of: name), !DiskFiles.isLink(path),
                DiskFiles.isFile(path + "/" + CopyList.name) || BackupReader.isBackup(path)
            else { return nil }
            return (path, time)
        }
    }

    /// Returns the time of the next copy. A copy of the future, which another clock has made, counts as made now.
    func next(after last: Int64?, now: Int64) -> Int64 { last.map { min($0, now) + interval } ?? now }

    /// Removes the oldest copies above the number of kept copies, and what killed gateways have left. Other files stay.
    /// Blocks the thread.
    func clean() {
        for name in DiskFiles.entries(folder) {
            let path = folder + "/" + name
            if name.hasSuffix(Self.removed), Self.time(of: String(name.dropLast(Self.removed.count))) != nil {
                DiskFiles.remove(path)
            } else if name.hasSuffix(".partial"), Self.time(of: String(name.dropLast(8))) != nil {
                UnfinishedFolder.removeLeft(path, mark: FolderBackup.mark)
                UnfinishedFile.removeLeft(String(path.dropLast(8)))
            }
        }
        for copy in copies().dropLast(max(1, keep)) {
            // The copy is renamed before its files are removed. Otherwise an interrupted removal could leave a copy
            // without its list, which would look complete.
            guard (try? DiskFiles.rename(copy.path, toNew: copy.path + Self.removed)) != nil else { continue }
            DiskFiles.remove(copy.path + Self.removed)
        }
    }
}
