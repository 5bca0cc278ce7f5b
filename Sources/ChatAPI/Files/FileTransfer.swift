// Made by deploy/vocabulary from openapi/vocabulary.json: change that file.
// swift-format-ignore-file
package import JSON

/// A transfer of a file that is sent or received.
package indirect enum FileTransfer: TaggedUnion {
    case snd(fileTransferMeta: FileTransferMeta, sndFileTransfers: [SndFileTransfer])
    case rcv(rcvFileTransfer: RcvFileTransfer)
    /// A case that this program does not know: the whole JSON object, unchanged.
    case unrecognized(JSONValue)
}

extension FileTransfer {
    package init(from decoder: any Decoder) throws {
        let fields = try TaggedFields(decoder)
        switch fields.tag {
        case "snd":
            self = try .snd(fileTransferMeta: fields("fileTransferMeta"), sndFileTransfers: fields("sndFileTransfers"))
        case "rcv": self = try .rcv(rcvFileTransfer: fields("rcvFileTransfer"))
        default: self = .unrecognized(try fields.decodeUnknownCase(decoder))
        }
    }

    package func encode(to encoder: any Encoder) throws {
        switch self {
        case .snd(let fileTransferMeta, let sndFileTransfers):
            try encoder.tagged("snd")("fileTransferMeta", fileTransferMeta)("sndFileTransfers", sndFileTransfers)
        case .rcv(let rcvFileTransfer): try encoder.tagged("rcv")("rcvFileTransfer", rcvFileTransfer)
        case .unrecognized(let value): try value.encode(to: encoder)
        }
    }
}
