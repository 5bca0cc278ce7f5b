// Made by deploy/vocabulary from openapi/vocabulary.json: change that file.
// swift-format-ignore-file
package import JSON

/// The reason why the migrations of a database do not match the migrations of the program.
package indirect enum MTRError: TaggedUnion {
    case noDown(dbMigrations: [String])
    case different(appMigration: String, dbMigration: String)
    /// A case that this program does not know: the whole JSON object, unchanged.
    case unrecognized(JSONValue)
}

extension MTRError {
    package init(from decoder: any Decoder) throws {
        let fields = try TaggedFields(decoder)
        switch fields.tag {
        case "noDown": self = try .noDown(dbMigrations: fields("dbMigrations"))
        case "different":
            self = try .different(appMigration: fields("appMigration"), dbMigration: fields("dbMigration"))
        default: self = .unrecognized(try fields.decodeUnknownCase(decoder))
        }
    }

    package func encode(to encoder: any Encoder) throws {
        switch self {
        case .noDown(let dbMigrations): try encoder.tagged("noDown")("dbMigrations", dbMigrations)
        case .different(let appMigration, let dbMigration):
            try encoder.tagged("different")("appMigration", appMigration)("dbMigration", dbMigration)
        case .unrecognized(let value): try value.encode(to: encoder)
        }
    }
}
