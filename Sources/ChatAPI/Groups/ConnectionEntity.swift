// Made by deploy/vocabulary from openapi/vocabulary.json: change that file.
// swift-format-ignore-file
package import JSON

/// The owner of an agent connection: a contact, a member of a group, or an address of the user.
package indirect enum ConnectionEntity: TaggedUnion {
    case rcvDirectMsgConnection(entityConnection: Connection, contact: Contact?)
    case rcvGroupMsgConnection(entityConnection: Connection, groupInfo: GroupInfo, groupMember: GroupMember)
    case userContactConnection(entityConnection: Connection, userContact: UserContact)
    /// A case that this program does not know: the whole JSON object, unchanged.
    case unrecognized(JSONValue)
}

extension ConnectionEntity {
    package init(from decoder: any Decoder) throws {
        let fields = try TaggedFields(decoder)
        switch fields.tag {
        case "rcvDirectMsgConnection":
            self = try .rcvDirectMsgConnection(
                entityConnection: fields("entityConnection"), contact: fields.optional("contact"))
        case "rcvGroupMsgConnection":
            self = try .rcvGroupMsgConnection(
                entityConnection: fields("entityConnection"), groupInfo: fields("groupInfo"),
                groupMember: fields("groupMember"))
        case "userContactConnection":
            self = try .userContactConnection(
                entityConnection: fields("entityConnection"), userContact: fields("userContact"))
        default: self = .unrecognized(try fields.decodeUnknownCase(decoder))
        }
    }

    package func encode(to encoder: any Encoder) throws {
        switch self {
        case .rcvDirectMsgConnection(let entityConnection, let contact):
            try encoder.tagged("rcvDirectMsgConnection")("entityConnection", entityConnection).optional(
                "contact", contact)
        case .rcvGroupMsgConnection(let entityConnection, let groupInfo, let groupMember):
            try encoder.tagged("rcvGroupMsgConnection")("entityConnection", entityConnection)("groupInfo", groupInfo)(
                "groupMember", groupMember)
        case .userContactConnection(let entityConnection, let userContact):
            try encoder.tagged("userContactConnection")("entityConnection", entityConnection)(
                "userContact", userContact)
        case .unrecognized(let value): try value.encode(to: encoder)
        }
    }
}
