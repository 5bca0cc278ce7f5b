/// An error of an operation on stored data. The error tells whether the reason is a full disk or an overload.
package protocol StorageError: Error {
    /// Whether the reason is a full disk, or the user's full quota.
    var isStorageFull: Bool { get }
    /// Whether other work uses all of a limited resource at this moment, and nothing was done for the request. So the
    /// same request may succeed later.
    var isOverload: Bool { get }
}

extension StorageError {
    package var isOverload: Bool { false }
}
