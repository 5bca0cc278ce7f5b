// Made by deploy/vocabulary from openapi/vocabulary.json: change that file.
// swift-format-ignore-file
package import JSON

/// The reason why an operation on the whole database failed.
package indirect enum ChatDatabaseError: TaggedUnion {
    case errorEncrypted
    case errorPlaintext
    case errorNoFile(dbFile: String)
    case errorExport(sqliteError: SQLiteError)
    case errorOpen(sqliteError: SQLiteError)
    /// A case that this program does not know: the whole JSON object, unchanged.
    case unrecognized(JSONValue)
}

extension ChatDatabaseError {
    package init(from decoder: any Decoder) throws {
        let fields = try TaggedFields(decoder)
        switch fields.tag {
        case "errorEncrypted": self = .errorEncrypted
        case "errorPlaintext": self = .errorPlaintext
        case "errorNoFile": self = try .errorNoFile(dbFile: fields("dbFile"))
        case "errorExport": self = try .errorExport(sqliteError: fields("sqliteError"))
        case "errorOpen": self = try .errorOpen(sqliteError: fields("sqliteError"))
        default: self = .unrecognized(try fields.decodeUnknownCase(decoder))
        }
    }

    package func encode(to encoder: any Encoder) throws {
        switch self {
        case .errorEncrypted: try encoder.tagged("errorEncrypted")
        case .errorPlaintext: try encoder.tagged("errorPlaintext")
        case .errorNoFile(let dbFile): try encoder.tagged("errorNoFile")("dbFile", dbFile)
        case .errorExport(let sqliteError): try encoder.tagged("errorExport")("sqliteError", sqliteError)
        case .errorOpen(let sqliteError): try encoder.tagged("errorOpen")("sqliteError", sqliteError)
        case .unrecognized(let value): try value.encode(to: encoder)
        }
    }
}
