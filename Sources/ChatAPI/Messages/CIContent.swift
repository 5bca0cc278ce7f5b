// Made by deploy/vocabulary from openapi/vocabulary.json: change that file.
// swift-format-ignore-file
package import JSON

/// The content of a chat item: a message, its deletion, a call, an invitation, an event, a change of preferences.
package indirect enum CIContent: TaggedUnion {
    case sndMsgContent(msgContent: MsgContent)
    case rcvMsgContent(msgContent: MsgContent)
    case sndDeleted(deleteMode: CIDeleteMode)
    case rcvDeleted(deleteMode: CIDeleteMode)
    case sndCall(status: CICallStatus, duration: Int)
    case rcvCall(status: CICallStatus, duration: Int)
    case rcvIntegrityError(msgError: MsgErrorType)
    case rcvDecryptionError(msgDecryptError: MsgDecryptError, msgCount: UInt32)
    case rcvMsgError(rcvMsgError: RcvMsgError)
    case rcvGroupInvitation(groupInvitation: CIGroupInvitation, memberRole: GroupMemberRole)
    case sndGroupInvitation(groupInvitation: CIGroupInvitation, memberRole: GroupMemberRole)
    case rcvDirectEvent(rcvDirectEvent: RcvDirectEvent)
    case rcvGroupEvent(rcvGroupEvent: RcvGroupEvent)
    case sndGroupEvent(sndGroupEvent: SndGroupEvent)
    case rcvConnEvent(rcvConnEvent: RcvConnEvent)
    case sndConnEvent(sndConnEvent: SndConnEvent)
    case rcvChatFeature(feature: ChatFeature, enabled: PrefEnabled, param: Int?)
    case sndChatFeature(feature: ChatFeature, enabled: PrefEnabled, param: Int?)
    case rcvChatPreference(feature: ChatFeature, allowed: FeatureAllowed, param: Int?)
    case sndChatPreference(feature: ChatFeature, allowed: FeatureAllowed, param: Int?)
    case rcvGroupFeature(
        groupFeature: GroupFeature, preference: GroupPreference, param: Int?, memberRole_: GroupMemberRole?)
    case sndGroupFeature(
        groupFeature: GroupFeature, preference: GroupPreference, param: Int?, memberRole_: GroupMemberRole?)
    case rcvChatFeatureRejected(feature: ChatFeature)
    case rcvGroupFeatureRejected(groupFeature: GroupFeature)
    case sndModerated
    case rcvModerated
    case rcvBlocked
    case sndDirectE2EEInfo(e2eeInfo: E2EInfo)
    case rcvDirectE2EEInfo(e2eeInfo: E2EInfo)
    case sndGroupE2EEInfo(e2eeInfo: E2EInfo)
    case rcvGroupE2EEInfo(e2eeInfo: E2EInfo)
    case chatBanner
    case invalidJSON(direction: MsgDirection, json: String)
    /// A case that this program does not know: the whole JSON object, unchanged.
    case unrecognized(JSONValue)
}

