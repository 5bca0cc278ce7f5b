public import Files

/// Why a foreign database is not taken over. Nothing of it is used then.
public enum ForeignDataError: StorageError, Equatable {
    /// The key does not open it, or it is no database.
    case wrongKey
    /// SQLite cannot read it.
    case damaged(String)
    /// A value, a row, or all rows together have more bytes than they may have.
    case tooLarge(String)
    /// The reader was ended by a signal: the file has led SQLite into a fault, or needed more time than it may have.
    case crashed(signal: Int32)
    /// The reader ended without a reason, or said nothing for too long.
    case silent
    /// What the reader said obeys no format.
    case malformed
    /// There is no program that can be the reader, or the system does not give it what it needs.
    case noReader(String)
    /// The reader cannot give up its rights, so that it opens nothing.
    case unconfined(String)
    /// A table or a column that must be there is not.
    case lacks(String)
    /// A value is not one that its column can have.
    case value(column: String, reason: String)
    case cancelled
}

extension ForeignDataError: CustomStringConvertible {
    public var isFull: Bool { false }

    public var description: String {
        switch self {
        case .wrongKey: "the key does not open it, or it is no database"
        case .damaged(let reason): "it is damaged: \(reason)"
        case .tooLarge(let what): "it is too large: \(what)"
        case .crashed(let signal):
            "reading it has ended the process that reads (signal \(signal)): it is damaged, or was made to do harm"
        case .silent: "the process that reads it has stopped without a reason"
        case .malformed: "the process that reads it has said what nobody understands"
        case .noReader(let reason): "no process could be started to read it: \(reason)"
        case .unconfined(let reason): "the process that reads it could not give up its rights: \(reason)"
        case .lacks(let what): "it lacks \(what)"
        case .value(let column, let reason): "\(column) \(reason)"
        case .cancelled: "the reading was stopped"
        }
    }
}
