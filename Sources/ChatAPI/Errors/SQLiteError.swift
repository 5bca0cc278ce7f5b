public import JSON

/// What SQLite said when a database was opened or changed.
public indirect enum SQLiteError: TaggedUnion {
    case errorNotADatabase
    case error(dbError: String)
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
        case .unrecognized(let value): try value.encode(to: encoder)
        }
    }
}
