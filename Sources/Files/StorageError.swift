/// An error of a storage, which knows whether a full disk is the reason.
public protocol StorageError: Error {
    /// Whether the disk, or the user's quota, is full.
    var isFull: Bool { get }
}
