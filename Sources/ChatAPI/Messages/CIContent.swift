public import JSON

/// What a chat item is about: a message, its deletion, a call, an invitation, an event, a change of preferences.
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
        case .sndMsgContent(let msgContent):
            try encoder.tagged("sndMsgContent") { fields throws in
                try fields.encode(msgContent, forKey: "msgContent")
            }
        case .rcvMsgContent(let msgContent):
            try encoder.tagged("rcvMsgContent") { fields throws in
                try fields.encode(msgContent, forKey: "msgContent")
            }
        case .sndDeleted(let deleteMode):
            try encoder.tagged("sndDeleted") { fields throws in
                try fields.encode(deleteMode, forKey: "deleteMode")
            }
        case .rcvDeleted(let deleteMode):
            try encoder.tagged("rcvDeleted") { fields throws in
                try fields.encode(deleteMode, forKey: "deleteMode")
            }
        case .sndCall(let status, let duration):
            try encoder.tagged("sndCall") { fields throws in
                try fields.encode(status, forKey: "status")
                try fields.encode(duration, forKey: "duration")
            }
        case .rcvCall(let status, let duration):
            try encoder.tagged("rcvCall") { fields throws in
                try fields.encode(status, forKey: "status")
                try fields.encode(duration, forKey: "duration")
            }
        case .rcvIntegrityError(let msgError):
            try encoder.tagged("rcvIntegrityError") { fields throws in
                try fields.encode(msgError, forKey: "msgError")
            }
        case .rcvDecryptionError(let msgDecryptError, let msgCount):
            try encoder.tagged("rcvDecryptionError") { fields throws in
                try fields.encode(msgDecryptError, forKey: "msgDecryptError")
                try fields.encode(msgCount, forKey: "msgCount")
            }
        case .rcvMsgError(let rcvMsgError):
            try encoder.tagged("rcvMsgError") { fields throws in
                try fields.encode(rcvMsgError, forKey: "rcvMsgError")
            }
        case .rcvGroupInvitation(let groupInvitation, let memberRole):
            try encoder.tagged("rcvGroupInvitation") { fields throws in
                try fields.encode(groupInvitation, forKey: "groupInvitation")
                try fields.encode(memberRole, forKey: "memberRole")
            }
        case .sndGroupInvitation(let groupInvitation, let memberRole):
            try encoder.tagged("sndGroupInvitation") { fields throws in
                try fields.encode(groupInvitation, forKey: "groupInvitation")
                try fields.encode(memberRole, forKey: "memberRole")
            }
        case .rcvDirectEvent(let rcvDirectEvent):
            try encoder.tagged("rcvDirectEvent") { fields throws in
                try fields.encode(rcvDirectEvent, forKey: "rcvDirectEvent")
            }
        case .rcvGroupEvent(let rcvGroupEvent):
            try encoder.tagged("rcvGroupEvent") { fields throws in
                try fields.encode(rcvGroupEvent, forKey: "rcvGroupEvent")
            }
        case .sndGroupEvent(let sndGroupEvent):
            try encoder.tagged("sndGroupEvent") { fields throws in
                try fields.encode(sndGroupEvent, forKey: "sndGroupEvent")
            }
        case .rcvConnEvent(let rcvConnEvent):
            try encoder.tagged("rcvConnEvent") { fields throws in
                try fields.encode(rcvConnEvent, forKey: "rcvConnEvent")
            }
        case .sndConnEvent(let sndConnEvent):
            try encoder.tagged("sndConnEvent") { fields throws in
                try fields.encode(sndConnEvent, forKey: "sndConnEvent")
            }
        case .rcvChatFeature(let feature, let enabled, let param):
            try encoder.tagged("rcvChatFeature") { fields throws in
                try fields.encode(feature, forKey: "feature")
                try fields.encode(enabled, forKey: "enabled")
                try fields.encodeIfPresent(param, forKey: "param")
            }
        case .sndChatFeature(let feature, let enabled, let param):
            try encoder.tagged("sndChatFeature") { fields throws in
                try fields.encode(feature, forKey: "feature")
                try fields.encode(enabled, forKey: "enabled")
                try fields.encodeIfPresent(param, forKey: "param")
            }
        case .rcvChatPreference(let feature, let allowed, let param):
            try encoder.tagged("rcvChatPreference") { fields throws in
                try fields.encode(feature, forKey: "feature")
                try fields.encode(allowed, forKey: "allowed")
                try fields.encodeIfPresent(param, forKey: "param")
            }
        case .sndChatPreference(let feature, let allowed, let param):
            try encoder.tagged("sndChatPreference") { fields throws in
                try fields.encode(feature, forKey: "feature")
                try fields.encode(allowed, forKey: "allowed")
                try fields.encodeIfPresent(param, forKey: "param")
            }
        case .rcvGroupFeature(let groupFeature, let preference, let param, let memberRole_):
            try encoder.tagged("rcvGroupFeature") { fields throws in
                try fields.encode(groupFeature, forKey: "groupFeature")
                try fields.encode(preference, forKey: "preference")
                try fields.encodeIfPresent(param, forKey: "param")
                try fields.encodeIfPresent(memberRole_, forKey: "memberRole_")
            }
        case .sndGroupFeature(let groupFeature, let preference, let param, let memberRole_):
            try encoder.tagged("sndGroupFeature") { fields throws in
                try fields.encode(groupFeature, forKey: "groupFeature")
                try fields.encode(preference, forKey: "preference")
                try fields.encodeIfPresent(param, forKey: "param")
                try fields.encodeIfPresent(memberRole_, forKey: "memberRole_")
            }
        case .rcvChatFeatureRejected(let feature):
            try encoder.tagged("rcvChatFeatureRejected") { fields throws in
                try fields.encode(feature, forKey: "feature")
            }
        case .rcvGroupFeatureRejected(let groupFeature):
            try encoder.tagged("rcvGroupFeatureRejected") { fields throws in
                try fields.encode(groupFeature, forKey: "groupFeature")
            }
        case .sndModerated: try encoder.tagged("sndModerated")
        case .rcvModerated: try encoder.tagged("rcvModerated")
        case .rcvBlocked: try encoder.tagged("rcvBlocked")
        case .sndDirectE2EEInfo(let e2eeInfo):
            try encoder.tagged("sndDirectE2EEInfo") { fields throws in
                try fields.encode(e2eeInfo, forKey: "e2eeInfo")
            }
        case .rcvDirectE2EEInfo(let e2eeInfo):
            try encoder.tagged("rcvDirectE2EEInfo") { fields throws in
                try fields.encode(e2eeInfo, forKey: "e2eeInfo")
            }
        case .sndGroupE2EEInfo(let e2eeInfo):
            try encoder.tagged("sndGroupE2EEInfo") { fields throws in
                try fields.encode(e2eeInfo, forKey: "e2eeInfo")
            }
        case .rcvGroupE2EEInfo(let e2eeInfo):
            try encoder.tagged("rcvGroupE2EEInfo") { fields throws in
                try fields.encode(e2eeInfo, forKey: "e2eeInfo")
            }
        case .chatBanner: try encoder.tagged("chatBanner")
        case .invalidJSON(let direction, let json):
            try encoder.tagged("invalidJSON") { fields throws in
                try fields.encode(direction, forKey: "direction")
                try fields.encode(json, forKey: "json")
            }
        case .unrecognized(let value): try value.encode(to: encoder)
        }
    }
}
