public import JSON

/// What a group link is to the user: new, their own, in the course of connecting, or of a known group.
public indirect enum GroupLinkPlan: TaggedUnion {
    case ok(groupSLinkInfo_: GroupShortLinkInfo?, groupSLinkData_: GroupShortLinkData?, ownerVerification: OwnerVerification?)
    case ownLink(groupInfo: GroupInfo)
    case connectingConfirmReconnect
    case connectingProhibit(groupInfo_: GroupInfo?)
    case known(groupInfo: GroupInfo, groupUpdated: Bool?, ownerVerification: OwnerVerification?, linkOwners: [GroupLinkOwner]?)
    case noRelays(groupSLinkData_: GroupShortLinkData?)
    case updateRequired(groupSLinkData_: GroupShortLinkData?)
    /// A case that this program does not know, as it came.
    case unrecognized(JSONValue)
}

extension GroupLinkPlan {
    public init(from decoder: any Decoder) throws {
        let fields = try TaggedFields(decoder)
        switch fields.tag {
        case "ok": self = .ok(groupSLinkInfo_: try fields.optional("groupSLinkInfo_"), groupSLinkData_: try fields.optional("groupSLinkData_"), ownerVerification: try fields.optional("ownerVerification"))
        case "ownLink": self = .ownLink(groupInfo: try fields("groupInfo"))
        case "connectingConfirmReconnect": self = .connectingConfirmReconnect
        case "connectingProhibit": self = .connectingProhibit(groupInfo_: try fields.optional("groupInfo_"))
        case "known": self = .known(groupInfo: try fields("groupInfo"), groupUpdated: try fields.optional("groupUpdated"), ownerVerification: try fields.optional("ownerVerification"), linkOwners: try fields.optional("linkOwners"))
        case "noRelays": self = .noRelays(groupSLinkData_: try fields.optional("groupSLinkData_"))
        case "updateRequired": self = .updateRequired(groupSLinkData_: try fields.optional("groupSLinkData_"))
        default: self = .unrecognized(try fields.unknown(decoder))
        }
    }

    public func encode(to encoder: any Encoder) throws {
        switch self {
        case .ok(let groupSLinkInfo_, let groupSLinkData_, let ownerVerification):
            try encoder.tagged("ok") { fields throws in
                try fields.encodeIfPresent(groupSLinkInfo_, forKey: "groupSLinkInfo_")
                try fields.encodeIfPresent(groupSLinkData_, forKey: "groupSLinkData_")
                try fields.encodeIfPresent(ownerVerification, forKey: "ownerVerification")
            }
        case .ownLink(let groupInfo):
            try encoder.tagged("ownLink") { fields throws in
                try fields.encode(groupInfo, forKey: "groupInfo")
            }
        case .connectingConfirmReconnect: try encoder.tagged("connectingConfirmReconnect")
        case .connectingProhibit(let groupInfo_):
            try encoder.tagged("connectingProhibit") { fields throws in
                try fields.encodeIfPresent(groupInfo_, forKey: "groupInfo_")
            }
        case .known(let groupInfo, let groupUpdated, let ownerVerification, let linkOwners):
            try encoder.tagged("known") { fields throws in
                try fields.encode(groupInfo, forKey: "groupInfo")
                try fields.encodeIfPresent(groupUpdated, forKey: "groupUpdated")
                try fields.encodeIfPresent(ownerVerification, forKey: "ownerVerification")
                try fields.encodeIfPresent(linkOwners, forKey: "linkOwners")
            }
        case .noRelays(let groupSLinkData_):
            try encoder.tagged("noRelays") { fields throws in
                try fields.encodeIfPresent(groupSLinkData_, forKey: "groupSLinkData_")
            }
        case .updateRequired(let groupSLinkData_):
            try encoder.tagged("updateRequired") { fields throws in
                try fields.encodeIfPresent(groupSLinkData_, forKey: "groupSLinkData_")
            }
        case .unrecognized(let value): try value.encode(to: encoder)
        }
    }
}
