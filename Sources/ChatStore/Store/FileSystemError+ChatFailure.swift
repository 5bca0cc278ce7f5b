package import ChatAPI
package import Files
import Glibc

extension FileSystemError {
    /// Returns the error message in the wording of the original.
    /// - Parameter action: the name of the operation in the original; nil for the usual name.
    package func message(_ action: String? = nil) -> String {
        "\(path): \(action ?? self.originalActionName): \(category) (\(reason))"
    }

    package func chatFailure(_ action: String? = nil) -> ChatFailure {
        ChatFailure(
            isStorageFull ? ChatErrorType.storageFull(message: message(action)) : .exception(message: message(action))
        )
    }

    /// The name of the operation in the original.
    private var originalActionName: String {
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
        switch errnoCode {
        case ENOENT: "does not exist"
        case EEXIST: "already exists"
        case EACCES, EPERM, EROFS: "permission denied"
        case _ where isStorageFull: "resource exhausted"
        default: "failed"
        }
    }
}
