package import ChatAPI
package import JSON

/// Events of a group and its members (`x.grp.…`).
///
/// simplex-chat `docs/protocol/simplex-chat.md`, "Group protocol".
package enum GroupEvent: Sendable, Hashable {
    /// A contact invites the user to a group.
    case invitation(GroupInvitationMessage)
    /// The invited member joins the group. The event is sent with the confirmation of the connection.
    case accept(MemberID)
    /// A member answers a join request at a group link.
    case linkInvitation(GroupLinkInvitationMessage)
    /// A member refuses a join request at a group link.
    case linkRejection(GroupLinkRejectionMessage)
    /// The profile of the member who answers at the group link. The answer itself contains only the name of this
    /// member.
    case linkMember(profile: JSONValue)
    /// An admin announces a new member to the other members.
    /// - Parameter scope: the member in whose support chat the event is shown while the new member waits for a review;
    ///   nil for an event in the group itself.
    case memberNew(MemberInfo, scope: MemberID?)
    /// A moderator accepts a member, or tells the member to wait for a review.
    case linkAcceptance(GroupAcceptance, GroupMemberRole, MemberID)
    /// An admin introduces an existing member to the new member.
    case memberIntro(MemberInfo, isBlocked: Bool)
    /// The new member invites an existing member to connect. The invitation is sent to the admin who introduced the two
    /// members.
    case memberInvitation(MemberID, IntroInvitation)
    /// The admin forwards the invitation, which the new member has sent, to the existing member.
    case memberForward(MemberInfo, IntroInvitation)
    /// The id and the profile of the sender. Two introduced members exchange them in the confirmations of their
    /// connection.
    case memberInfo(MemberID, profile: JSONValue)
    case memberRole(MemberID, GroupMemberRole, roster: RosterChange = RosterChange())
    case memberRestrict(MemberID, isBlocked: Bool)
    /// The sender reports that the sender and the member are connected.
    case memberConnected(MemberID)
    case memberDelete(MemberID, withMessages: Bool, roster: RosterChange = RosterChange())
    /// An invitation to a direct connection with the sender, and a first message.
    case directInvitation(String, content: JSONValue?)
    case leave
    case delete
    case info(JSONValue)
    case preferences(JSONValue)
    /// A message of another member, forwarded by an admin.
    case forward(ForwardedMessage)

    init?(tag: String, _ reader: ParamReader) throws(ChatProtocolError) {
        switch tag {
        case "x.grp.inv": self = .invitation(try GroupInvitationMessage(reader.nestedReader("groupInvitation")))
        case "x.grp.acpt": self = .accept(try reader.readMemberID("memberId"))
        case "x.grp.link.inv":
            self = .linkInvitation(try GroupLinkInvitationMessage(reader.nestedReader("groupLinkInvitation")))
        case "x.grp.link.reject":
            self = .linkRejection(try GroupLinkRejectionMessage(reader.nestedReader("groupLinkRejection")))
        case "x.grp.link.mem": self = .linkMember(profile: try readProfile(in: reader))
        case "x.grp.mem.new":
            let scope =
                reader.readOptionalValue("scope") == nil
                ? nil : try reader.nestedReader("scope").readMemberID("memberId")
            self = .memberNew(try MemberInfo(reader.nestedReader("memberInfo")), scope: scope)
        case "x.grp.link.acpt":
            guard let acceptance = GroupAcceptance(rawValue: try reader.readString("acceptance")) else {
                throw .invalidMessage(reason: "\(reader.path).acceptance: unknown acceptance")
            }
            self = .linkAcceptance(acceptance, try reader.readRole("role"), try reader.readMemberID("memberId"))
        case "x.grp.mem.intro":
            self = .memberIntro(
                try MemberInfo(reader.nestedReader("memberInfo")),
                isBlocked: try reader.readOptionalObject("memberRestrictions")?["restriction"] == "blocked"
            )
        case "x.grp.mem.inv":
            self = .memberInvitation(
                try reader.readMemberID("memberId"),
                try IntroInvitation(reader.nestedReader("memberIntro"))
            )
        case "x.grp.mem.fwd":
            self = .memberForward(
                try MemberInfo(reader.nestedReader("memberInfo")),
                try IntroInvitation(reader.nestedReader("memberIntro"))
            )
        case "x.grp.mem.info":
            self = .memberInfo(try reader.readMemberID("memberId"), profile: try readProfile(in: reader))
        case "x.grp.mem.role":
            self = .memberRole(
                try reader.readMemberID("memberId"),
                try reader.readRole("role"),
                roster: try RosterChange(reader)
            )
        case "x.grp.mem.restrict":
            self = .memberRestrict(
                try reader.readMemberID("memberId"),
                isBlocked: try reader.readObject("memberRestrictions")["restriction"] == "blocked"
            )
        case "x.grp.mem.con": self = .memberConnected(try reader.readMemberID("memberId"))
        case "x.grp.mem.del":
            self = .memberDelete(
                try reader.readMemberID("memberId"),
                withMessages: reader.readOptionalValue("messages")?.boolValue ?? false,
                roster: try RosterChange(reader)
            )
        case "x.grp.direct.inv" where reader.readOptionalValue("scope") == nil:
            self = .directInvitation(
                try reader.readString("connReq"),
                content: try reader.readOptionalTaggedObject("content")
            )
        case "x.grp.leave": self = .leave
        case "x.grp.del": self = .delete
        case "x.grp.info": self = .info(try readProfile(in: reader, "groupProfile"))
        case "x.grp.prefs": self = .preferences(.object(try reader.readObject("groupPreferences")))
        case "x.grp.msg.forward": self = .forward(try ForwardedMessage(reader))
        default: return nil
        }
    }

    package var tag: String {
        switch self {
        case .invitation: "x.grp.inv"
        case .accept: "x.grp.acpt"
        case .linkInvitation: "x.grp.link.inv"
        case .linkRejection: "x.grp.link.reject"
        case .linkMember: "x.grp.link.mem"
        case .memberNew: "x.grp.mem.new"
        case .linkAcceptance: "x.grp.link.acpt"
        case .memberIntro: "x.grp.mem.intro"
        case .memberInvitation: "x.grp.mem.inv"
        case .memberForward: "x.grp.mem.fwd"
        case .memberInfo: "x.grp.mem.info"
        case .memberRole: "x.grp.mem.role"
        case .memberRestrict: "x.grp.mem.restrict"
        case .memberConnected: "x.grp.mem.con"
        case .memberDelete: "x.grp.mem.del"
        case .directInvitation: "x.grp.direct.inv"
        case .leave: "x.grp.leave"
        case .delete: "x.grp.del"
        case .info: "x.grp.info"
        case .preferences: "x.grp.prefs"
        case .forward: "x.grp.msg.forward"
        }
    }

    package var params: JSONObject {
        var params = JSONObject()
        switch self {
        case .invitation(let invitation): params["groupInvitation"] = .object(invitation.json)
        case .accept(let id), .memberConnected(let id): params["memberId"] = .string(id.text)
        case .linkInvitation(let invitation): params["groupLinkInvitation"] = .object(invitation.json)
        case .linkRejection(let rejection): params["groupLinkRejection"] = .object(rejection.json)
        case .linkMember(let profile): params["profile"] = profile
        case .memberNew(let info, let scope):
            params["memberInfo"] = .object(info.json)
            if let scope { params["scope"] = ["type": "member", "memberId": .string(scope.text)] }
        case .linkAcceptance(let acceptance, let role, let id):
            params["acceptance"] = .string(acceptance.rawValue)
            params["role"] = .string(role.rawValue)
            params["memberId"] = .string(id.text)
        case .memberIntro(let info, let isBlocked):
            params["memberInfo"] = .object(info.json)
            if isBlocked { params["memberRestrictions"] = ["restriction": "blocked"] }
        case .memberInvitation(let id, let invitation):
            params["memberId"] = .string(id.text)
            params["memberIntro"] = .object(invitation.json)
        case .memberForward(let info, let invitation):
            params["memberInfo"] = .object(info.json)
            params["memberIntro"] = .object(invitation.json)
        case .memberInfo(let id, let profile):
            params["memberId"] = .string(id.text)
            params["profile"] = profile
        case .memberRole(let id, let role, let roster):
            params["memberId"] = .string(id.text)
            params["role"] = .string(role.rawValue)
            roster.addParams(to: &params)
        case .memberRestrict(let id, let isBlocked):
            params["memberId"] = .string(id.text)
            params["memberRestrictions"] = ["restriction": .string(isBlocked ? "blocked" : "unrestricted")]
        case .memberDelete(let id, let withMessages, let roster):
            params["memberId"] = .string(id.text)
            if withMessages { params["messages"] = true }
            roster.addParams(to: &params)
        case .directInvitation(let link, let content):
            params["connReq"] = .string(link)
            if let content { params["content"] = content }
        case .leave, .delete: break
        case .info(let profile): params["groupProfile"] = profile
        case .preferences(let preferences): params["groupPreferences"] = preferences
        case .forward(let forwarded): return forwarded.params
        }
        return params
    }
}

extension ParamReader {
    func nestedReader(_ key: String) throws(ChatProtocolError) -> ParamReader {
        ParamReader(try readObject(key), in: "\(path).\(key)")
    }

    func readMemberID(_ key: String) throws(ChatProtocolError) -> MemberID {
        guard let id = MemberID(parsing: try readString(key)) else {
            throw .invalidMessage(reason: "\(path).\(key): not base64url")
        }
        return id
    }

    /// Reads the role of a member. An unknown role is an error, so an unknown word never gives rights.
    func readRole(_ key: String) throws(ChatProtocolError) -> GroupMemberRole {
        let role = GroupMemberRole(rawValue: try readString(key))
        guard GroupMemberRole.knownValues.contains(role) else {
            throw .invalidMessage(reason: "\(path).\(key): unknown role")
        }
        return role
    }
}

/// Reads the profile of a contact, a member or a group: an object with at least a `displayName`.
func readProfile(in reader: ParamReader, _ key: String = "profile") throws(ChatProtocolError) -> JSONValue {
    let profile = try reader.nestedReader(key)
    _ = try profile.readString("displayName")
    return .object(profile.values)
}
