import CSQLCipher
import Files
import Glibc

/// The identity of a file: its device and inode number. It does not depend on the name of the file.
enum FileIdentity: Equatable, Sendable {
    case file(device: UInt64, number: UInt64)
    case missing

    /// Returns the identity of the file at the path; nil when it cannot be determined.
    static func identify(_ path: String) -> FileIdentity? {
        var status = stat()
        if stat(path, &status) == 0 { return .file(device: UInt64(status.st_dev), number: UInt64(status.st_ino)) }
        return errno == ENOENT || errno == ENOTDIR ? .missing : nil
    }
}

/// Operations on database files without SQLite.
enum DatabaseFiles {
    /// Creates an empty file that only its owner can read. Returns false when the file exists.
    static func createEmptyFile(_ path: String) throws(DatabaseError) -> Bool {
        do throws(FileSystemError) { return try DiskFiles.createEmptyFile(path) } catch { throw DatabaseError(error) }
    }

    /// Removes a database that is not open, with its journals.
    static func removeWithJournals(_ path: String) {
        for suffix in ["", "-wal", "-shm", "-journal"] { DiskFiles.removeFile(path + suffix) }
    }

    /// Syncs the file `new`, and renames it to `path`. After an error, the old file stays at `path`.
    static func replaceFile(_ path: String, with new: String) throws(DatabaseError) {
        do throws(FileSystemError) { try DiskFiles.replaceFile(path, withFile: new) } catch {
            throw DatabaseError(error)
        }
    }
}

extension DatabaseError {
    /// Creates the error with SQLite's result code for an operation that the system has refused.
    init(_ error: FileSystemError) {
        guard !error.isStorageFull else {
            self = .diskFull
            return
        }
        self =
            switch error.operation {
            case .open: .inputOutput(code: SQLITE_CANTOPEN)
            // The value of the C macro SQLITE_IOERR_FSYNC, which Swift does not import.
            case .sync: .inputOutput(code: SQLITE_IOERR | (4 << 8))
            default: .inputOutput(code: SQLITE_IOERR)
            }
    }
}
