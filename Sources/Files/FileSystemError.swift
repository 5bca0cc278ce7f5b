import Glibc

/// An error of the system for an operation on a file or a folder.
public struct FileSystemError: StorageError, Hashable, CustomStringConvertible {
    /// The operation on a file or a folder that failed.
    public enum Operation: Sendable {
        case open, read, write, sync, rename, makeFolder, lock
        /// The path is not beneath the folders of a store.
        case resolve
    }

    public let operation: Operation
    public let path: String
    /// The value of `errno` after the system call.
    public let code: Int32

    public init(_ operation: Operation, _ path: String, code: Int32) {
        self.operation = operation
        self.path = path
        self.code = code
    }

    /// Makes an error with the `errno` of the last system call of this thread.
    init(_ operation: Operation, _ path: String) { self.init(operation, path, code: errno) }

    public var isFull: Bool { Self.isFull(code) }

    /// Whether an `errno` means a full disk or quota.
    public static func isFull(_ code: Int32) -> Bool { code == ENOSPC || code == EDQUOT }

    /// The system's description of the code.
    public var reason: String {
        if operation == .resolve { return "it is not in a folder of the store" }
        return code == EILSEQ ? "its name is not UTF-8" : String(cString: strerror(code))
    }

    public var description: String { "\(path): \(reason)" }
}

extension Error {
    /// A description for logs without the path, which may contain the name of a user's file.
    public var withoutPath: String { (self as? FileSystemError).map { "\($0.operation): \($0.reason)" } ?? "\(self)" }
}
