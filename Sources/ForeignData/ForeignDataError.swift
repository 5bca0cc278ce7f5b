internal import Files

/// The reason why a foreign database is refused. No part of a refused database is used.
package enum ForeignDataError: StorageError, Equatable {
    /// The key does not open the file, or the file is not a database.
    case wrongKey
    /// SQLite cannot read the file.
    case fileDamaged(String)
    /// A value, a row, or all rows together exceed the limit of bytes.
    case tooLarge(String)
    /// A signal ended the reader: the file caused a fault in SQLite, or the reader exceeded its time.
    case readerCrashed(signal: Int32)
    /// The reader ended without reporting a reason, or sent nothing for too long.
    case readerSilent
    /// The output of the reader process has an invalid format.
    case malformedOutput
    /// The program of the reader is missing, or the system lacks a resource for it.
    case noReader(String)
    /// The reader cannot drop its rights, so it opens no file.
    case readerUnconfined(String)
    /// The foreign database lacks a required table or column.
    case missingPart(String)
    /// A value of the foreign database is not allowed in its column.
    case badValue(column: String, reason: String)
    case cancelled
}

extension ForeignDataError: CustomStringConvertible {
    package var isStorageFull: Bool { false }

    package var description: String {
        switch self {
        case .wrongKey: "the key does not open it, or it is not a database"
        case .fileDamaged(let reason): "it is damaged: \(reason)"
        case .tooLarge(let what): "it is too large: \(what)"
        case .readerCrashed(let signal):
            "the process that reads it was ended by signal \(signal): it is damaged, or was made to do harm"
        case .readerSilent: "the process that reads it has stopped without a reason"
        case .malformedOutput: "the process that reads it has sent an invalid answer"
        case .noReader(let reason): "no process could be started to read it: \(reason)"
        case .readerUnconfined(let reason): "the process that reads it could not give up its rights: \(reason)"
        case .missingPart(let what): "it lacks \(what)"
        case .badValue(let column, let reason): "\(column) \(reason)"
        case .cancelled: "the reading was stopped"
        }
    }
}
