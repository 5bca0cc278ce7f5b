import Glibc

extension DiskFiles {
    /// Creates a folder and its parents, accessible only by the owner (mode 0700). An existing folder is not changed.
    package static func makeFolder(_ path: String) throws(FileSystemError) {
        var partial = ""
        for part in path.split(separator: "/", omittingEmptySubsequences: false) {
            partial += part + "/"
            if partial == "/" { continue }
            guard mkdir(partial, 0o700) == 0 || errno == EEXIST else { throw FileSystemError(.makeFolder, path) }
        }
        var status = stat()
        guard stat(path, &status) == 0 else { throw FileSystemError(.makeFolder, path) }
        guard status.st_mode & S_IFMT == S_IFDIR else { throw FileSystemError(.makeFolder, path, code: ENOTDIR) }
    }

    /// Creates one folder that only its owner can access. An existing folder is an error.
    package static func makeNewFolder(_ path: String) throws(FileSystemError) {
        guard mkdir(path, 0o700) == 0 else { throw FileSystemError(.makeFolder, path) }
    }

    /// Copies the contents of a folder to another existing folder, and returns when the copies are on the disk. Only
    /// regular files and folders are copied.
    /// - Parameter left: names in the folder that are not copied.
    package static func copyFolder(
        _ source: String,
        to target: String,
        except left: Set<String> = [],
        while mayContinue: () -> Bool = { true },
        copied: (_ bytes: Int64) -> Void = { _ in }
    ) throws(FileSystemError) {
        try copyFolder(source, to: target, except: left, level: 0, while: mayContinue, copied: copied)
    }

    private static func copyFolder(
        _ source: String,
        to target: String,
        except left: Set<String>,
        level: Int,
        while mayContinue: () -> Bool,
        copied: (_ bytes: Int64) -> Void
    ) throws(FileSystemError) {
        guard level < maxFolderDepth else { throw FileSystemError(.open, source, code: ELOOP) }
        for name in try listNames(in: source) where !left.contains(name) {
            let (from, to) = (source + "/" + name, target + "/" + name)
            guard !isLink(from) else { continue }
            if isFolder(from) {
                try makeNewFolder(to)
                try copyFolder(from, to: to, except: [], level: level + 1, while: mayContinue, copied: copied)
            } else if isFile(from) {
                try copyFile(from, to: to, while: mayContinue)
                try syncEntry(to)
                copied(fileSize(to) ?? 0)
            }
        }
        try syncEntry(target)
    }

    /// Returns the total size in bytes of the regular files in a folder and in the folders below it. Symbolic links are
    /// not followed. A folder that cannot be read counts as 0 bytes.
    package static func totalBytes(in folder: String) -> Int64 { totalBytes(in: folder, level: 0) }

    private static func totalBytes(in folder: String, level: Int) -> Int64 {
        guard level < maxFolderDepth else { return 0 }
        return listEntries(folder).reduce(0) { sum, name in
            let path = folder + "/" + name
            guard !isLink(path) else { return sum }
            return sum
                + (isFolder(path) ? totalBytes(in: path, level: level + 1) : isFile(path) ? fileSize(path) ?? 0 : 0)
        }
    }

    /// Returns the names of the regular files in a folder, in order; empty when the folder is missing.
    package static func listFiles(_ folder: String) -> [String] {
        listEntries(folder).filter { isFile(folder + "/" + $0) }.sorted()
    }

    /// Returns all names in a folder that are valid UTF-8; empty when the folder is missing or cannot be read. Callers
    /// that need every name use ``listNames(in:)``.
    package static func listEntries(_ folder: String) -> [String] {
        ((try? listRawNames(in: folder)) ?? []).compactMap { String(validating: $0, as: UTF8.self) }
    }

    /// Returns all names in a folder; empty when the folder is missing.
    /// - Throws: `EILSEQ`, with the name in the path, for a name that is not UTF-8. This program never creates such a
    ///   name.
    package static func listNames(in folder: String) throws(FileSystemError) -> [String] {
        var names: [String] = []
        for raw in try listRawNames(in: folder) {
            guard let name = String(validating: raw, as: UTF8.self) else {
                throw FileSystemError(.read, folder + "/" + FilePaths.escapedName(raw), code: EILSEQ)
            }
            names.append(name)
        }
        return names
    }

    /// Checks that all files in a folder, and in the folders below it, can be read. Symbolic links are not followed.
    /// - Throws: when a file or folder cannot be read, or has a name that is not UTF-8.
    package static func checkAllReadable(below folder: String) throws(FileSystemError) {
        try checkAllReadable(below: folder, level: 0)
    }

    private static func checkAllReadable(below folder: String, level: Int) throws(FileSystemError) {
        guard level < maxFolderDepth else { throw FileSystemError(.open, folder, code: ELOOP) }
        for name in try listNames(in: folder) {
            let path = folder + "/" + name
            if isFile(path) {
                try checkReadable(path)
            } else if !isLink(path), isFolder(path) {
                try checkAllReadable(below: path, level: level + 1)
            }
        }
    }

    /// Maximal depth of nested folders that are copied, measured or checked. The removal of a folder has no limit.
    private static let maxFolderDepth = 64

    private static func listRawNames(in folder: String) throws(FileSystemError) -> [[UInt8]] {
        guard let stream = opendir(folder) else {
            if errno == ENOENT { return [] }
            throw FileSystemError(.open, folder)
        }
        defer { closedir(stream) }
        var names: [[UInt8]] = []
        while true {
            errno = 0
            guard let entry = readdir(stream) else {
                guard errno == 0 else { throw FileSystemError(.read, folder) }
                return names
            }
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { Array($0.prefix { $0 != 0 }) }
            if name != [UInt8(ascii: ".")], name != [UInt8(ascii: "."), UInt8(ascii: ".")] { names.append(name) }
        }
    }

    /// Removes a file, but never a folder. A missing file is not an error.
    package static func removeFile(_ path: String) { unlink(path) }

    /// Removes a file, or a folder with all its contents. Symbolic links are not followed.
    package static func removeTree(_ path: String) { removeTree(path, in: AT_FDCWD) }

    private static func removeTree(_ path: String, in folder: Int32) { path.withCString { removeTree($0, in: folder) } }

    /// Removes a file, or a folder with all its contents, by its name in an open folder. The name may be invalid UTF-8.
    private static func removeTree(_ name: UnsafePointer<CChar>, in folder: Int32) {
        guard unlinkat(folder, name, 0) != 0, errno == EISDIR || errno == EPERM else { return }
        let descriptor = openat(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        guard let stream = fdopendir(descriptor) else {
            close(descriptor)
            return
        }
        var names: [[CChar]] = []
        while let entry = readdir(stream) {
            let found = withUnsafeBytes(of: &entry.pointee.d_name) {
                $0.prefix { $0 != 0 }.map { CChar(bitPattern: $0) } + [0]
            }
            if found != [0x2E, 0], found != [0x2E, 0x2E, 0] { names.append(found) }
        }
        for name in names { removeTree(name, in: descriptor) }
        closedir(stream)
        unlinkat(folder, name, AT_REMOVEDIR)
    }

    /// Removes an empty folder.
    package static func removeEmptyFolder(_ path: String) { rmdir(path) }
}
