internal import Concurrency
internal import Files
internal import Glibc
internal import SimpleXCrypto

/// Writes an encrypted backup. All functions block the thread.
final class BackupWriter {
    private let file: UnfinishedFile
    private let stream: SecretStream
    private var buffer: [UInt8] = []
    /// The header; empty after the first part was written.
    private var header: [UInt8]

    /// - Parameter file: an empty file.
    init(_ file: UnfinishedFile, _ kind: BackupKind, secret: BackupSecret, cost: PasswordCost) throws {
        let salt = RandomBytes.make(count: PasswordKey.saltSize)
        stream = SecretStream(writingWith: try secret.deriveKey(salt: salt, cost: cost))
        let (operations, memory) =
            if case .passphrase = secret {
                (UInt32(clamping: cost.passCount), UInt32(clamping: cost.memoryBytes >> 10))
            } else { (UInt32(0), UInt32(0)) }
        header = BackupFormat.magic + [kind.rawValue, secret.derivationCode]
        header += operations.bigEndianBytes + memory.bigEndianBytes
        header += salt + stream.header
        try file.write(header)
        self.file = file
    }

    /// Adds the contents of a folder. Symbolic links and special files are left out.
    /// - Parameters:
    ///   - omitted: names of files and folders directly in `folder` that are left out.
    ///   - mayContinue: called repeatedly. When it returns false, this function throws.
    func add(contentsOf folder: String, except omitted: Set<String>, while mayContinue: () -> Bool) throws {
        try add(folder, below: "", level: 1, except: omitted, mayContinue)
    }

    private func add(
        _ folder: String,
        below place: String,
        level: Int,
        except omitted: Set<String> = [],
        _ mayContinue: () -> Bool
    ) throws {
        guard level <= BackupFormat.maxFolderDepth else { throw FileSystemError(.open, folder, code: ELOOP) }
        for name in try DiskFiles.listNames(in: folder).sorted() where !omitted.contains(name) {
            let (path, shown) = (folder + "/" + name, place + name)
            guard try DiskFiles.hasEntry(path), !DiskFiles.isLink(path) else { continue }
            if DiskFiles.isFolder(path) {
                try writeEntryStart(BackupFormat.Entry.folder, shown)
                try add(path, below: shown + "/", level: level + 1, mayContinue)
            } else if DiskFiles.isFile(path) {
                try add(file: path, as: shown, mayContinue)
            }
        }
    }

    private func writeEntryStart(_ entry: UInt8, _ path: String) throws {
        guard path.utf8.count <= BackupFormat.maxPathBytes else {
            throw FileSystemError(.open, path, code: ENAMETOOLONG)
        }
        try write([entry] + UInt16(path.utf8.count).bigEndianBytes + Array(path.utf8))
    }

    private func add(file path: String, as name: String, _ mayContinue: () -> Bool) throws {
        let source = try OpenFile(path, O_RDONLY | O_NOFOLLOW)
        var left = try source.readSize()
        try writeEntryStart(BackupFormat.Entry.file, name)
        try write(UInt64(left).bigEndianBytes)
        while left > 0 {
            guard mayContinue() else { throw CancellationError() }
            let bytes = try source.read(upTo: Int(min(left, 1 << 20)))
            guard !bytes.isEmpty else { throw FileSystemError(.read, path, code: ENODATA) }
            try write(bytes)
            left -= Int64(bytes.count)
            WorkProgress.currentProgress?.advance(by: Int64(bytes.count))
        }
    }

    private func write(_ bytes: [UInt8]) throws {
        buffer += bytes
        // The last part of a backup is marked as the last. So a full part is written only when at least one more byte
        // follows it.
        var start = 0
        while buffer.count - start > BackupFormat.partSize {
            try write(part: Array(buffer[start..<start + BackupFormat.partSize]), isLast: false)
            start += BackupFormat.partSize
        }
        if start > 0 { buffer.removeFirst(start) }
    }

    private func write(part: [UInt8], isLast: Bool) throws {
        try file.write(stream.sealPart(part, isLast: isLast, additional: header))
        header = []
    }

    /// Completes the backup: writes the end entry, and then the last part, which is marked as the last.
    func finish() throws {
        try write([BackupFormat.Entry.end])
        try write(part: buffer, isLast: true)
        buffer = []
    }
}
