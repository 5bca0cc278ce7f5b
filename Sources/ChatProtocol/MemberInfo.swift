package import ChatAPI
package import JSON

/// The id and the role of a member in a group.
package struct MemberIdRole: Sendable, Hashable {
    package var id: MemberID
    package var role: GroupMemberRole

    package init(id: MemberID, role: GroupMemberRole) {
        self.id = id
        self.role = role
    }

    init(_ reader: ParamReader) throws(ChatProtocolError) {
        id = try reader.readMemberID("memberId")
        role = try reader.readRole("memberRole")
    }

    package var json: JSONObject {
        JSONObject([("memberId", .string(id.text)), ("memberRole", .string(role.rawValue))])
    }
}

/// The data with which an admin introduces a member to other members.
package struct MemberInfo: Sendable, Hashable {
    package var id: MemberID
    package var role: GroupMemberRole
    /// The versions that the member's app supports; nil if the app does not send them.
    package var versions: ChatVersionRange?
    /// The profile as received, including unknown JSON members.
    package var profile: JSONValue
    /// The public key for the signatures of the member; nil in groups without relays.
    package var key: JSONValue?

    package init(id: MemberID, role: GroupMemberRole, versions: ChatVersionRange?, profile: JSONValue) {
        self.id = id
        self.role = role
        self.versions = versions
        self.profile = profile
    }

    init(_ reader: ParamReader) throws(ChatProtocolError) {
        id = try reader.readMemberID("memberId")
        role = try reader.readRole("memberRole")
        versions = try reader.readOptionalString("v").flatMap { ChatVersionRange(parsing: $0) }
        profile = try ChatProtocol.readProfile(in: reader)
        key = reader.readOptionalValue("memberKey")
    }

    package var json: JSONObject {
        var json = JSONObject()
        json["memberId"] = .string(id.text)
        json["memberRole"] = .string(role.rawValue)
        if let versions { json["v"] = .string(versions.text) }
        json["profile"] = profile
        if let key { json["memberKey"] = key }
        return json
    }
}

/// Data about the roster in an event that changes the role of a member or removes a member. The roster of a group
/// with relays lists its members, moderators and admins with their keys (``Roster``). Events in other groups do not
/// contain these data.
package struct RosterChange: Sendable, Hashable {
    /// The key of the member whose role changes, for recipients who do not know the member yet.
    package var key: MemberKey?
    /// The first version of the roster that includes the change.
    package var version: Int64?

    package init(key: MemberKey? = nil, version: Int64? = nil) {
        self.key = key
        self.version = version
    }

    init(_ reader: ParamReader) throws(ChatProtocolError) {
        key = try reader.readOptionalMemberKey("memberKey")
        version = try reader.readOptionalRosterVersion("rosterVersion")
    }

    package func addParams(to params: inout JSONObject) {
        if let key { params["memberKey"] = .string(key.text) }
        if let version { params["rosterVersion"] = .integer(version) }
    }
}

/// The link with which one member invites another member to connect.
package struct IntroInvitation: Sendable, Hashable {
    package var groupConnectionRequest: String
    /// A second link, with which the two members become contacts. Only apps before chat version 2 send it.
    var directConnectionRequest: String?

    package init(groupConnectionRequest: String) { self.groupConnectionRequest = groupConnectionRequest }

    init(_ reader: ParamReader) throws(ChatProtocolError) {
        groupConnectionRequest = try reader.readString("groupConnReq")
        directConnectionRequest = try reader.readOptionalString("directConnReq")
    }

    package var json: JSONObject {
        var json = JSONObject()
        json["groupConnReq"] = .string(groupConnectionRequest)
        if let directConnectionRequest { json["directConnReq"] = .string(directConnectionRequest) }
        return json
    }
}
