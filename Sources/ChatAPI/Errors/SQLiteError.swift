public import JSON

/// The error of SQLite when a database was opened or changed.
public indirect enum SQLiteError: TaggedUnion {
    case errorNotADatabase
    case error(dbError: String)
    /// The disk is full, or the quota of its user is exceeded. Encoded as `error`.
    case full
    /// Another process or connection has locked the database. Encoded as `error`.
    case busy
    /// A case that this program does not know, as it came.
    case unrecognized(JSONValue)
}

extension SQLiteError {
    public init(from decoder: any Decoder) throws {
        let fields = try TaggedFields(decoder)
        switch fields.tag {
        case "errorNotADatabase": self = .errorNotADatabase
        case "error": self = .error(dbError: try fields("dbError"))
        default: self = .unrecognized(try fields.unknown(decoder))
        }
    }

    public func encode(to encoder: any Encoder) throws {
        switch self {
        case .errorNotADatabase: try encoder.tagged("errorNotADatabase")
        case .error(let dbError): try encoder.tagged("error")("dbError", dbError)
        case .full: try encoder.tagged("error")("dbError", "full")
        case .busy: try encoder.tagged("error")("dbError", "busy")
        case .unrecognized(let value): try value.encode(to: encoder)
        }
    }
}
