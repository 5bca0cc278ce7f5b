internal import Glibc
internal import JSON
internal import SimpleXCrypto

/// Puts other databases, and files, in the place of those that are there, all or none of them, whenever the process ends.
///
/// What is new is made in a folder beside the databases. When it is complete and on the disk, the file `commit` is written into the folder:
/// until then an open removes the folder, from then on it finishes what the file says. The databases must be closed.
struct StoreReplacement {
    /// The databases' paths without `_chat.db`, `_agent.db`.
    let prefix: String

    var folder: String { prefix + "_replacement" }
    var chat: String { folder + "/chat.db" }
    var agent: String { folder + "/agent.db" }
    var files: String { folder + "/files" }
    var assets: String { folder + "/assets" }
    private var commitFile: String { folder + "/commit" }
    /// Says where an archive is being written.
    private var exportFile: String { folder + "/export" }

    /// What is done with the files of messages.
    enum Files: String {
        /// They stay; those in the folder are put beside them.
        case added
        /// They are deleted.
        case removed
    }

    /// An empty folder.
    func begin() throws(FileFailure) {
        cancel()
        do throws(FileFailure) {
            for made in [folder, files, assets] { try DiskFiles.makeFolder(made) }
        } catch {
            cancel()
            throw error
        }
    }

    func cancel() {
        // What a client has named is not touched, only what has a name that nobody but this program gives.
        if let path = DiskFiles.read(exportFile).flatMap({ String(validating: $0, as: UTF8.self) }), Self.isDraft(path) { DiskFiles.remove(path) }
        DiskFiles.remove(folder)
    }

    /// A folder beside an archive for what of it is not complete. It goes with ``cancel()``, also when the process ends and the databases are opened
    /// again: where it is was written down before.
    func makeDraft(beside path: String) throws(FileFailure) -> String {
        let parent = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
        let draft = parent + "/" + Self.draftPrefix + RandomBytes.make(count: 12).map { String($0, radix: 16) }.joined()
        try DiskFiles.write(Array(draft.utf8), to: exportFile)
        try DiskFiles.sync(folder)
        guard mkdir(draft, 0o700) == 0 else { throw FileFailure(path, "openBinaryTempFile") }
        return draft
    }

    private static let draftPrefix = ".simplex-export-"

    private static func isDraft(_ path: String) -> Bool {
        path.hasPrefix("/") && path[path.index(after: path.lastIndex(of: "/") ?? path.startIndex)...].hasPrefix(draftPrefix)
    }

    /// After this the replacement takes place, whatever happens. Where files are removed, the databases are deleted, and there are no new ones.
    func commit(_ what: Files, folders: LocalFolders.Paths) throws(FileFailure) {
        for path in [files, assets] { try DiskFiles.sync(path) }
        for path in [chat, agent] where DiskFiles.exists(path) { try DiskFiles.sync(path) }
        try DiskFiles.sync(folder)
        let order: JSONValue = ["replaced": .string(what.rawValue), "files": .string(folders.files), "assets": .string(folders.assets)]
        try DiskFiles.write(order.encoded(), to: commitFile)
        // Too late to fail: the order is there.
        try? DiskFiles.sync(folder)
    }

    /// Does what is left of a committed replacement, and removes what is left of one that was not. Before the databases are opened.
    func finish() throws {
        guard DiskFiles.exists(folder) else { return }
        guard let order = DiskFiles.read(commitFile) else { return cancel() }
        let json = try JSONValue(parsing: order)
        for (new, suffix) in [(chat, "_chat.db"), (agent, "_agent.db")] {
            let path = prefix + suffix
            let removes = json["replaced"]?.stringValue == Files.removed.rawValue
            guard DiskFiles.exists(new) || removes else { continue }
            // Journals of the old file would be taken for the new one's.
            for journal in ["-wal", "-shm", "-journal"] { DiskFiles.remove(path + journal) }
            if removes { DiskFiles.remove(path) } else { try DiskFiles.move(new, to: path) }
        }
        if json["replaced"]?.stringValue == Files.removed.rawValue {
            if let path = json["files"]?.stringValue { empty(path) }
            if let path = json["assets"]?.stringValue {
                empty(path + "/wallpapers")
                empty(path)
            }
        } else {
            if let target = json["files"]?.stringValue { try add(files, to: target) }
            if let target = json["assets"]?.stringValue { try add(assets, to: target + "/wallpapers") }
        }
        try DiskFiles.sync(parent)
        // The order goes first: without it the rest is nothing.
        DiskFiles.remove(commitFile)
        DiskFiles.remove(folder)
    }

    /// Only files that are in the folder itself: which folder it is was said from outside.
    private func empty(_ path: String) {
        for name in DiskFiles.list(path) { DiskFiles.remove(path + "/" + name) }
        DiskFiles.removeFolder(path)
    }

    private func add(_ source: String, to target: String) throws(FileFailure) {
        let names = DiskFiles.list(source)
        guard !names.isEmpty else { return }
        try DiskFiles.makeFolder(target)
        for name in names { try DiskFiles.move(source + "/" + name, to: target + "/" + name) }
    }

    private var parent: String {
        guard let slash = prefix.lastIndex(of: "/") else { return "." }
        return slash == prefix.startIndex ? "/" : String(prefix[..<slash])
    }
}
