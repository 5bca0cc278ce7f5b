public import JSON

/// Whether a message of a public group is signed by its author.
public indirect enum MsgVerified: TaggedUnion {
    case signed(sigStatus: MsgSigStatus)
    case sigMissing
    /// A case that this program does not know, as it came.
    case unrecognized(JSONValue)
}

extension MsgVerified {
    public init(from decoder: any Decoder) throws {
        let fields = try TaggedFields(decoder)
        switch fields.tag {
        case "signed": self = .signed(sigStatus: try fields("sigStatus"))
        case "sigMissing": self = .sigMissing
        default: self = .unrecognized(try fields.unknown(decoder))
        }
    }

    public func encode(to encoder: any Encoder) throws {
        switch self {
        case .signed(let sigStatus): try encoder.tagged("signed")("sigStatus", sigStatus)
        case .sigMissing: try encoder.tagged("sigMissing")
        case .unrecognized(let value): try value.encode(to: encoder)
        }
    }
}
