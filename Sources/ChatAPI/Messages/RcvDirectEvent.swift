public import JSON

/// An action of a contact, shown as an item of the chat.
public indirect enum RcvDirectEvent: TaggedUnion {
    case contactDeleted
    case profileUpdated(fromProfile: Profile, toProfile: Profile)
    case groupInvLinkReceived(groupProfile: GroupProfile)
    /// A case that this program does not know, as it came.
    case unrecognized(JSONValue)
}

extension RcvDirectEvent {
    public init(from decoder: any Decoder) throws {
        let fields = try TaggedFields(decoder)
        switch fields.tag {
        case "contactDeleted": self = .contactDeleted
        case "profileUpdated": self = .profileUpdated(fromProfile: try fields("fromProfile"), toProfile: try fields("toProfile"))
        case "groupInvLinkReceived": self = .groupInvLinkReceived(groupProfile: try fields("groupProfile"))
        default: self = .unrecognized(try fields.unknown(decoder))
        }
    }

    public func encode(to encoder: any Encoder) throws {
        switch self {
        case .contactDeleted: try encoder.tagged("contactDeleted")
        case .profileUpdated(let fromProfile, let toProfile): try encoder.tagged("profileUpdated")("fromProfile", fromProfile)("toProfile", toProfile)
        case .groupInvLinkReceived(let groupProfile): try encoder.tagged("groupInvLinkReceived")("groupProfile", groupProfile)
        case .unrecognized(let value): try value.encode(to: encoder)
        }
    }
}
