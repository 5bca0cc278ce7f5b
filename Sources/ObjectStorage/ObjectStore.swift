/// A storage for objects outside of this machine. An object has a key and contents.
package protocol ObjectStore: Sendable {
    /// Stores an object, and returns when the storage has confirmed the size of the object. After an error the object
    /// may still be stored.
    func storeObject(_ key: String, _ source: ObjectSource) async throws(ObjectError)
    /// Reads an object in parts. The parts are not verified before this function returns.
    /// - Parameters:
    ///   - size: the expected size.
    ///   - take: a function that gets each part. The next part is read when the function has returned. An error of the
    ///     function ends the reading and is rethrown.
    func fetchObject(
        _ key: String,
        size: Int64,
        _ take: @escaping @Sendable ([UInt8]) async throws -> Void
    ) async throws
    /// Removes an object. A missing object is not an error.
    func deleteObject(_ key: String) async throws(ObjectError)
    /// Returns keys that begin with `prefix`. The list may be incomplete. It is empty only if no key begins with
    /// `prefix`.
    func listKeys(beginning prefix: String) async throws(ObjectError) -> [String]
}

/// The reason why an object cannot be stored, read or removed. The descriptions contain no secret.
package enum ObjectError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The storage cannot be reached, does not answer in time, or reports a fault. A later attempt may succeed.
    case unavailable(String)
    /// The limit of concurrent requests is reached. Nothing was sent.
    case tooManyRequests
    /// The storage refused the request. `code` is the error code in the answer of the storage; empty without a code.
    case requestRefused(status: Int, code: String)
    /// The requested object does not exist.
    case objectMissing
    /// The object in the storage has another size than the caller expects.
    case sizeChanged

    package var description: String {
        switch self {
        case .unavailable(let reason): "the object storage cannot be used: \(reason)"
        case .tooManyRequests: "too many requests to the object storage are in progress"
        case .requestRefused(let status, let code):
            "the object storage refuses with status \(status)\(code.isEmpty ? "" : ", \(code)")"
        case .objectMissing: "the object is not in the object storage"
        case .sizeChanged: "the object was changed in the object storage"
        }
    }
}

/// The bytes of an object that is to be stored. For a storage without TLS, the bytes are read twice: for their hash,
/// and to be sent.
package struct ObjectSource: Sendable {
    /// The size of the object in bytes.
    package let size: Int64
    package let openReader: @Sendable () throws -> Reader

    /// A function that returns the next bytes, at most the given number; empty at the end. Blocks the thread.
    package typealias Reader = @Sendable (Int) throws -> [UInt8]

    /// Makes the source of an object's bytes.
    /// - Parameter open: returns a function that reads from the first byte on. Blocks the thread.
    package init(size: Int64, open: @escaping @Sendable () throws -> Reader) {
        self.size = size
        self.openReader = open
    }
}
