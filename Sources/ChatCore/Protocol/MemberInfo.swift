internal import ChatAPI
internal import JSON

/// A member's id in a group, and its role.
struct MemberIdRole: Sendable, Hashable {
    var id: MemberID
    var role: GroupMemberRole

    init(id: MemberID, role: GroupMemberRole) {
        self.id = id
        self.role = role
    }

    init(_ reader: ParamReader) throws(ChatProtocolError) {
        id = try reader.memberID("memberId")
        role = try reader.role("memberRole")
    }

    var json: JSONObject { JSONObject([("memberId", .string(id.text)), ("memberRole", .string(role.rawValue))]) }
}

/// A member as an admin introduces it.
struct MemberInfo: Sendable, Hashable {
    var id: MemberID
    var role: GroupMemberRole
    /// The versions that the member's program supports; nil if the program does not say it.
    var versions: ChatVersionRange?
    /// As received, including unknown members.
    var profile: JSONValue
    /// The key by which the member signs, in groups with relays.
    var key: JSONValue?

    init(id: MemberID, role: GroupMemberRole, versions: ChatVersionRange?, profile: JSONValue) {
        self.id = id
        self.role = role
        self.versions = versions
        self.profile = profile
    }

    init(_ reader: ParamReader) throws(ChatProtocolError) {
        id = try reader.memberID("memberId")
        role = try reader.role("memberRole")
        versions = try reader.optionalString("v").flatMap { ChatVersionRange(parsing: $0) }
        profile = try ChatCore.profile(in: reader)
        key = reader.optional("memberKey")
    }

    var json: JSONObject {
        var json = JSONObject()
        json["memberId"] = .string(id.text)
        json["memberRole"] = .string(role.rawValue)
        if let versions { json["v"] = .string(versions.text) }
        json["profile"] = profile
        if let key { json["memberKey"] = key }
        return json
    }
}

/// What a change of one member says of the roster of a group with relays (``Roster``).
struct RosterStep: Sendable, Hashable {
    /// The member's key, for those who do not know the member.
    var key: MemberKey?
    /// The version of the roster that has the change.
    var version: Int64?

    init(key: MemberKey? = nil, version: Int64? = nil) {
        self.key = key
        self.version = version
    }

    init(_ reader: ParamReader) throws(ChatProtocolError) {
        key = try reader.optionalMemberKey("memberKey")
        version = try reader.optionalRosterVersion("rosterVersion")
    }

    func add(to params: inout JSONObject) {
        if let key { params["memberKey"] = .string(key.text) }
        if let version { params["rosterVersion"] = .integer(version) }
    }
}

/// The link by which one member invites another one to connect.
struct IntroInvitation: Sendable, Hashable {
    var groupRequest: String
    /// A second link, to a contact: of programs before chat version 2.
    var directRequest: String?

    init(groupRequest: String) { self.groupRequest = groupRequest }

    init(_ reader: ParamReader) throws(ChatProtocolError) {
        groupRequest = try reader.string("groupConnReq")
        directRequest = try reader.optionalString("directConnReq")
    }

    var json: JSONObject {
        var json = JSONObject()
        json["groupConnReq"] = .string(groupRequest)
        if let directRequest { json["directConnReq"] = .string(directRequest) }
        return json
    }
}
