public import JSON

/// Why a command failed, by the part of the core that says so.
public indirect enum ChatError: TaggedUnion {
    case error(errorType: ChatErrorType)
    case errorAgent(agentError: AgentErrorType, agentConnId: String?, connectionEntity_: ConnectionEntity?)
    case errorStore(storeError: StoreError)
    case errorDatabase(databaseError: ChatDatabaseError)
    case errorRemoteCtrl(remoteCtrlError: RemoteCtrlError)
    case errorRemoteHost(rhKey: RHKey, remoteHostError: RemoteHostError)
    /// A case that this program does not know, as it came.
    case unrecognized(JSONValue)
}

extension ChatError {
    public init(from decoder: any Decoder) throws {
        let fields = try TaggedFields(decoder)
        switch fields.tag {
        case "error": self = .error(errorType: try fields("errorType"))
        case "errorAgent": self = .errorAgent(agentError: try fields("agentError"), agentConnId: try fields.optional("agentConnId"), connectionEntity_: try fields.optional("connectionEntity_"))
        case "errorStore": self = .errorStore(storeError: try fields("storeError"))
        case "errorDatabase": self = .errorDatabase(databaseError: try fields("databaseError"))
        case "errorRemoteCtrl": self = .errorRemoteCtrl(remoteCtrlError: try fields("remoteCtrlError"))
        case "errorRemoteHost": self = .errorRemoteHost(rhKey: try fields("rhKey"), remoteHostError: try fields("remoteHostError"))
        default: self = .unrecognized(try fields.unknown(decoder))
        }
    }

    public func encode(to encoder: any Encoder) throws {
        switch self {
        case .error(let errorType):
            try encoder.tagged("error") { fields throws in
                try fields.encode(errorType, forKey: "errorType")
            }
        case .errorAgent(let agentError, let agentConnId, let connectionEntity_):
            try encoder.tagged("errorAgent") { fields throws in
                try fields.encode(agentError, forKey: "agentError")
                try fields.encodeIfPresent(agentConnId, forKey: "agentConnId")
                try fields.encodeIfPresent(connectionEntity_, forKey: "connectionEntity_")
            }
        case .errorStore(let storeError):
            try encoder.tagged("errorStore") { fields throws in
                try fields.encode(storeError, forKey: "storeError")
            }
        case .errorDatabase(let databaseError):
            try encoder.tagged("errorDatabase") { fields throws in
                try fields.encode(databaseError, forKey: "databaseError")
            }
        case .errorRemoteCtrl(let remoteCtrlError):
            try encoder.tagged("errorRemoteCtrl") { fields throws in
                try fields.encode(remoteCtrlError, forKey: "remoteCtrlError")
            }
        case .errorRemoteHost(let rhKey, let remoteHostError):
            try encoder.tagged("errorRemoteHost") { fields throws in
                try fields.encode(rhKey, forKey: "rhKey")
                try fields.encode(remoteHostError, forKey: "remoteHostError")
            }
        case .unrecognized(let value): try value.encode(to: encoder)
        }
    }
}
