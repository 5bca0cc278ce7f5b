import ArgumentParser
import Files
import Gateway

/// `simplex-gateway restore`: makes a data folder of a copy.
struct Restore: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Make a data folder of a copy that `backup` has made.",
        discussion: """
            The copy is looked at first, and stays as it is. The data folder must not be there yet, or be empty: move one away that is to be replaced. It is \
            there, with its name, when it is complete. Never let both run: contacts would stop to understand one of them.
            """)

    @Option(help: "The data folder to make. (default: ~/.local/share/simplex-gateway)")
    var data: String?
    @Option(help: "File with the database key, where the copy has none: 64 hexadecimal digits, or a passphrase. (default: database.key in the copy)")
    var databaseKeyFile: String?
    @Argument(help: "The folder of the copy.")
    var copy: String

    func run() async throws {
        try await exiting {
            let settings = try Settings()
            let (source, target) = (FilePaths.absolute(copy), FilePaths.absolute(try settings.text("data", data) ?? DataFolder.standardPath()))
            guard DiskFiles.isFolder(source) else { throw Failure.configuration("there is no folder \(source)") }
            guard source != target, !FilePaths.isBelow(target, source) else { throw Failure.configuration("\(target) is the copy itself, or within it") }
            guard !DiskFiles.exists(target) || DiskFiles.isFolder(target) && DiskFiles.entries(target).isEmpty else {
                throw Failure.configuration("\(target) is there already: move it away if it is to be replaced")
            }
            // While a gateway runs with the copy, its files change.
            let folder = try DataFolder(source)
            try await check(source, keyFile: try settings.path("database-key-file", databaseKeyFile))
            do throws(FileSystemError) { try write(source, to: target) } catch { throw Failure(code: 1, message: "the copy could not be restored: \(error)") }
            standardOutput("\(target) is as \(folder.path) is")
        }
    }

    /// - Throws: when a store of the copy could not be opened.
    private func check(_ source: String, keyFile: String?) async throws {
        for store in await StoreInspection.all(in: source, keyFile: keyFile) {
            switch store.state {
            case .locked: break
            case .unreadable(let reason): throw Failure(code: 3, message: "the store \(store.id) of the copy cannot be opened: \(reason)")
            case .opened(let databases):
                for (path, finding) in databases {
                    switch finding {
                    case .sound, .older: break
                    case .absent: throw Failure(code: 1, message: "the copy has no \(path)")
                    case .newer(let migration): throw Failure(code: 1, message: "\(path) was written by a later version of this program (\(migration))")
                    case .wrongKey: throw Failure(code: 3, message: "the key does not open \(path), or it is no database")
                    case .damaged(let reason): throw Failure(code: 1, message: "\(path) is damaged: \(reason)")
                    }
                }
            }
        }
    }

    private func write(_ source: String, to target: String) throws(FileSystemError) {
        let partial = target + ".partial"
        // What a restoration has left that was cut off.
        DiskFiles.remove(partial)
        try DiskFiles.makeFolder(FilePaths.folder(of: target))
        try DiskFiles.makeNewFolder(partial)
        do throws(FileSystemError) {
            try copyContents(source, partial, level: 0)
            DiskFiles.removeFolder(target)
            try DiskFiles.rename(partial, to: target)
            DiskFiles.syncFolder(of: target)
        } catch {
            DiskFiles.remove(partial)
            throw error
        }
    }

    /// Folders and files; links and whatever else there may be are no part of a copy.
    private func copyContents(_ source: String, _ target: String, level: Int) throws(FileSystemError) {
        guard level < 64 else { throw FileSystemError(.open, source, code: 40) }
        for name in DiskFiles.entries(source) where name != ".lock" {
            let (from, to) = (source + "/" + name, target + "/" + name)
            guard !DiskFiles.isLink(from) else { continue }
            if DiskFiles.isFolder(from) {
                try DiskFiles.makeNewFolder(to)
                try copyContents(from, to, level: level + 1)
            } else if DiskFiles.isFile(from) {
                try DiskFiles.copy(from, to: to)
                try DiskFiles.sync(to)
            }
        }
        try DiskFiles.sync(target)
    }
}
