// Made by deploy/vocabulary from openapi/vocabulary.json: change that file.
// swift-format-ignore-file
package import JSON

/// The relation of a group link to the user: new, owned by the user, in the process of connecting, or the link of a
/// known group.
package indirect enum GroupLinkPlan: TaggedUnion {
    case ok(
        groupSLinkInfo_: GroupShortLinkInfo?, groupSLinkData_: GroupShortLinkData?,
        ownerVerification: OwnerVerification?, verifiedDomain: SimplexDomain?)
    case ownLink(groupInfo: GroupInfo)
    case connectingConfirmReconnect
    case connectingProhibit(groupInfo_: GroupInfo?)
    case known(
        groupInfo: GroupInfo, groupUpdated: Bool?, ownerVerification: OwnerVerification?, linkOwners: [GroupLinkOwner]?)
    case noRelays(groupSLinkData_: GroupShortLinkData?)
    case updateRequired(groupSLinkData_: GroupShortLinkData?)
    /// A case that this program does not know: the whole JSON object, unchanged.
    case unrecognized(JSONValue)
}

extension GroupLinkPlan {
    package init(from decoder: any Decoder) throws {
        let fields = try TaggedFields(decoder)
        switch fields.tag {
        case "ok":
            self = try .ok(
                groupSLinkInfo_: fields.optional("groupSLinkInfo_"),
                groupSLinkData_: fields.optional("groupSLinkData_"),
                ownerVerification: fields.optional("ownerVerification"),
                verifiedDomain: fields.optional("verifiedDomain"))
        case "ownLink": self = try .ownLink(groupInfo: fields("groupInfo"))
        case "connectingConfirmReconnect": self = .connectingConfirmReconnect
        case "connectingProhibit": self = try .connectingProhibit(groupInfo_: fields.optional("groupInfo_"))
        case "known":
            self = try .known(
                groupInfo: fields("groupInfo"), groupUpdated: fields.optional("groupUpdated"),
                ownerVerification: fields.optional("ownerVerification"), linkOwners: fields.optional("linkOwners"))
        case "noRelays": self = try .noRelays(groupSLinkData_: fields.optional("groupSLinkData_"))
        case "updateRequired": self = try .updateRequired(groupSLinkData_: fields.optional("groupSLinkData_"))
        default: self = .unrecognized(try fields.decodeUnknownCase(decoder))
        }
    }

    package func encode(to encoder: any Encoder) throws {
        switch self {
        case .ok(let groupSLinkInfo_, let groupSLinkData_, let ownerVerification, let verifiedDomain):
            try encoder.tagged("ok").optional("groupSLinkInfo_", groupSLinkInfo_).optional(
                "groupSLinkData_", groupSLinkData_).optional("ownerVerification", ownerVerification).optional(
                "verifiedDomain", verifiedDomain)
        case .ownLink(let groupInfo): try encoder.tagged("ownLink")("groupInfo", groupInfo)
        case .connectingConfirmReconnect: try encoder.tagged("connectingConfirmReconnect")
        case .connectingProhibit(let groupInfo_):
            try encoder.tagged("connectingProhibit").optional("groupInfo_", groupInfo_)
        case .known(let groupInfo, let groupUpdated, let ownerVerification, let linkOwners):
            try encoder.tagged("known")("groupInfo", groupInfo).optional("groupUpdated", groupUpdated).optional(
                "ownerVerification", ownerVerification).optional("linkOwners", linkOwners)
        case .noRelays(let groupSLinkData_): try encoder.tagged("noRelays").optional("groupSLinkData_", groupSLinkData_)
        case .updateRequired(let groupSLinkData_):
            try encoder.tagged("updateRequired").optional("groupSLinkData_", groupSLinkData_)
        case .unrecognized(let value): try value.encode(to: encoder)
        }
    }
}
