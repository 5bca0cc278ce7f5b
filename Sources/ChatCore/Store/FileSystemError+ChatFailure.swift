internal import ChatAPI
internal import Files
import Glibc

extension FileSystemError {
    /// The error in the original's wording.
    /// - Parameter action: the original's name of the operation; nil for the usual name.
    func message(_ action: String? = nil) -> String { "\(path): \(action ?? self.action): \(category) (\(reason))" }

    func chatFailure(_ action: String? = nil) -> ChatFailure {
        ChatFailure(isFull ? ChatErrorType.storageFull(message: message(action)) : .exception(message: message(action)))
    }

    /// The original's name of the operation.
    private var action: String {
        switch operation {
        case .open, .resolve: "openFile"
        case .read: "readFile"
        case .write: "writeFile"
        case .sync: "fsync"
        case .rename: "renameFile"
        case .makeFolder: "createDirectory"
        case .lock: "lockFile"
        }
    }

    private var category: String {
        switch code {
        case ENOENT: "does not exist"
        case EEXIST: "already exists"
        case EACCES, EPERM, EROFS: "permission denied"
        case _ where isFull: "resource exhausted"
        default: "failed"
        }
    }
}
