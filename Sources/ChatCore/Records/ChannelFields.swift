internal import ChatAPI
internal import ChatProtocol
internal import SQLCipher
internal import SimpleXCrypto

/// Data that only a channel has. A channel is a group whose messages relays forward, and whose owners sign changes of
/// the group.
struct ChannelFields: Sendable {
    /// The hash of the root key. This hash never changes.
    let publicGroupID: [UInt8]
    /// The root public key of the channel; nil before the link of the channel is read.
    var rootKey: Ed25519.PublicKey?
    /// The private key for the user's signatures, the same for all relays; nil before the user joins.
    var memberKey: Ed25519.PrivateKey?
    /// The public number of members of the channel, without its relays. An owner publishes this number in the link.
    var publicMemberCount: Int64?
    /// The version of the newest applied change of the roster, which is the signed list of the members who may write,
    /// without the owners.
    var rosterVersion: Int64?
    /// The newest version of the roster up to which all changes have been received.
    var completeRosterVersion: Int64?

    static let columns =
        "g.public_group_id, g.root_key, g.member_key AS g_member_key, g.public_members, g.roster_version, g.complete_roster_version"

    /// Reads the fields of a channel; nil for an ordinary group.
    init?(_ row: Row) throws {
        guard let id = try row.blobOrNil("public_group_id") else { return nil }
        publicGroupID = id
        rootKey = try row.blobOrNil("root_key").flatMap { try? Ed25519.PublicKey(rawRepresentation: $0) }
        memberKey = try row.blobOrNil("g_member_key").flatMap { try? Ed25519.PrivateKey(rawRepresentation: $0) }
        publicMemberCount = try row.readClampedCountOrNil("public_members", upTo: Row.maxCount)
        rosterVersion = try row.readClampedCountOrNil("roster_version", upTo: Roster.maxRosterVersion)
        completeRosterVersion = try row.readClampedCountOrNil("complete_roster_version", upTo: Roster.maxRosterVersion)
    }
}

extension GroupRecord {
    /// The signer of the user's messages; nil in an ordinary group, and in a channel that the user has not asked to
    /// join.
    var signer: ChannelSigner? {
        guard let channel, let key = channel.memberKey else { return nil }
        return ChannelSigner(
            key: key,
            binding: GroupBinding(publicGroupID: channel.publicGroupID, member: membership.sharedID)
        )
    }

    var isChannel: Bool { channel != nil }

    /// Whether the user is, or was, one of the channel's relays.
    var isServed: Bool { relayStatus != nil }

    /// Whether the group is a channel, and the member may delete messages from its history.
    func mayEditHistory(by member: MemberRecord) -> Bool { (isChannel || isServed) && member.role >= .moderator }
}
