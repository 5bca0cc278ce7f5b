package import JSON
internal import SimpleXCrypto

/// Events between owners, relays and subscribers of a channel, in addition to the events of all groups
/// (``GroupEvent``).
///
/// simplex-chat `docs/protocol/channels-protocol.md`.
package enum RelayEvent: Sendable, Hashable {
    /// A subscriber joins the channel at a relay. The signed event is sent with the request to connect.
    case join(ChannelJoinRequest)
    /// An owner asks a relay to serve a channel.
    case invitation(RelayInvitation)
    /// The relay agrees to serve the channel, and sends the link at which it serves this channel.
    case acceptance(link: String, capabilities: JSONObject?)
    /// The relay refuses to serve the channel.
    case rejection(reason: String)
    /// A test of a relay. The tester sends random bytes, and the relay returns them with a signature by the key of its
    /// address.
    case test(challenge: [UInt8], signature: [UInt8]?)
    /// An owner reports a new relay of the channel.
    case new(link: String)
    /// A relay announces its changed capabilities.
    case capabilities(JSONObject)
    case roster(RosterHeader)
    /// A relay acknowledges a roster, or reports an error.
    case rosterReceived(version: Int64, error: String?)
    /// A subscriber asks a relay for the current roster. `version` is the version of the subscriber's last complete
    /// roster; nil if the subscriber has none.
    case rosterRequest(version: Int64?)

    init?(tag: String, _ reader: ParamReader) throws(ChatProtocolError) {
        switch tag {
        case "x.member": self = .join(try ChannelJoinRequest(reader))
        case "x.grp.relay.inv": self = .invitation(try RelayInvitation(reader.nestedReader("groupRelayInvitation")))
        case "x.grp.relay.acpt":
            self = .acceptance(
                link: try reader.readString("relayLink"),
                capabilities: try reader.readOptionalObject("relayCap")
            )
        case "x.grp.relay.reject": self = .rejection(reason: try reader.readString("reason"))
        case "x.grp.relay.test":
            let signature: [UInt8]? =
                try reader.readOptionalValue("signature") == nil ? nil : reader.readBytes("signature")
            self = .test(challenge: try reader.readBytes("challenge"), signature: signature)
        case "x.grp.relay.new": self = .new(link: try reader.readString("relayLink"))
        case "x.grp.relay.cap": self = .capabilities(try reader.readObject("relayCap"))
        case "x.grp.roster": self = .roster(try RosterHeader(reader))
        case "x.grp.roster.ack":
            self = .rosterReceived(
                version: try reader.readRosterVersion("version"),
                error: try reader.readOptionalString("error")
            )
        case "x.grp.roster.request": self = .rosterRequest(version: try reader.readOptionalRosterVersion("version"))
        default: return nil
        }
    }

    package var tag: String {
        switch self {
        case .join: "x.member"
        case .invitation: "x.grp.relay.inv"
        case .acceptance: "x.grp.relay.acpt"
        case .rejection: "x.grp.relay.reject"
        case .test: "x.grp.relay.test"
        case .new: "x.grp.relay.new"
        case .capabilities: "x.grp.relay.cap"
        case .roster: "x.grp.roster"
        case .rosterReceived: "x.grp.roster.ack"
        case .rosterRequest: "x.grp.roster.request"
        }
    }

    package var params: JSONObject {
        var params = JSONObject()
        switch self {
        case .join(let request): return request.params
        case .invitation(let invitation): params["groupRelayInvitation"] = .object(invitation.json)
        case .acceptance(let link, let capabilities):
            params["relayLink"] = .string(link)
            if let capabilities { params["relayCap"] = .object(capabilities) }
        case .rejection(let reason): params["reason"] = .string(reason)
        case .test(let challenge, let signature):
            params["challenge"] = .string(Base64URL.encode(challenge))
            if let signature { params["signature"] = .string(Base64URL.encode(signature)) }
        case .new(let link): params["relayLink"] = .string(link)
        case .capabilities(let capabilities): params["relayCap"] = .object(capabilities)
        case .roster(let header): return header.params
        case .rosterReceived(let version, let error):
            params["version"] = .integer(version)
            if let error { params["error"] = .string(error) }
        case .rosterRequest(let version): if let version { params["version"] = .integer(version) }
        }
        return params
    }
}

/// A request to join a channel at a relay (`x.member`). The subscriber uses the same id and key at all relays of the
/// channel.
package struct ChannelJoinRequest: Sendable, Hashable {
    /// The profile as received, including unknown JSON members.
    package var profile: JSONValue
    package var id: MemberID
    package var key: MemberKey
    /// The id of the relay that receives the request, so that another relay cannot reuse the request.
    package var relayID: MemberID?

    package init(profile: JSONValue, id: MemberID, key: MemberKey, relay: MemberID?) {
        self.profile = profile
        self.id = id
        self.key = key
        self.relayID = relay
    }

    init(_ reader: ParamReader) throws(ChatProtocolError) {
        profile = try ChatProtocol.readProfile(in: reader)
        id = try reader.readMemberID("newMemberId")
        key = try reader.readMemberKey("newMemberKey")
        relayID = try reader.readOptionalValue("viaRelay") == nil ? nil : reader.readMemberID("viaRelay")
    }

    package var params: JSONObject {
        var params = JSONObject([
            ("profile", profile), ("newMemberId", .string(id.text)), ("newMemberKey", .string(key.text)),
        ])
        if let relayID { params["viaRelay"] = .string(relayID.text) }
        return params
    }
}

/// A message by which an owner asks a relay to serve a channel (`x.grp.relay.inv`). It contains the inviting owner, the
/// link of the channel, and the id of the relay in the channel.
package struct RelayInvitation: Sendable, Hashable {
    package var fromMember: MemberIdRole
    /// The profile as received, including unknown JSON members.
    package var fromProfile: JSONValue
    package var relayID: MemberID
    package var groupLink: String

    package init(from: MemberIdRole, fromProfile: JSONValue, relay: MemberID, groupLink: String) {
        self.fromMember = from
        self.fromProfile = fromProfile
        self.relayID = relay
        self.groupLink = groupLink
    }

    init(_ reader: ParamReader) throws(ChatProtocolError) {
        fromMember = try MemberIdRole(reader.nestedReader("fromMember"))
        fromProfile = try ChatProtocol.readProfile(in: reader, "fromMemberProfile")
        relayID = try reader.readMemberID("relayMemberId")
        groupLink = try reader.readString("groupLink")
    }

    package var json: JSONObject {
        JSONObject([
            ("fromMember", .object(fromMember.json)), ("fromMemberProfile", fromProfile),
            ("relayMemberId", .string(relayID.text)),
            ("groupLink", .string(groupLink)),
        ])
    }
}
