public import JSON

/// Why the schema cannot be migrated.
public indirect enum MigrationError: TaggedUnion {
    case upgrade(upMigrations: [UpMigration])
    case downgrade(downMigrations: [String])
    case migrationError(mtrError: MTRError)
    /// A case that this program does not know, as it came.
    case unrecognized(JSONValue)
}

extension MigrationError {
    public init(from decoder: any Decoder) throws {
        let fields = try TaggedFields(decoder)
        switch fields.tag {
        case "upgrade": self = .upgrade(upMigrations: try fields("upMigrations"))
        case "downgrade": self = .downgrade(downMigrations: try fields("downMigrations"))
        case "migrationError": self = .migrationError(mtrError: try fields("mtrError"))
        default: self = .unrecognized(try fields.unknown(decoder))
        }
    }

    public func encode(to encoder: any Encoder) throws {
        switch self {
        case .upgrade(let upMigrations): try encoder.tagged("upgrade")("upMigrations", upMigrations)
        case .downgrade(let downMigrations): try encoder.tagged("downgrade")("downMigrations", downMigrations)
        case .migrationError(let mtrError): try encoder.tagged("migrationError")("mtrError", mtrError)
        case .unrecognized(let value): try value.encode(to: encoder)
        }
    }
}
