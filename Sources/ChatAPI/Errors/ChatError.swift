// Made by deploy/vocabulary from openapi/vocabulary.json: change that file.
// swift-format-ignore-file
package import JSON

/// The reason why a command failed, by the part of the core that reports it (Chat API, section 5).
package indirect enum ChatError: TaggedUnion {
    case error(errorType: ChatErrorType)
    case errorAgent(agentError: AgentErrorType, agentConnId: String?, connectionEntity_: ConnectionEntity?)
    case errorStore(storeError: StoreError)
    case errorDatabase(databaseError: ChatDatabaseError)
    case errorRemoteCtrl(remoteCtrlError: RemoteCtrlError)
    case errorRemoteHost(rhKey: RHKey, remoteHostError: RemoteHostError)
    /// A case that this program does not know: the whole JSON object, unchanged.
    case unrecognized(JSONValue)
}

extension ChatError {
    package init(from decoder: any Decoder) throws {
        let fields = try TaggedFields(decoder)
        switch fields.tag {
        case "error": self = try .error(errorType: fields("errorType"))
        case "errorAgent":
            self = try .errorAgent(
                agentError: fields("agentError"), agentConnId: fields.optional("agentConnId"),
                connectionEntity_: fields.optional("connectionEntity_"))
        case "errorStore": self = try .errorStore(storeError: fields("storeError"))
        case "errorDatabase": self = try .errorDatabase(databaseError: fields("databaseError"))
        case "errorRemoteCtrl": self = try .errorRemoteCtrl(remoteCtrlError: fields("remoteCtrlError"))
        case "errorRemoteHost":
            self = try .errorRemoteHost(rhKey: fields("rhKey"), remoteHostError: fields("remoteHostError"))
        default: self = .unrecognized(try fields.decodeUnknownCase(decoder))
        }
    }

    package func encode(to encoder: any Encoder) throws {
        switch self {
        case .error(let errorType): try encoder.tagged("error")("errorType", errorType)
        case .errorAgent(let agentError, let agentConnId, let connectionEntity_):
            try encoder.tagged("errorAgent")("agentError", agentError).optional("agentConnId", agentConnId).optional(
                "connectionEntity_", connectionEntity_)
        case .errorStore(let storeError): try encoder.tagged("errorStore")("storeError", storeError)
        case .errorDatabase(let databaseError): try encoder.tagged("errorDatabase")("databaseError", databaseError)
        case .errorRemoteCtrl(let remoteCtrlError):
            try encoder.tagged("errorRemoteCtrl")("remoteCtrlError", remoteCtrlError)
        case .errorRemoteHost(let rhKey, let remoteHostError):
            try encoder.tagged("errorRemoteHost")("rhKey", rhKey)("remoteHostError", remoteHostError)
        case .unrecognized(let value): try value.encode(to: encoder)
        }
    }
}
