internal import Concurrency
package import Files
internal import Glibc
internal import SimpleXCrypto

/// Reasons why an encrypted backup cannot be used. In each case, no part of the backup is used.
package enum BackupFault: Error, Sendable, CustomStringConvertible {
    /// The file does not begin like a backup.
    case notABackup
    /// The passphrase or the key is wrong, or the file was changed near its beginning. These two cases look the same.
    case wrongSecret
    /// A passphrase was given for a backup that needs a key, or a key for a backup that needs a passphrase.
    case wrongSecretKind(needsKey: Bool)
    /// The file was changed or truncated, or violates the format.
    case damagedFile(String)
    /// The backup is a copy of the data folder, but a copy of one store was expected.
    case notAStoreCopy
    case fileError(FileSystemError)
    case stopped

    package var description: String {
        switch self {
        case .notABackup: "the file is not an encrypted backup"
        case .wrongSecret: "the passphrase or key of the backup is wrong, or the backup was changed"
        case .wrongSecretKind(let needsKey):
            needsKey
                ? "the backup was made with a key of 64 hexadecimal digits, not with a passphrase"
                : "the backup was made with a passphrase, not with a key"
        case .damagedFile(let reason): "the backup is damaged: \(reason)"
        case .notAStoreCopy:
            "the backup is a copy of everything, not of one store: `simplex-gateway restore` restores it while no gateway runs"
        case .fileError(let error): error.description
        case .stopped: "the restoration was stopped"
        }
    }
}

