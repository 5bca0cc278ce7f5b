internal import ChatAPI
package import JSON

/// An invitation to a group (`x.grp.inv`). It contains the ids and roles of the inviting contact and of the invited
/// user. It also contains the link with which the user connects to the contact as a member.
package struct GroupInvitationMessage: Sendable, Hashable {
    package var fromMember: MemberIdRole
    package var invitedMember: MemberIdRole
    /// The link with which the invited user connects to the inviting contact as a member of the group.
    package var connectionRequest: String
    /// The profile of the group as received, including unknown JSON members.
    package var groupProfile: JSONValue
    /// The id of the group link with which the user requested to join.
    package var groupLinkId: String?
    package var groupSize: Int64?
    /// The data of a business chat; nil in other groups.
    package var business: JSONValue?

    package init(from: MemberIdRole, invited: MemberIdRole, request: String, groupProfile: JSONValue, groupSize: Int64?)
    {
        self.fromMember = from
        self.invitedMember = invited
        self.connectionRequest = request
        self.groupProfile = groupProfile
        self.groupSize = groupSize
    }

    init(_ reader: ParamReader) throws(ChatProtocolError) {
        fromMember = try MemberIdRole(reader.nestedReader("fromMember"))
        invitedMember = try MemberIdRole(reader.nestedReader("invitedMember"))
        connectionRequest = try reader.readString("connRequest")
        groupProfile = try readProfile(in: reader, "groupProfile")
        groupLinkId = try reader.readOptionalString("groupLinkId")
        groupSize = try reader.readOptionalInteger("groupSize")
        business = try reader.readOptionalObject("business").map(JSONValue.object)
    }

    package var json: JSONObject {
        var json = JSONObject()
        json["fromMember"] = .object(fromMember.json)
        json["invitedMember"] = .object(invitedMember.json)
        json["connRequest"] = .string(connectionRequest)
        json["groupProfile"] = groupProfile
        if let business { json["business"] = business }
        if let groupLinkId { json["groupLinkId"] = .string(groupLinkId) }
        if let groupSize { json["groupSize"] = .integer(groupSize) }
        return json
    }
}
