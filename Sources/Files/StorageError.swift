/// An error of a storage that can tell whether a full disk is the reason.
public protocol StorageError: Error {
    /// Whether the reason is a full disk, or the user's full quota.
    var isFull: Bool { get }
}
