internal import Agent
internal import ChatAPI
internal import ChatProtocol
internal import ChatStore
internal import ChatText
internal import JSON
internal import SMP
internal import SQLCipher

/// Stored record of a channel that the user serves as one of its relays.
struct ServedChannel: Sendable {
    let userId: Int64
    let groupId: Int64
    /// Link of the channel. The owners sign the data of the link.
    let channelLink: ShortLink
    /// Request of the owner who asks the relay to serve the channel; nil after the relay has answered.
    let invitation: InvitationID?
    /// Number of failed attempts to answer the request.
    let failedAttemptCount: Int64
    let createdAt: Timestamp

    private static let query = "SELECT * FROM served_channels"

    private init?(_ row: Row) throws {
        guard let link = try? ShortLink(atServer: row.string("channel_link")) else { return nil }
        userId = try row.int64("user_id")
        groupId = try row.int64("group_id")
        self.channelLink = link
        invitation = try row.blobOrNil("invitation")
        failedAttemptCount = try row.readClampedCount("attempts")
        createdAt = Timestamp(nanoseconds: try row.int64("created_at"))
    }

    static func find(of group: GroupRecord, _ db: StoreConnection) throws -> ServedChannel? {
        try db.queryFirst(query + " WHERE user_id = ? AND group_id = ?", [group.userId, group.groupId]).flatMap(
            ServedChannel.init
        )
    }

    static func find(invitation: InvitationID, _ db: StoreConnection) throws -> ServedChannel? {
        try db.queryFirst(query + " WHERE invitation = ?", [invitation]).flatMap(ServedChannel.init)
    }

    /// Returns the channels whose owners have to be answered now.
    /// - Parameter pause: the longest pause between two attempts, in seconds. If the next attempt is further away than
    ///   this pause, the clock was set back, and the channel is due now.
    static func findDue(at now: Timestamp, pause: Int64, _ db: StoreConnection) throws -> [ServedChannel] {
        try db.query(
            query
                + " WHERE invitation IS NOT NULL AND (next_attempt_at <= ? OR next_attempt_at > ?) ORDER BY next_attempt_at",
            [now.nanoseconds, now.adding(seconds: pause).nanoseconds]
        ).compactMap(ServedChannel.init)
    }

    /// Returns the time of the next attempt to answer an owner; nil if no owner waits.
    static func findNextAttemptTime(_ db: StoreConnection) throws -> Timestamp? {
        try db.firstRow("SELECT min(next_attempt_at) AS next FROM served_channels WHERE invitation IS NOT NULL")?
            .int64OrNil("next")
            .map(Timestamp.init(nanoseconds:))
    }

    /// Returns the channels with one of these relay statuses, of all users of the store.
    static func findGroups(_ statuses: Set<RelayStatus>, _ db: StoreConnection) throws -> [GroupRecord] {
        try db.query(
            "SELECT user_id, group_id FROM groups WHERE relay_own_status IN (\(placeholders(statuses.count)))",
            statuses.map { $0.rawValue }
        ).compactMap { try GroupRecord.find($0.int64("group_id"), user: $0.int64("user_id"), in: db) }
    }

    /// Returns the number of channels that a user serves.
    static func countServed(of user: UserRecord, _ db: StoreConnection) throws -> Int64 {
        try db.queryFirst(
            "SELECT count(*) AS n FROM groups WHERE user_id = ? AND relay_own_status IN ('invited', 'accepted', 'acknowledgedRoster', 'active')",
            [user.userId]
        )?.int64("n") ?? 0
    }

    /// Returns whether the user has left the channel as its relay, and therefore refuses new invitations to it.
    static func refusesInvitation(_ link: ShortLink, _ user: UserRecord, _ db: StoreConnection) throws -> Bool {
        try db.firstRow(
            """
            SELECT 1 FROM served_channels s JOIN groups g ON g.user_id = s.user_id AND g.group_id = s.group_id
            WHERE s.user_id = :user_id AND s.channel_link = :channel_link AND g.relay_own_status = 'rejected' LIMIT 1
            """,
            ["user_id": user.userId, "channel_link": link.uri]
        ) != nil
    }

    /// Creates a channel from an invitation. Only the inviting owner and the link of the channel are known.
    static func create(
        _ invited: RelayInvitation,
        _ link: ShortLink,
        by invitation: InvitationID,
        _ versions: ChatVersionRange,
        _ user: UserRecord,
        _ tx: Transaction
    ) throws {
        var profile = try JSONDecoder().decode(Profile.self, from: invited.fromProfile)
        profile.replaceUnshowableValues()
        let (group, _) = try GroupRecord.create(
            GroupProfile(
                displayName: DisplayName.makeShownPeerName("relay_request_\(profile.displayName)"),
                fullName: ""
            ),
            host: NewMember(
                id: invited.fromMember.id,
                role: .owner,
                category: .host,
                status: .accepted,
                profileId: 0,
                localDisplayName: "",
                versions: versions
            ),
            profile,
            as: MemberIdRole(id: invited.relayID, role: .relay),
            .accepted,
            incognito: nil,
            user,
            tx
        )
        try tx.db.insert(
            into: "served_channels",
            [
                "user_id": user.userId, "group_id": group.groupId, "channel_link": link.uri, "invitation": invitation,
                "created_at": tx.now.nanoseconds,
            ]
        )
        try group.setRelayStatus(.invited, tx)
        tx.followUpWork.insert(.servedChannels)
    }
}

extension GroupRecord {
    /// Whether the user passes messages of the channel on.
    var isServedNow: Bool { relayStatus.map { RelayStatus.servingStatuses.contains($0) } ?? false }

    func setRelayStatus(_ status: RelayStatus, _ tx: Transaction) throws {
        try tx.db.update(
            "groups",
            set: ["relay_own_status": status.rawValue],
            where: ["user_id": userId, "group_id": groupId]
        )
        try tx.db.update(
            "served_channels",
            set: ["inactive_at": status == .inactive ? tx.now.nanoseconds : nil],
            where: ["user_id": userId, "group_id": groupId]
        )
    }
}

extension RelayStatus {
    static let servingStatuses: Set<RelayStatus> = [.invited, .accepted, .acknowledgedRoster, .active]
}

/// Data in a relay's short links: in the link of its address, and in its links for channels.
struct RelayLinkProfile<Shown: Encodable & Sendable>: Encodable, Sendable {
    let relayProfile: Shown
}

extension ShortLinkData {
    /// Encodes the data for the address of a relay.
    static func encode(relay user: UserRecord) throws -> [UInt8] {
        let profile = user.profile
        return try encode(
            RelayLinkProfile(
                relayProfile: RelayProfile(
                    displayName: profile.displayName,
                    fullName: profile.fullName,
                    shortDescr: profile.shortDescr,
                    image: profile.image
                )
            )
        )
    }

    /// Encodes the data for the link at which a relay serves a channel.
    static func encode(relayOf group: GroupRecord, _ user: UserRecord) throws -> [UInt8] {
        try encode(RelayLinkProfile(relayProfile: try group.ownProfile(user)))
    }
}
