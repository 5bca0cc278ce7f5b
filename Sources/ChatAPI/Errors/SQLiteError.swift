// Made by deploy/vocabulary from openapi/vocabulary.json: change that file.
// swift-format-ignore-file
package import JSON

/// The error of SQLite when a database was opened or changed.
package indirect enum SQLiteError: TaggedUnion {
    case errorNotADatabase
    case error(dbError: String)
    /// The disk is full, or the process has exceeded its disk quota. Encoded as `error`.
    case full
    /// Another process or connection has locked the database. Encoded as `error`.
    case busy
    /// A case that this program does not know: the whole JSON object, unchanged.
    case unrecognized(JSONValue)
}

extension SQLiteError {
    package init(from decoder: any Decoder) throws {
        let fields = try TaggedFields(decoder)
        switch fields.tag {
        case "errorNotADatabase": self = .errorNotADatabase
        case "error": self = try .error(dbError: fields("dbError"))
        default: self = .unrecognized(try fields.decodeUnknownCase(decoder))
        }
    }

    package func encode(to encoder: any Encoder) throws {
        switch self {
        case .errorNotADatabase: try encoder.tagged("errorNotADatabase")
        case .error(let dbError): try encoder.tagged("error")("dbError", dbError)
        case .full: try Self.error(dbError: "full").encode(to: encoder)
        case .busy: try Self.error(dbError: "busy").encode(to: encoder)
        case .unrecognized(let value): try value.encode(to: encoder)
        }
    }
}