extension CIContent {
    package init(from decoder: any Decoder) throws {
        let fields = try TaggedFields(decoder)
        switch fields.tag {
        case "sndMsgContent": self = try .sndMsgContent(msgContent: fields("msgContent"))
        case "rcvMsgContent": self = try .rcvMsgContent(msgContent: fields("msgContent"))
        case "sndDeleted": self = try .sndDeleted(deleteMode: fields("deleteMode"))
        case "rcvDeleted": self = try .rcvDeleted(deleteMode: fields("deleteMode"))
        case "sndCall": self = try .sndCall(status: fields("status"), duration: fields("duration"))
        case "rcvCall": self = try .rcvCall(status: fields("status"), duration: fields("duration"))
        case "rcvIntegrityError": self = try .rcvIntegrityError(msgError: fields("msgError"))
        case "rcvDecryptionError":
            self = try .rcvDecryptionError(msgDecryptError: fields("msgDecryptError"), msgCount: fields("msgCount"))
        case "rcvMsgError": self = try .rcvMsgError(rcvMsgError: fields("rcvMsgError"))
        case "rcvGroupInvitation":
            self = try .rcvGroupInvitation(groupInvitation: fields("groupInvitation"), memberRole: fields("memberRole"))
        case "sndGroupInvitation":
            self = try .sndGroupInvitation(groupInvitation: fields("groupInvitation"), memberRole: fields("memberRole"))
        case "rcvDirectEvent": self = try .rcvDirectEvent(rcvDirectEvent: fields("rcvDirectEvent"))
        case "rcvGroupEvent": self = try .rcvGroupEvent(rcvGroupEvent: fields("rcvGroupEvent"))
        case "sndGroupEvent": self = try .sndGroupEvent(sndGroupEvent: fields("sndGroupEvent"))
        case "rcvConnEvent": self = try .rcvConnEvent(rcvConnEvent: fields("rcvConnEvent"))
        case "sndConnEvent": self = try .sndConnEvent(sndConnEvent: fields("sndConnEvent"))
        case "rcvChatFeature":
            self = try .rcvChatFeature(
                feature: fields("feature"), enabled: fields("enabled"), param: fields.optional("param"))
        case "sndChatFeature":
            self = try .sndChatFeature(
                feature: fields("feature"), enabled: fields("enabled"), param: fields.optional("param"))
        case "rcvChatPreference":
            self = try .rcvChatPreference(
                feature: fields("feature"), allowed: fields("allowed"), param: fields.optional("param"))
        case "sndChatPreference":
            self = try .sndChatPreference(
                feature: fields("feature"), allowed: fields("allowed"), param: fields.optional("param"))
        case "rcvGroupFeature":
            self = try .rcvGroupFeature(
                groupFeature: fields("groupFeature"), preference: fields("preference"), param: fields.optional("param"),
                memberRole_: fields.optional("memberRole_"))
        case "sndGroupFeature":
            self = try .sndGroupFeature(
                groupFeature: fields("groupFeature"), preference: fields("preference"), param: fields.optional("param"),
                memberRole_: fields.optional("memberRole_"))
        case "rcvChatFeatureRejected": self = try .rcvChatFeatureRejected(feature: fields("feature"))
        case "rcvGroupFeatureRejected": self = try .rcvGroupFeatureRejected(groupFeature: fields("groupFeature"))
        case "sndModerated": self = .sndModerated
        case "rcvModerated": self = .rcvModerated
        case "rcvBlocked": self = .rcvBlocked
        case "sndDirectE2EEInfo": self = try .sndDirectE2EEInfo(e2eeInfo: fields("e2eeInfo"))
        case "rcvDirectE2EEInfo": self = try .rcvDirectE2EEInfo(e2eeInfo: fields("e2eeInfo"))
        case "sndGroupE2EEInfo": self = try .sndGroupE2EEInfo(e2eeInfo: fields("e2eeInfo"))
        case "rcvGroupE2EEInfo": self = try .rcvGroupE2EEInfo(e2eeInfo: fields("e2eeInfo"))
        case "chatBanner": self = .chatBanner
        case "invalidJSON": self = try .invalidJSON(direction: fields("direction"), json: fields("json"))
        default: self = .unrecognized(try fields.decodeUnknownCase(decoder))
        }
    }

