// Made by deploy/vocabulary from openapi/vocabulary.json: change that file.
// swift-format-ignore-file
package import JSON

/// The reason why the schema cannot be migrated.
package indirect enum MigrationError: TaggedUnion {
    case upgrade(upMigrations: [UpMigration])
    case downgrade(downMigrations: [String])
    case migrationError(mtrError: MTRError)
    /// A case that this program does not know: the whole JSON object, unchanged.
    case unrecognized(JSONValue)
}

extension MigrationError {
    package init(from decoder: any Decoder) throws {
        let fields = try TaggedFields(decoder)
        switch fields.tag {
        case "upgrade": self = try .upgrade(upMigrations: fields("upMigrations"))
        case "downgrade": self = try .downgrade(downMigrations: fields("downMigrations"))
        case "migrationError": self = try .migrationError(mtrError: fields("mtrError"))
        default: self = .unrecognized(try fields.decodeUnknownCase(decoder))
        }
    }

    package func encode(to encoder: any Encoder) throws {
        switch self {
        case .upgrade(let upMigrations): try encoder.tagged("upgrade")("upMigrations", upMigrations)
        case .downgrade(let downMigrations): try encoder.tagged("downgrade")("downMigrations", downMigrations)
        case .migrationError(let mtrError): try encoder.tagged("migrationError")("mtrError", mtrError)
        case .unrecognized(let value): try value.encode(to: encoder)
        }
    }
}
