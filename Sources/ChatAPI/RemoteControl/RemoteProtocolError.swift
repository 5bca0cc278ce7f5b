// Made by deploy/vocabulary from openapi/vocabulary.json: change that file.
// swift-format-ignore-file
package import JSON

/// An error in the protocol between two paired devices.
package indirect enum RemoteProtocolError: TaggedUnion {
    case invalidSize
    case invalidJSON(invalidJSON: String)
    case invalidBody(invalidBody: String)
    case pRESessionCode
    case incompatibleEncoding
    case unexpectedFile
    case noFile
    case fileSize
    case fileDigest
    case manySkippedIds(data: Int)
    case pREEarlierId(data: Int)
    case pREDuplicateId
    case unexpectedResponse(response: String)
    case storedFileExists
    case pRERemoteControl(rcError: RCErrorType)
    case hTTP2(http2Error: String)
    case exception(someException: String)
    /// A case that this program does not know: the whole JSON object, unchanged.
    case unrecognized(JSONValue)
}

extension RemoteProtocolError {
    package init(from decoder: any Decoder) throws {
        let fields = try TaggedFields(decoder)
        switch fields.tag {
        case "invalidSize": self = .invalidSize
        case "invalidJSON": self = try .invalidJSON(invalidJSON: fields("invalidJSON"))
        case "invalidBody": self = try .invalidBody(invalidBody: fields("invalidBody"))
        case "pRESessionCode": self = .pRESessionCode
        case "incompatibleEncoding": self = .incompatibleEncoding
        case "unexpectedFile": self = .unexpectedFile
        case "noFile": self = .noFile
        case "fileSize": self = .fileSize
        case "fileDigest": self = .fileDigest
        case "manySkippedIds": self = try .manySkippedIds(data: fields("data"))
        case "pREEarlierId": self = try .pREEarlierId(data: fields("data"))
        case "pREDuplicateId": self = .pREDuplicateId
        case "unexpectedResponse": self = try .unexpectedResponse(response: fields("response"))
        case "storedFileExists": self = .storedFileExists
        case "pRERemoteControl": self = try .pRERemoteControl(rcError: fields("rcError"))
        case "hTTP2": self = try .hTTP2(http2Error: fields("http2Error"))
        case "exception": self = try .exception(someException: fields("someException"))
        default: self = .unrecognized(try fields.decodeUnknownCase(decoder))
        }
    }

    package func encode(to encoder: any Encoder) throws {
        switch self {
        case .invalidSize: try encoder.tagged("invalidSize")
        case .invalidJSON(let invalidJSON): try encoder.tagged("invalidJSON")("invalidJSON", invalidJSON)
        case .invalidBody(let invalidBody): try encoder.tagged("invalidBody")("invalidBody", invalidBody)
        case .pRESessionCode: try encoder.tagged("pRESessionCode")
        case .incompatibleEncoding: try encoder.tagged("incompatibleEncoding")
        case .unexpectedFile: try encoder.tagged("unexpectedFile")
        case .noFile: try encoder.tagged("noFile")
        case .fileSize: try encoder.tagged("fileSize")
        case .fileDigest: try encoder.tagged("fileDigest")
        case .manySkippedIds(let data): try encoder.tagged("manySkippedIds")("data", data)
        case .pREEarlierId(let data): try encoder.tagged("pREEarlierId")("data", data)
        case .pREDuplicateId: try encoder.tagged("pREDuplicateId")
        case .unexpectedResponse(let response): try encoder.tagged("unexpectedResponse")("response", response)
        case .storedFileExists: try encoder.tagged("storedFileExists")
        case .pRERemoteControl(let rcError): try encoder.tagged("pRERemoteControl")("rcError", rcError)
        case .hTTP2(let http2Error): try encoder.tagged("hTTP2")("http2Error", http2Error)
        case .exception(let someException): try encoder.tagged("exception")("someException", someException)
        case .unrecognized(let value): try value.encode(to: encoder)
        }
    }
}
