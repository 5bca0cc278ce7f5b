internal import ChatAPI
package import JSON

/// The answer to a join request at a group link (`x.grp.link.inv`). It contains the ids and roles of the answering
/// member and of the joining member.
package struct GroupLinkInvitationMessage: Sendable, Hashable {
    package var from: MemberIdRole
    package var fromName: String
    package var invited: MemberIdRole
    /// The profile of the group as received, including unknown JSON members.
    package var groupProfile: JSONValue
    /// The state of the joining member; nil from an app that accepts everybody.
    package var accepted: GroupAcceptance?
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
        self.from = from
        self.fromName = fromName
        self.invited = invited
        self.groupProfile = groupProfile
        self.accepted = accepted
        self.business = business
        self.groupSize = groupSize
    }

    init(_ reader: ParamReader) throws(ChatProtocolError) {
        from = try MemberIdRole(reader.reader("fromMember"))
        fromName = try reader.string("fromMemberName")
        invited = try MemberIdRole(reader.reader("invitedMember"))
        groupProfile = try profile(in: reader, "groupProfile")
        if let text = try reader.optionalString("accepted") {
            guard let accepted = GroupAcceptance(rawValue: text) else {
                throw .invalidMessage(reason: "\(reader.path).accepted: unknown acceptance")
            }
            self.accepted = accepted
        }
        business = try reader.optionalObject("business").map(JSONValue.object)
        groupSize = try reader.optionalInteger("groupSize")
    }

    package var json: JSONObject {
        var json = JSONObject()
        json["fromMember"] = .object(from.json)
        json["fromMemberName"] = .string(fromName)
        json["invitedMember"] = .object(invited.json)
        json["groupProfile"] = groupProfile
        if let accepted { json["accepted"] = .string(accepted.rawValue) }
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
    package var from: MemberIdRole
    package var invited: MemberIdRole
    /// The profile of the group as received, including unknown JSON members.
    package var groupProfile: JSONValue
    /// The reason of the refusal: `long_name`, `blocked_name` or another word.
    package var reason: String

    init(_ reader: ParamReader) throws(ChatProtocolError) {
        from = try MemberIdRole(reader.reader("fromMember"))
        invited = try MemberIdRole(reader.reader("invitedMember"))
        groupProfile = try profile(in: reader, "groupProfile")
        reason = try reader.string("rejectionReason")
    }

    package var json: JSONObject {
        JSONObject([
            ("fromMember", .object(from.json)), ("invitedMember", .object(invited.json)),
            ("groupProfile", groupProfile), ("rejectionReason", .string(reason)),
        ])
    }
}
