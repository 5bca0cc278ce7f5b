// Made by deploy/vocabulary from openapi/vocabulary.json: change that file.
// swift-format-ignore-file
package import JSON

/// The result of opening the databases: success, an error, or a migration that needs confirmation.
package indirect enum DBMigrationResult: TaggedUnion {
    case ok
    case invalidConfirmation
    case errorNotADatabase(dbFile: String)
    case errorMigration(dbFile: String, migrationError: MigrationError)
    case errorSQL(dbFile: String, migrationSQLError: String)
    /// A case that this program does not know: the whole JSON object, unchanged.
    case unrecognized(JSONValue)
}

extension DBMigrationResult {
    package init(from decoder: any Decoder) throws {
        let fields = try TaggedFields(decoder)
        switch fields.tag {
        case "ok": self = .ok
        case "invalidConfirmation": self = .invalidConfirmation
        case "errorNotADatabase": self = try .errorNotADatabase(dbFile: fields("dbFile"))
        case "errorMigration":
            self = try .errorMigration(dbFile: fields("dbFile"), migrationError: fields("migrationError"))
        case "errorSQL": self = try .errorSQL(dbFile: fields("dbFile"), migrationSQLError: fields("migrationSQLError"))
        default: self = .unrecognized(try fields.decodeUnknownCase(decoder))
        }
    }

    package func encode(to encoder: any Encoder) throws {
        switch self {
        case .ok: try encoder.tagged("ok")
        case .invalidConfirmation: try encoder.tagged("invalidConfirmation")
        case .errorNotADatabase(let dbFile): try encoder.tagged("errorNotADatabase")("dbFile", dbFile)
        case .errorMigration(let dbFile, let migrationError):
            try encoder.tagged("errorMigration")("dbFile", dbFile)("migrationError", migrationError)
        case .errorSQL(let dbFile, let migrationSQLError):
            try encoder.tagged("errorSQL")("dbFile", dbFile)("migrationSQLError", migrationSQLError)
        case .unrecognized(let value): try value.encode(to: encoder)
        }
    }
}
