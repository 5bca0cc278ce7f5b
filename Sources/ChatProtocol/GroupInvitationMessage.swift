internal import ChatAPI
package import JSON

/// An invitation to a group (`x.grp.inv`). It contains the ids and roles of the inviting contact and of the invited
/// user, and the link with which the user connects to the contact as a member.
package struct GroupInvitationMessage: Sendable, Hashable {
    package var from: MemberIdRole
    package var invited: MemberIdRole
    /// The link with which the user connects to the contact as a member.
    package var request: String
    /// The profile of the group as received, including unknown JSON members.
    package var groupProfile: JSONValue
    /// The id of the group link with which the user requested to join.
    package var groupLinkId: String?
    package var groupSize: Int64?
    /// The data of a business chat; nil in other groups.
    package var business: JSONValue?

    package init(from: MemberIdRole, invited: MemberIdRole, request: String, groupProfile: JSONValue, groupSize: Int64?)
    {
        self.from = from
        self.invited = invited
        self.request = request
        self.groupProfile = groupProfile
        self.groupSize = groupSize
    }

    init(_ reader: ParamReader) throws(ChatProtocolError) {
        from = try MemberIdRole(reader.reader("fromMember"))
        invited = try MemberIdRole(reader.reader("invitedMember"))
        request = try reader.string("connRequest")
        groupProfile = try profile(in: reader, "groupProfile")
        groupLinkId = try reader.optionalString("groupLinkId")
        groupSize = try reader.optionalInteger("groupSize")
        business = try reader.optionalObject("business").map(JSONValue.object)
    }

    package var json: JSONObject {
        var json = JSONObject()
        json["fromMember"] = .object(from.json)
        json["invitedMember"] = .object(invited.json)
        json["connRequest"] = .string(request)
        json["groupProfile"] = groupProfile
        if let business { json["business"] = business }
        if let groupLinkId { json["groupLinkId"] = .string(groupLinkId) }
        if let groupSize { json["groupSize"] = .integer(groupSize) }
        return json
    }
}
