public import JSON

/// What a proxy met when it passed a command on.
public indirect enum ProxyClientError: TaggedUnion {
    case protocolError(protocolErr: ErrorType)
    case unexpectedResponse(responseStr: String)
    case responseError(responseErr: ErrorType)
    /// A case that this program does not know, as it came.
    case unrecognized(JSONValue)
}

extension ProxyClientError {
    public init(from decoder: any Decoder) throws {
        let fields = try TaggedFields(decoder)
        switch fields.tag {
        case "protocolError": self = .protocolError(protocolErr: try fields("protocolErr"))
        case "unexpectedResponse": self = .unexpectedResponse(responseStr: try fields("responseStr"))
        case "responseError": self = .responseError(responseErr: try fields("responseErr"))
        default: self = .unrecognized(try fields.unknown(decoder))
        }
    }

    public func encode(to encoder: any Encoder) throws {
        switch self {
        case .protocolError(let protocolErr):
            try encoder.tagged("protocolError") { fields throws in
                try fields.encode(protocolErr, forKey: "protocolErr")
            }
        case .unexpectedResponse(let responseStr):
            try encoder.tagged("unexpectedResponse") { fields throws in
                try fields.encode(responseStr, forKey: "responseStr")
            }
        case .responseError(let responseErr):
            try encoder.tagged("responseError") { fields throws in
                try fields.encode(responseErr, forKey: "responseErr")
            }
        case .unrecognized(let value): try value.encode(to: encoder)
        }
    }
}
