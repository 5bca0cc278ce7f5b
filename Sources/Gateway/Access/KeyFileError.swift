package import Files

/// Reasons why the file of the API keys cannot be read or changed.
package enum KeyFileError: StorageError, CustomStringConvertible {
    case file(FileSystemError)
    /// The file exists, but is not a list of keys. Such a file is never overwritten.
    case malformed(path: String)
    /// The file is missing, but the store has databases: its keys are lost.
    case missing(path: String)
    /// The key that requests the change was revoked, has expired, or has got another secret.
    case requesterRevoked
    /// The answer to a request with an idempotency key cannot be kept, so the request has no effect.
    case answerNotKept

    package var description: String {
        switch self {
        case .file(let error): error.description
        case .malformed(let path): "\(path) is not a list of keys"
        case .missing(let path): "\(path) is missing: put it back"
        case .requesterRevoked: "the key of the request is no longer valid"
        case .answerNotKept: "the answer cannot be kept"
        }
    }

    package var isStorageFull: Bool { if case .file(let error) = self { error.isStorageFull } else { false } }
}
