internal import ChatAPI
package import JSON

/// The answer to a join request at a group link (`x.grp.link.inv`). It contains the ids and roles of the answering
/// member and of the joining member.
package struct GroupLinkInvitationMessage: Sendable, Hashable {
    package var fromMember: MemberIdRole
    package var fromMemberName: String
    package var invitedMember: MemberIdRole
    /// The profile of the group as received, including unknown JSON members.
    package var groupProfile: JSONValue
    /// The state of the joining member; nil if the answering member's app accepts everybody.
    package var acceptance: GroupAcceptance?
    /// The data of a business chat; nil in other groups.
    package var business: JSONValue?
    package var groupSize: Int64?

    package init(
        from: MemberIdRole,
        fromName: String,
        invited: MemberIdRole,
        groupProfile: JSONValue,
        accepted: GroupAcceptance?,
        business: JSONValue? = nil,
        groupSize: Int64?
    ) {
        self.fromMember = from
        self.fromMemberName = fromName
        self.invitedMember = invited
        self.groupProfile = groupProfile
        self.acceptance = accepted
        self.business = business
        self.groupSize = groupSize
    }

    init(_ reader: ParamReader) throws(ChatProtocolError) {
        fromMember = try MemberIdRole(reader.nestedReader("fromMember"))
        fromMemberName = try reader.readString("fromMemberName")
        invitedMember = try MemberIdRole(reader.nestedReader("invitedMember"))
        groupProfile = try readProfile(in: reader, "groupProfile")
        if let text = try reader.readOptionalString("accepted") {
            guard let accepted = GroupAcceptance(rawValue: text) else {
                throw .invalidMessage(reason: "\(reader.path).accepted: unknown acceptance")
            }
            self.acceptance = accepted
        }
        business = try reader.readOptionalObject("business").map(JSONValue.object)
        groupSize = try reader.readOptionalInteger("groupSize")
    }

    package var json: JSONObject {
        var json = JSONObject()
        json["fromMember"] = .object(fromMember.json)
        json["fromMemberName"] = .string(fromMemberName)
        json["invitedMember"] = .object(invitedMember.json)
        json["groupProfile"] = groupProfile
        if let acceptance { json["accepted"] = .string(acceptance.rawValue) }
        if let business { json["business"] = business }
        if let groupSize { json["groupSize"] = .integer(groupSize) }
        return json
    }
}

/// The state of a member who has requested to join by a group link.
package enum GroupAcceptance: String, Sendable, Hashable {
    case accepted
    /// The member who answers at the link has to decide about the joining member.
    case pendingApproval = "pending"
    /// The moderators have to decide about the joining member.
    case pendingReview = "pending_review"
}

/// The refusal of a join request at a group link (`x.grp.link.reject`).
package struct GroupLinkRejectionMessage: Sendable, Hashable {
    package var fromMember: MemberIdRole
    package var invitedMember: MemberIdRole
    /// The profile of the group as received, including unknown JSON members.
    package var groupProfile: JSONValue
    /// The reason of the refusal: `long_name`, `blocked_name` or another word.
    package var reason: String

    init(_ reader: ParamReader) throws(ChatProtocolError) {
        fromMember = try MemberIdRole(reader.nestedReader("fromMember"))
        invitedMember = try MemberIdRole(reader.nestedReader("invitedMember"))
        groupProfile = try readProfile(in: reader, "groupProfile")
        reason = try reader.readString("rejectionReason")
    }

    package var json: JSONObject {
        JSONObject([
            ("fromMember", .object(fromMember.json)), ("invitedMember", .object(invitedMember.json)),
            ("groupProfile", groupProfile), ("rejectionReason", .string(reason)),
        ])
    }
}