    package func encode(to encoder: any Encoder) throws {
        switch self {
        case .sndMsgContent(let msgContent): try encoder.tagged("sndMsgContent")("msgContent", msgContent)
        case .rcvMsgContent(let msgContent): try encoder.tagged("rcvMsgContent")("msgContent", msgContent)
        case .sndDeleted(let deleteMode): try encoder.tagged("sndDeleted")("deleteMode", deleteMode)
        case .rcvDeleted(let deleteMode): try encoder.tagged("rcvDeleted")("deleteMode", deleteMode)
        case .sndCall(let status, let duration): try encoder.tagged("sndCall")("status", status)("duration", duration)
        case .rcvCall(let status, let duration): try encoder.tagged("rcvCall")("status", status)("duration", duration)
        case .rcvIntegrityError(let msgError): try encoder.tagged("rcvIntegrityError")("msgError", msgError)
        case .rcvDecryptionError(let msgDecryptError, let msgCount):
            try encoder.tagged("rcvDecryptionError")("msgDecryptError", msgDecryptError)("msgCount", msgCount)
        case .rcvMsgError(let rcvMsgError): try encoder.tagged("rcvMsgError")("rcvMsgError", rcvMsgError)
        case .rcvGroupInvitation(let groupInvitation, let memberRole):
            try encoder.tagged("rcvGroupInvitation")("groupInvitation", groupInvitation)("memberRole", memberRole)
        case .sndGroupInvitation(let groupInvitation, let memberRole):
            try encoder.tagged("sndGroupInvitation")("groupInvitation", groupInvitation)("memberRole", memberRole)
        case .rcvDirectEvent(let rcvDirectEvent): try encoder.tagged("rcvDirectEvent")("rcvDirectEvent", rcvDirectEvent)
        case .rcvGroupEvent(let rcvGroupEvent): try encoder.tagged("rcvGroupEvent")("rcvGroupEvent", rcvGroupEvent)
        case .sndGroupEvent(let sndGroupEvent): try encoder.tagged("sndGroupEvent")("sndGroupEvent", sndGroupEvent)
        case .rcvConnEvent(let rcvConnEvent): try encoder.tagged("rcvConnEvent")("rcvConnEvent", rcvConnEvent)
        case .sndConnEvent(let sndConnEvent): try encoder.tagged("sndConnEvent")("sndConnEvent", sndConnEvent)
        case .rcvChatFeature(let feature, let enabled, let param):
            try encoder.tagged("rcvChatFeature")("feature", feature)("enabled", enabled).optional("param", param)
        case .sndChatFeature(let feature, let enabled, let param):
            try encoder.tagged("sndChatFeature")("feature", feature)("enabled", enabled).optional("param", param)
        case .rcvChatPreference(let feature, let allowed, let param):
            try encoder.tagged("rcvChatPreference")("feature", feature)("allowed", allowed).optional("param", param)
        case .sndChatPreference(let feature, let allowed, let param):
            try encoder.tagged("sndChatPreference")("feature", feature)("allowed", allowed).optional("param", param)
        case .rcvGroupFeature(let groupFeature, let preference, let param, let memberRole_):
            try encoder.tagged("rcvGroupFeature")("groupFeature", groupFeature)("preference", preference).optional(
                "param", param).optional("memberRole_", memberRole_)
        case .sndGroupFeature(let groupFeature, let preference, let param, let memberRole_):
            try encoder.tagged("sndGroupFeature")("groupFeature", groupFeature)("preference", preference).optional(
                "param", param).optional("memberRole_", memberRole_)
        case .rcvChatFeatureRejected(let feature): try encoder.tagged("rcvChatFeatureRejected")("feature", feature)
        case .rcvGroupFeatureRejected(let groupFeature):
            try encoder.tagged("rcvGroupFeatureRejected")("groupFeature", groupFeature)
        case .sndModerated: try encoder.tagged("sndModerated")
        case .rcvModerated: try encoder.tagged("rcvModerated")
        case .rcvBlocked: try encoder.tagged("rcvBlocked")
        case .sndDirectE2EEInfo(let e2eeInfo): try encoder.tagged("sndDirectE2EEInfo")("e2eeInfo", e2eeInfo)
        case .rcvDirectE2EEInfo(let e2eeInfo): try encoder.tagged("rcvDirectE2EEInfo")("e2eeInfo", e2eeInfo)
        case .sndGroupE2EEInfo(let e2eeInfo): try encoder.tagged("sndGroupE2EEInfo")("e2eeInfo", e2eeInfo)
        case .rcvGroupE2EEInfo(let e2eeInfo): try encoder.tagged("rcvGroupE2EEInfo")("e2eeInfo", e2eeInfo)
        case .chatBanner: try encoder.tagged("chatBanner")
        case .invalidJSON(let direction, let json):
            try encoder.tagged("invalidJSON")("direction", direction)("json", json)
        case .unrecognized(let value): try value.encode(to: encoder)
        }
    }
}