/// Reads an encrypted backup. All functions block the thread.
package struct BackupReader: ~Copyable {
    package let kind: BackupKind
    private let file: OpenFile
    private let stream: SecretStream
    private var header: [UInt8]
    private var isAtEnd = false
    private var buffer: [UInt8] = []
    private var bufferStart = 0

    /// Whether a file begins like an encrypted backup.
    package static func isBackup(_ path: String) -> Bool {
        guard DiskFiles.isFile(path), let file = try? OpenFile(path, O_RDONLY | O_NOFOLLOW),
            let bytes = try? file.read(upTo: BackupFormat.magic.count)
        else { return false }
        return bytes == BackupFormat.magic
    }

    /// Returns the kind of a backup, from the header of its file; nil for a file that is no backup.
    package static func readKind(of path: String) -> BackupKind? {
        guard let file = try? OpenFile(path, O_RDONLY | O_NOFOLLOW),
            let bytes = try? file.read(upTo: BackupFormat.magic.count + 1), bytes.starts(with: BackupFormat.magic)
        else { return nil }
        return bytes.last.flatMap(BackupKind.init)
    }

    package init(_ path: String, secret: BackupSecret) throws(BackupFault) {
        let file: OpenFile
        do throws(FileSystemError) { file = try OpenFile(path, O_RDONLY | O_NOFOLLOW) } catch {
            throw .fileError(error)
        }
        let beginning = try Self.readHeader(file, secret)
        (kind, stream, header) = (beginning.kind, beginning.stream, beginning.header)
        self.file = file
    }

    private static func readHeader(
        _ file: borrowing OpenFile,
        _ secret: BackupSecret
    ) throws(BackupFault) -> (kind: BackupKind, stream: SecretStream, header: [UInt8]) {
        let header: [UInt8]
        do throws(FileSystemError) { header = try file.readFully(BackupFormat.headerSize) } catch {
            throw .fileError(error)
        }
        guard header.starts(with: BackupFormat.magic) else { throw .notABackup }
        guard header.count == BackupFormat.headerSize else { throw .damagedFile("it ends within its header") }
        var rest = header[BackupFormat.magic.count...]
        func readField(_ count: Int) -> ArraySlice<UInt8> {
            defer { rest = rest.dropFirst(count) }
            return rest.prefix(count)
        }
        let names = readField(2)
        guard let kind = names.first.flatMap(BackupKind.init), let derivation = names.last, (1...2).contains(derivation)
        else {
            throw .damagedFile("it is of a later version, or its header was changed")
        }
        guard derivation == secret.derivationCode else { throw .wrongSecretKind(needsKey: derivation == 2) }
        let operations = UInt64(UInt32(bigEndianBytes: readField(4)))
        let memory = Int(UInt32(bigEndianBytes: readField(4))) << 10
        guard operations <= BackupFormat.maxOperations, memory <= BackupFormat.maxMemory else {
            throw .damagedFile("its header demands too much work for the key")
        }
        let salt = Array(readField(PasswordKey.saltSize))
        do throws(CryptoError) {
            let key = try secret.deriveKey(salt: salt, cost: PasswordCost(operations: operations, memory: memory))
            return (kind, try SecretStream(readingWith: key, header: Array(rest)), header)
        } catch { throw .damagedFile("its header was changed") }
    }

    /// Extracts all entries into an existing empty folder.
    /// - Parameter mayContinue: called repeatedly. When it returns false, this function throws.
    package mutating func extract(into target: String, while mayContinue: () -> Bool = { true }) throws(BackupFault) {
        while true {
            guard mayContinue() else { throw .stopped }
            let type = try read(1)
            guard type != [BackupFormat.Entry.end] else { break }
            let path = target + "/" + (try readPath())
            switch type {
            case [BackupFormat.Entry.folder]:
                do throws(FileSystemError) { try DiskFiles.makeNewFolder(path) } catch { throw Self.makeFault(error) }
            case [BackupFormat.Entry.file]: try extract(file: path, mayContinue)
            default: throw .damagedFile("it has an entry of an unknown kind")
            }
        }
        // Nothing may follow the end entry, neither in the last part nor after the last part.
        guard bufferStart == buffer.count, isAtEnd else { throw .damagedFile("more bytes follow its end") }
        let rest: [UInt8]
        do throws(FileSystemError) { rest = try file.read(upTo: 1) } catch { throw .fileError(error) }
        guard rest.isEmpty else { throw .damagedFile("more bytes follow its end") }
        do throws(FileSystemError) { try DiskFiles.syncEntry(target) } catch { throw .fileError(error) }
    }

    /// Returns the fault for an entry that could not be created. If its path exists already, or its folder is missing,
    /// the backup is damaged.
    private static func makeFault(_ error: FileSystemError) -> BackupFault {
        [EEXIST, ENOENT, ENOTDIR].contains(error.errnoCode)
            ? .damagedFile("it has a path twice, or a path whose folder is missing") : .fileError(error)
    }

    private mutating func readPath() throws(BackupFault) -> String {
        let count = Int(UInt16(bigEndianBytes: try read(2)))
        guard (1...BackupFormat.maxPathBytes).contains(count),
            let path = String(validating: try read(count), as: UTF8.self)
        else { throw .damagedFile("it has an invalid path") }
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count <= BackupFormat.maxFolderDepth, !path.utf8.contains(0),
            parts.allSatisfy({ !$0.isEmpty && $0 != "." && $0 != ".." })
        else {
            throw .damagedFile("it has an unsafe path")
        }
        return path
    }

    private mutating func extract(file path: String, _ mayContinue: () -> Bool) throws(BackupFault) {
        var left = UInt64(bigEndianBytes: try read(8))
        let out: OpenFile
        do throws(FileSystemError) { out = try OpenFile(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW) } catch {
            throw Self.makeFault(error)
        }
        while left > 0 {
            guard mayContinue() else { throw .stopped }
            let bytes = try readSome(upTo: left)
            left -= UInt64(bytes.count)
            do throws(FileSystemError) { try out.write(bytes) } catch { throw .fileError(error) }
            WorkProgress.currentProgress?.advance(by: Int64(bytes.count))
        }
        do throws(FileSystemError) { try out.sync() } catch { throw .fileError(error) }
    }

    private mutating func read(_ count: Int) throws(BackupFault) -> [UInt8] {
        var bytes: [UInt8] = []
        while bytes.count < count { bytes += try readSome(upTo: UInt64(count - bytes.count)) }
        return bytes
    }

    /// Returns the next bytes of the decrypted backup: at least one byte, and at most `count` bytes.
    private mutating func readSome(upTo count: UInt64) throws(BackupFault) -> ArraySlice<UInt8> {
        while bufferStart == buffer.count {
            guard !isAtEnd else { throw .damagedFile("it ends within an entry") }
            (buffer, bufferStart) = (try readPart(), 0)
        }
        let end = bufferStart + Int(min(count, UInt64(buffer.count - bufferStart)))
        defer { bufferStart = end }
        return buffer[bufferStart..<end]
    }

    private mutating func readPart() throws(BackupFault) -> [UInt8] {
        let isFirst = !header.isEmpty
        let part: [UInt8]
        do throws(FileSystemError) {
            part = try file.readFully(BackupFormat.partSize + SecretStream.overheadBytes)
        } catch {
            throw .fileError(error)
        }
        guard !part.isEmpty else { throw .damagedFile("it was cut off") }
        do throws(CryptoError) {
            let opened = try stream.openPart(part, additional: header)
            header = []
            isAtEnd = opened.isLast
            return opened.bytes
        } catch {
            throw isFirst ? BackupFault.wrongSecret : .damagedFile("a part of it was changed or cut off")
        }
    }
}

extension OpenFile {
    /// Reads `count` bytes, or fewer at the end of the file.
    fileprivate borrowing func readFully(_ count: Int) throws(FileSystemError) -> [UInt8] {
        var bytes: [UInt8] = []
        while bytes.count < count {
            let more = try read(upTo: count - bytes.count)
            guard !more.isEmpty else { break }
            bytes += more
        }
        return bytes
    }
}
