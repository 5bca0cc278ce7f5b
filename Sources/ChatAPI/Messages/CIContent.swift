public import JSON

/// The content of a chat item: a message, its deletion, a call, an invitation, an event, a change of preferences.
public indirect enum CIContent: TaggedUnion {
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
    case rcvGroupFeature(groupFeature: GroupFeature, preference: GroupPreference, param: Int?, memberRole_: GroupMemberRole?)
    case sndGroupFeature(groupFeature: GroupFeature, preference: GroupPreference, param: Int?, memberRole_: GroupMemberRole?)
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
    /// A case that this program does not know, as it came.
    case unrecognized(JSONValue)
}

extension CIContent {
    public init(from decoder: any Decoder) throws {
        let fields = try TaggedFields(decoder)
        switch fields.tag {
        case "sndMsgContent": self = .sndMsgContent(msgContent: try fields("msgContent"))
        case "rcvMsgContent": self = .rcvMsgContent(msgContent: try fields("msgContent"))
        case "sndDeleted": self = .sndDeleted(deleteMode: try fields("deleteMode"))
        case "rcvDeleted": self = .rcvDeleted(deleteMode: try fields("deleteMode"))
        case "sndCall": self = .sndCall(status: try fields("status"), duration: try fields("duration"))
        case "rcvCall": self = .rcvCall(status: try fields("status"), duration: try fields("duration"))
        case "rcvIntegrityError": self = .rcvIntegrityError(msgError: try fields("msgError"))
        case "rcvDecryptionError": self = .rcvDecryptionError(msgDecryptError: try fields("msgDecryptError"), msgCount: try fields("msgCount"))
        case "rcvMsgError": self = .rcvMsgError(rcvMsgError: try fields("rcvMsgError"))
        case "rcvGroupInvitation": self = .rcvGroupInvitation(groupInvitation: try fields("groupInvitation"), memberRole: try fields("memberRole"))
        case "sndGroupInvitation": self = .sndGroupInvitation(groupInvitation: try fields("groupInvitation"), memberRole: try fields("memberRole"))
        case "rcvDirectEvent": self = .rcvDirectEvent(rcvDirectEvent: try fields("rcvDirectEvent"))
        case "rcvGroupEvent": self = .rcvGroupEvent(rcvGroupEvent: try fields("rcvGroupEvent"))
        case "sndGroupEvent": self = .sndGroupEvent(sndGroupEvent: try fields("sndGroupEvent"))
        case "rcvConnEvent": self = .rcvConnEvent(rcvConnEvent: try fields("rcvConnEvent"))
        case "sndConnEvent": self = .sndConnEvent(sndConnEvent: try fields("sndConnEvent"))
        case "rcvChatFeature": self = .rcvChatFeature(feature: try fields("feature"), enabled: try fields("enabled"), param: try fields.optional("param"))
        case "sndChatFeature": self = .sndChatFeature(feature: try fields("feature"), enabled: try fields("enabled"), param: try fields.optional("param"))
        case "rcvChatPreference": self = .rcvChatPreference(feature: try fields("feature"), allowed: try fields("allowed"), param: try fields.optional("param"))
        case "sndChatPreference": self = .sndChatPreference(feature: try fields("feature"), allowed: try fields("allowed"), param: try fields.optional("param"))
        case "rcvGroupFeature": self = .rcvGroupFeature(groupFeature: try fields("groupFeature"), preference: try fields("preference"), param: try fields.optional("param"), memberRole_: try fields.optional("memberRole_"))
        case "sndGroupFeature": self = .sndGroupFeature(groupFeature: try fields("groupFeature"), preference: try fields("preference"), param: try fields.optional("param"), memberRole_: try fields.optional("memberRole_"))
        case "rcvChatFeatureRejected": self = .rcvChatFeatureRejected(feature: try fields("feature"))
        case "rcvGroupFeatureRejected": self = .rcvGroupFeatureRejected(groupFeature: try fields("groupFeature"))
        case "sndModerated": self = .sndModerated
        case "rcvModerated": self = .rcvModerated
        case "rcvBlocked": self = .rcvBlocked
        case "sndDirectE2EEInfo": self = .sndDirectE2EEInfo(e2eeInfo: try fields("e2eeInfo"))
        case "rcvDirectE2EEInfo": self = .rcvDirectE2EEInfo(e2eeInfo: try fields("e2eeInfo"))
        case "sndGroupE2EEInfo": self = .sndGroupE2EEInfo(e2eeInfo: try fields("e2eeInfo"))
        case "rcvGroupE2EEInfo": self = .rcvGroupE2EEInfo(e2eeInfo: try fields("e2eeInfo"))
        case "chatBanner": self = .chatBanner
        case "invalidJSON": self = .invalidJSON(direction: try fields("direction"), json: try fields("json"))
        default: self = .unrecognized(try fields.unknown(decoder))
        }
    }

    public func encode(to encoder: any Encoder) throws {
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
            try encoder.tagged("rcvGroupFeature")("groupFeature", groupFeature)("preference", preference).optional("param", param).optional("memberRole_", memberRole_)
        case .sndGroupFeature(let groupFeature, let preference, let param, let memberRole_):
            try encoder.tagged("sndGroupFeature")("groupFeature", groupFeature)("preference", preference).optional("param", param).optional("memberRole_", memberRole_)
        case .rcvChatFeatureRejected(let feature): try encoder.tagged("rcvChatFeatureRejected")("feature", feature)
        case .rcvGroupFeatureRejected(let groupFeature): try encoder.tagged("rcvGroupFeatureRejected")("groupFeature", groupFeature)
        case .sndModerated: try encoder.tagged("sndModerated")
        case .rcvModerated: try encoder.tagged("rcvModerated")
        case .rcvBlocked: try encoder.tagged("rcvBlocked")
        case .sndDirectE2EEInfo(let e2eeInfo): try encoder.tagged("sndDirectE2EEInfo")("e2eeInfo", e2eeInfo)
        case .rcvDirectE2EEInfo(let e2eeInfo): try encoder.tagged("rcvDirectE2EEInfo")("e2eeInfo", e2eeInfo)
        case .sndGroupE2EEInfo(let e2eeInfo): try encoder.tagged("sndGroupE2EEInfo")("e2eeInfo", e2eeInfo)
        case .rcvGroupE2EEInfo(let e2eeInfo): try encoder.tagged("rcvGroupE2EEInfo")("e2eeInfo", e2eeInfo)
        case .chatBanner: try encoder.tagged("chatBanner")
        case .invalidJSON(let direction, let json): try encoder.tagged("invalidJSON")("direction", direction)("json", json)
        case .unrecognized(let value): try value.encode(to: encoder)
        }
    }
}
