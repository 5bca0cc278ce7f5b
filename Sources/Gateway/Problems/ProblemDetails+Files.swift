internal import ChatCore
internal import SQLCipher

extension ProblemDetails {
    /// What could not be written: 507 where the disk has no room for it, otherwise 500.
    init(_ error: any Error, _ detail: String) { self.init(Self.isFull(error) ? .storageFull : .internalError, detail) }

    private static func isFull(_ error: any Error) -> Bool {
        switch error {
        case let error as FileError: error.isFull
        case KeyFileError.file(let error), KeyFileRingError.file(let error): error.isFull
        case let error as DatabaseError: error == .full
        case ChatOpenError.database(let error): error == .full
        default: false
        }
    }
}
