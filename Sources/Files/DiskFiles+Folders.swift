import Glibc

extension DiskFiles {
    /// Creates a folder and its parents, accessible only by the owner (mode 0700). An existing folder is not changed.
    public static func makeFolder(_ path: String) throws(FileSystemError) {
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

    /// Makes one folder, for its owner alone; an existing one is an error.
    public static func makeNewFolder(_ path: String) throws(FileSystemError) {
        guard mkdir(path, 0o700) == 0 else { throw FileSystemError(.makeFolder, path) }
    }

    /// The names of the regular files in a folder, in order; none when there is no folder.
    public static func list(_ folder: String) -> [String] { entries(folder).filter { isFile(folder + "/" + $0) }.sorted() }

    /// All names in a folder; none when there is no folder.
    public static func entries(_ folder: String) -> [String] {
        guard let stream = opendir(folder) else { return [] }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: MemoryLayout.size(ofValue: entry.pointee.d_name)) { String(cString: $0) }
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names
    }

    /// Removes a file; nothing else, and nothing when there is none.
    public static func removeFile(_ path: String) { unlink(path) }

    /// Removes a file, or a folder with all in it; links are not followed.
    public static func remove(_ path: String) {
        guard unlink(path) != 0, errno == EISDIR || errno == EPERM else { return }
        for name in entries(path) { remove(path + "/" + name) }
        rmdir(path)
    }

    /// Removes a folder that is empty.
    public static func removeFolder(_ path: String) { rmdir(path) }
}
