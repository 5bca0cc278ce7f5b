// Made by deploy/vocabulary from openapi/vocabulary.json: change that file.
// swift-format-ignore-file
package import JSON

/// The integrity error of a message: earlier messages are missing, its number or hash is wrong, or it is a duplicate.
package indirect enum MsgErrorType: TaggedUnion {
    case msgSkipped(fromMsgId: Int64, toMsgId: Int64)
    case msgBadId(msgId: Int64)
    case msgBadHash
    case msgDuplicate
    /// A case that this program does not know: the whole JSON object, unchanged.
    case unrecognized(JSONValue)
}

extension MsgErrorType {
    package init(from decoder: any Decoder) throws {
        let fields = try TaggedFields(decoder)
        switch fields.tag {
        case "msgSkipped": self = try .msgSkipped(fromMsgId: fields("fromMsgId"), toMsgId: fields("toMsgId"))
        case "msgBadId": self = try .msgBadId(msgId: fields("msgId"))
        case "msgBadHash": self = .msgBadHash
        case "msgDuplicate": self = .msgDuplicate
        default: self = .unrecognized(try fields.decodeUnknownCase(decoder))
        }
    }

    package func encode(to encoder: any Encoder) throws {
        switch self {
        case .msgSkipped(let fromMsgId, let toMsgId):
            try encoder.tagged("msgSkipped")("fromMsgId", fromMsgId)("toMsgId", toMsgId)
        case .msgBadId(let msgId): try encoder.tagged("msgBadId")("msgId", msgId)
        case .msgBadHash: try encoder.tagged("msgBadHash")
        case .msgDuplicate: try encoder.tagged("msgDuplicate")
        case .unrecognized(let value): try value.encode(to: encoder)
        }
    }
}
