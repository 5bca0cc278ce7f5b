// Made by deploy/vocabulary from openapi/vocabulary.json: change that file.
// swift-format-ignore-file
package import JSON

/// An error of the remote control protocol.
package indirect enum RCErrorType: TaggedUnion {
    case `internal`(internalErr: String)
    case identity
    case noLocalAddress
    case newController
    case notDiscovered
    case tLSStartFailed
    case exception(exception: String)
    case ctrlAuth
    case ctrlNotFound
    case ctrlError(ctrlErr: String)
    case invitation
    case version
    case encrypt
    case decrypt
    case blockSize
    case syntax(syntaxErr: String)
    /// A case that this program does not know: the whole JSON object, unchanged.
    case unrecognized(JSONValue)
}

extension RCErrorType {
    package init(from decoder: any Decoder) throws {
        let fields = try TaggedFields(decoder)
        switch fields.tag {
        case "internal": self = try .internal(internalErr: fields("internalErr"))
        case "identity": self = .identity
        case "noLocalAddress": self = .noLocalAddress
        case "newController": self = .newController
        case "notDiscovered": self = .notDiscovered
        case "tLSStartFailed": self = .tLSStartFailed
        case "exception": self = try .exception(exception: fields("exception"))
        case "ctrlAuth": self = .ctrlAuth
        case "ctrlNotFound": self = .ctrlNotFound
        case "ctrlError": self = try .ctrlError(ctrlErr: fields("ctrlErr"))
        case "invitation": self = .invitation
        case "version": self = .version
        case "encrypt": self = .encrypt
        case "decrypt": self = .decrypt
        case "blockSize": self = .blockSize
        case "syntax": self = try .syntax(syntaxErr: fields("syntaxErr"))
        default: self = .unrecognized(try fields.decodeUnknownCase(decoder))
        }
    }

    package func encode(to encoder: any Encoder) throws {
        switch self {
        case .internal(let internalErr): try encoder.tagged("internal")("internalErr", internalErr)
        case .identity: try encoder.tagged("identity")
        case .noLocalAddress: try encoder.tagged("noLocalAddress")
        case .newController: try encoder.tagged("newController")
        case .notDiscovered: try encoder.tagged("notDiscovered")
        case .tLSStartFailed: try encoder.tagged("tLSStartFailed")
        case .exception(let exception): try encoder.tagged("exception")("exception", exception)
        case .ctrlAuth: try encoder.tagged("ctrlAuth")
        case .ctrlNotFound: try encoder.tagged("ctrlNotFound")
        case .ctrlError(let ctrlErr): try encoder.tagged("ctrlError")("ctrlErr", ctrlErr)
        case .invitation: try encoder.tagged("invitation")
        case .version: try encoder.tagged("version")
        case .encrypt: try encoder.tagged("encrypt")
        case .decrypt: try encoder.tagged("decrypt")
        case .blockSize: try encoder.tagged("blockSize")
        case .syntax(let syntaxErr): try encoder.tagged("syntax")("syntaxErr", syntaxErr)
        case .unrecognized(let value): try value.encode(to: encoder)
        }
    }
}
