// Made by deploy/vocabulary from openapi/vocabulary.json: change that file.
// swift-format-ignore-file
package import JSON

/// Progress of the transfer of the file of a chat item.
package indirect enum CIFileStatus: TaggedUnion {
    case sndStored
    case sndTransfer(sndProgress: Int64, sndTotal: Int64)
    case sndCancelled
    case sndComplete
    case sndError(sndFileError: FileError)
    case sndWarning(sndFileError: FileError)
    case rcvInvitation
    case rcvAccepted
    case rcvTransfer(rcvProgress: Int64, rcvTotal: Int64)
    case rcvAborted
    case rcvComplete
    case rcvCancelled
    case rcvError(rcvFileError: FileError)
    case rcvWarning(rcvFileError: FileError)
    case invalid(text: String)
    /// A case that this program does not know: the whole JSON object, unchanged.
    case unrecognized(JSONValue)
}

extension CIFileStatus {
    package init(from decoder: any Decoder) throws {
        let fields = try TaggedFields(decoder)
        switch fields.tag {
        case "sndStored": self = .sndStored
        case "sndTransfer": self = try .sndTransfer(sndProgress: fields("sndProgress"), sndTotal: fields("sndTotal"))
        case "sndCancelled": self = .sndCancelled
        case "sndComplete": self = .sndComplete
        case "sndError": self = try .sndError(sndFileError: fields("sndFileError"))
        case "sndWarning": self = try .sndWarning(sndFileError: fields("sndFileError"))
        case "rcvInvitation": self = .rcvInvitation
        case "rcvAccepted": self = .rcvAccepted
        case "rcvTransfer": self = try .rcvTransfer(rcvProgress: fields("rcvProgress"), rcvTotal: fields("rcvTotal"))
        case "rcvAborted": self = .rcvAborted
        case "rcvComplete": self = .rcvComplete
        case "rcvCancelled": self = .rcvCancelled
        case "rcvError": self = try .rcvError(rcvFileError: fields("rcvFileError"))
        case "rcvWarning": self = try .rcvWarning(rcvFileError: fields("rcvFileError"))
        case "invalid": self = try .invalid(text: fields("text"))
        default: self = .unrecognized(try fields.decodeUnknownCase(decoder))
        }
    }

    package func encode(to encoder: any Encoder) throws {
        switch self {
        case .sndStored: try encoder.tagged("sndStored")
        case .sndTransfer(let sndProgress, let sndTotal):
            try encoder.tagged("sndTransfer")("sndProgress", sndProgress)("sndTotal", sndTotal)
        case .sndCancelled: try encoder.tagged("sndCancelled")
        case .sndComplete: try encoder.tagged("sndComplete")
        case .sndError(let sndFileError): try encoder.tagged("sndError")("sndFileError", sndFileError)
        case .sndWarning(let sndFileError): try encoder.tagged("sndWarning")("sndFileError", sndFileError)
        case .rcvInvitation: try encoder.tagged("rcvInvitation")
        case .rcvAccepted: try encoder.tagged("rcvAccepted")
        case .rcvTransfer(let rcvProgress, let rcvTotal):
            try encoder.tagged("rcvTransfer")("rcvProgress", rcvProgress)("rcvTotal", rcvTotal)
        case .rcvAborted: try encoder.tagged("rcvAborted")
        case .rcvComplete: try encoder.tagged("rcvComplete")
        case .rcvCancelled: try encoder.tagged("rcvCancelled")
        case .rcvError(let rcvFileError): try encoder.tagged("rcvError")("rcvFileError", rcvFileError)
        case .rcvWarning(let rcvFileError): try encoder.tagged("rcvWarning")("rcvFileError", rcvFileError)
        case .invalid(let text): try encoder.tagged("invalid")("text", text)
        case .unrecognized(let value): try value.encode(to: encoder)
        }
    }
}
