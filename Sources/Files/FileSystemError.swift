import Glibc

/// An error of the system for an operation on a file or a folder.
package struct FileSystemError: StorageError, Hashable, CustomStringConvertible {
    /// The operation on a file or a folder that failed.
    package enum Operation: Sendable {
        case open, read, write, sync, rename, makeFolder, lock
        /// The path is not beneath the folders of a store.
        case resolve
    }

    package let operation: Operation
    package let path: String
    /// The value of `errno` after the system call.
    package let errnoCode: Int32

    package init(_ operation: Operation, _ path: String, code: Int32) {
        self.operation = operation
        self.path = path
        self.errnoCode = code
    }

    /// Makes an error with the `errno` of the last system call of this thread.
    init(_ operation: Operation, _ path: String) { self.init(operation, path, code: errno) }

    package var isStorageFull: Bool { Self.isFullDiskCode(errnoCode) }

    /// Returns whether a value of `errno` means a full disk or a full quota.
    package static func isFullDiskCode(_ code: Int32) -> Bool { code == ENOSPC || code == EDQUOT }

    /// A description of the error, mostly the system's text for the code.
    package var reason: String {
        if operation == .resolve { return "it is not in a folder of the store" }
        return errnoCode == EILSEQ ? "its name is not UTF-8" : String(cString: strerror(errnoCode))
    }

    package var description: String { "\(path): \(reason)" }
}

extension Error {
    /// A description for logs without the path, which may contain the name of a user's file.
    package var descriptionWithoutPath: String {
        (self as? FileSystemError).map { "\($0.operation): \($0.reason)" } ?? "\(self)"
    }
}
