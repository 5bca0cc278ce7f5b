internal import ChatAPI
import Glibc

/// The system refused something of a file. Told as the original tells it.
struct FileFailure: Error {
    let path: String
    /// What was tried, by the name that the original has for it.
    let action: String
    let code: Int32

    /// With the reason of the last call of the system.
    init(_ path: String, _ action: String) {
        self.path = path
        self.action = action
        code = errno
    }

    init(_ path: String, _ action: String, code: Int32) {
        self.path = path
        self.action = action
        self.code = code
    }

    /// Whether the disk has no room.
    var isFull: Bool { code == ENOSPC || code == EDQUOT }

    var message: String { "\(path): \(action): \(reason) (\(String(cString: strerror(code))))" }

    private var reason: String {
        switch code {
        case ENOENT: "does not exist"
        case EEXIST: "already exists"
        case EACCES, EPERM, EROFS: "permission denied"
        case ENOSPC, EDQUOT: "resource exhausted"
        default: "failed"
        }
    }

    var chatFailure: ChatFailure { ChatFailure(ChatErrorType.exception(message: message)) }
}

/// What is done with files and folders besides databases. Everything here blocks: databases' threads and thread pools call it.
package enum DiskFiles {
    static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

    /// Makes a folder with those above it, for its owner alone.
    static func makeFolder(_ path: String) throws(FileFailure) {
        var partial = ""
        for part in path.split(separator: "/", omittingEmptySubsequences: false) {
            partial += part + "/"
            if partial == "/" { continue }
            guard mkdir(partial, 0o700) == 0 || errno == EEXIST else { throw FileFailure(path, "createDirectory") }
        }
        var status = stat()
        guard stat(path, &status) == 0 else { throw FileFailure(path, "createDirectory") }
        guard status.st_mode & S_IFMT == S_IFDIR else {
            errno = ENOTDIR
            throw FileFailure(path, "createDirectory")
        }
    }

    /// A path from the root; one that is not is from the folder in which the process runs.
    static func absolute(_ path: String) -> String {
        guard !path.hasPrefix("/"), let here = getcwd(nil, 0) else { return path }
        defer { free(here) }
        return path.split(separator: "/").filter { $0 != "." }.reduce(String(cString: here)) { "\($0)/\($1)" }
    }

    /// An absolute path without links: of what is there as the system has it, of what is not that of the lowest folder that is, and the rest.
    ///
    /// Nil for a path with empty parts, `.`, `..` or NUL, one that goes through a link that leads nowhere, and where the system does not say.
    static func canonical(_ path: String) -> String? {
        guard path.hasPrefix("/"), !path.contains("\0") else { return nil }
        var existing = path.dropFirst().split(separator: "/", omittingEmptySubsequences: false)
        guard existing.allSatisfy({ !["", ".", ".."].contains($0) }) else { return nil }
        var missing = ""
        while true {
            let whole = "/" + existing.joined(separator: "/")
            if let found = realpath(whole, nil) {
                defer { free(found) }
                let real = String(cString: found)
                return missing.isEmpty ? real : (real == "/" ? "" : real) + missing
            }
            var status = stat()
            guard errno == ENOENT, lstat(whole, &status) != 0, let last = existing.popLast() else { return nil }
            missing = "/" + last + missing
        }
    }

    /// The names of the regular files in a folder, in order; none when there is no folder.
    static func list(_ folder: String) -> [String] { entries(folder).filter { isFile(folder + "/" + $0) }.sorted() }

    /// All names in a folder; none when there is no folder.
    package static func entries(_ folder: String) -> [String] {
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

    static func isReadable(_ path: String) -> Bool { access(path, R_OK) == 0 }

    /// What is in a small file; nil when there is none.
    static func read(_ path: String) -> [UInt8]? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var content = [UInt8](repeating: 0, count: 1 << 16)
        let count = content.withUnsafeMutableBytes { Glibc.read(descriptor, $0.baseAddress, $0.count) }
        return count < 0 ? nil : Array(content.prefix(count))
    }

    /// Whether it is a file itself, and no link to one.
    static func isFile(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
    }

    /// In bytes; 0 when there is none.
    static func size(_ path: String) -> UInt64 {
        var status = stat()
        return stat(path, &status) == 0 ? UInt64(clamping: status.st_size) : 0
    }

    /// Bytes that can be written beside `path`.
    static func room(_ path: String) -> UInt64 {
        var status = statvfs()
        guard statvfs(path, &status) == 0 else { return 0 }
        let (bytes, overflow) = UInt64(status.f_bavail).multipliedReportingOverflow(by: UInt64(status.f_frsize))
        return overflow ? .max : bytes
    }

    /// Removes a file, or a folder with all in it; links are not followed.
    package static func remove(_ path: String) {
        guard unlink(path) != 0, errno == EISDIR || errno == EPERM else { return }
        for name in entries(path) { remove(path + "/" + name) }
        rmdir(path)
    }

    /// Removes a folder that is empty.
    static func removeFolder(_ path: String) { rmdir(path) }

    /// Waits until a file, or the names in a folder, are on the disk.
    static func sync(_ path: String) throws(FileFailure) {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw FileFailure(path, "openFile") }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw FileFailure(path, "fsync") }
    }

    /// Writes a small file so that at any instant it is there entirely or not at all.
    static func write(_ bytes: [UInt8], to path: String) throws(FileFailure) {
        let partial = path + ".partial"
        unlink(partial)
        let descriptor = open(partial, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw FileFailure(path, "openFile") }
        var written = 0
        while written < bytes.count {
            let count = bytes[written...].withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            guard count > 0 || errno == EINTR else { break }
            written += max(0, count)
        }
        let isWhole = written == bytes.count && fsync(descriptor) == 0
        let failure = FileFailure(path, "writeFile")
        close(descriptor)
        guard isWhole else {
            unlink(partial)
            throw failure
        }
        guard rename(partial, path) == 0 else { throw FileFailure(path, "renameFile") }
    }

    /// Moves a file, also to another disk, in the place of what is there.
    static func move(_ path: String, to target: String) throws(FileFailure) {
        if rename(path, target) == 0 { return }
        guard errno == EXDEV else { throw FileFailure(target, "renameFile") }
        try copy(path, to: target + ".partial")
        guard rename(target + ".partial", target) == 0 else { throw FileFailure(target, "renameFile") }
        unlink(path)
    }

    private static func copy(_ path: String, to target: String) throws(FileFailure) {
        let source = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard source >= 0 else { throw FileFailure(path, "openFile") }
        defer { close(source) }
        unlink(target)
        let made = open(target, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard made >= 0 else { throw FileFailure(target, "openFile") }
        defer { close(made) }
        while true {
            let count = sendfile(made, source, nil, 1 << 20)
            if count == 0 { break }
            guard count > 0 || errno == EINTR else { throw FileFailure(target, "writeFile") }
        }
        guard fsync(made) == 0 else { throw FileFailure(target, "fsync") }
    }
}
