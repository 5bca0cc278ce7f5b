internal import Agent
internal import ChatAPI

extension MessageIntegrity {
    /// The integrity error of a message; nil for a correct message.
    var apiError: MsgErrorType? {
        switch self {
        case .ok: nil
        case .skipped(let from, let to): .msgSkipped(fromMsgId: from, toMsgId: to)
        case .badID(let number): .msgBadId(msgId: number)
        case .badHash: .msgBadHash
        case .duplicate: .msgDuplicate
        }
    }

    /// The code of the error in the API's metadata of a message.
    var apiCode: String {
        switch self {
        case .ok: "OK"
        case .skipped(let from, let to): "ERR NO_ID \(from) \(to)"
        case .badID(let number): "ERR ID \(number)"
        case .badHash: "ERR HASH"
        case .duplicate: "ERR DUPLICATE"
        }
    }

    /// The text of the chat item for the error.
    var itemText: String {
        switch self {
        case .ok: ""
        case .skipped(let from, let to): from == to ? "skipped message ID \(from)" : "skipped message ID \(from)..\(to)"
        case .badID(let number): "unexpected message ID \(number)"
        case .badHash: "incorrect message hash"
        case .duplicate: "duplicate message ID"
        }
    }
}
