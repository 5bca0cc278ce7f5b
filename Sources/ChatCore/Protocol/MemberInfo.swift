internal import ChatAPI
internal import JSON

/// The id and the role of a member in a group.
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

/// Data of a member that an admin introduces to other members.
struct MemberInfo: Sendable, Hashable {
    var id: MemberID
    var role: GroupMemberRole
    /// The versions that the member's program supports; nil if the program does not say it.
    var versions: ChatVersionRange?
    /// The profile as received, including unknown JSON members.
    var profile: JSONValue
    /// The public key of the member's signatures; only in groups with relays.
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

/// The roster data of a role change or a removal of one member, in a group with relays (``Roster``).
struct RosterChange: Sendable, Hashable {
    /// The key of the member, for recipients who do not know the member yet.
    var key: MemberKey?
    /// The first version of the roster that includes the change.
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
    /// A second link, which makes the two members contacts. Programs before chat version 2 send it.
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
