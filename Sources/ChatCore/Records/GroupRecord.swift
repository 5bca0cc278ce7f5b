internal import ChatAPI
internal import ChatProtocol
internal import ChatStore
internal import JSON
internal import SQLCipher
internal import SimpleXCrypto

/// A stored group: the row of the group, and the user's membership. One query reads the row and the membership.
struct GroupRecord: Sendable {
    let userId: Int64
    let groupId: Int64
    var localDisplayName: String
    var profile: GroupProfile
    /// The connection request by which the user can join; nil if the user was not invited to the group.
    let invitationURI: String?
    /// The id of the chat item that shows the invitation.
    let invitationItemId: Int64?
    var localAlias: String
    var membership: MemberRecord
    var currentMemberCount: Int64
    let notificationFilter: String
    let sendsReceipts: Bool?
    let isFavorite: Bool
    let isMarkedUnread: Bool
    let customData: String?
    let uiThemes: String?
    let itemTTL: Int64?
    let tagIds: [Int64]
    let memberProfileSentAt: Timestamp?
    /// The data of a business conversation; nil for other groups.
    var businessInfo: BusinessChatInfo?
    /// The link by which the user has joined, or asked to join.
    let joinLink: String?
    /// Preparation of the group; nil for a group that was not prepared.
    var preparation: GroupPreparation?
    /// The last check of the group's SimpleX name.
    var domainCheck: DomainCheck?
    /// The fields of a channel; nil for an ordinary group.
    var channel: ChannelFields?
    /// The status of the user as a relay of the channel; nil in a group for which the user is not a relay.
    var relayStatus: RelayStatus?
    let createdAt: Timestamp
    var updatedAt: Timestamp
    var chatTs: Timestamp
    var membersRequiringAttentionCount: Int64
    /// The support chat that this record stands for; nil for the chat of the group.
    var scope: SupportScope?

    static let columns = """
        g.user_id AS g_user_id, g.group_id, g.local_display_name AS g_local_display_name, g.profile AS g_profile, g.local_alias AS g_local_alias,
        g.invitation AS g_invitation, g.invitation_item_id, g.current_members, g.enable_ntfs AS g_enable_ntfs, g.send_rcpts AS g_send_rcpts, g.favorite AS g_favorite, g.unread_chat AS g_unread_chat,
        g.custom_data AS g_custom_data, g.ui_themes AS g_ui_themes, g.chat_item_ttl AS g_chat_item_ttl, g.member_profile_sent_at, g.business,
        g.via_group_link_uri, g.checked_domain, g.domain_verified, \(GroupPreparation.columns), \(ChannelFields.columns), g.relay_own_status,
        g.created_at AS g_created_at, g.updated_at AS g_updated_at, g.chat_ts AS g_chat_ts, \(ChatTags.tagsColumn(.group, "g", "group_id")),
        \(SupportChats.attentionCountColumn), \(MemberRecord.columns)
        """

    static let tables = """
        groups g JOIN group_members m ON m.user_id = g.user_id AND m.group_member_id = g.membership_id
        JOIN contact_profiles mp ON mp.contact_profile_id = coalesce(m.incognito_profile_id, m.contact_profile_id)
        """

    init(_ row: Row) throws {
        userId = try row.int64("g_user_id")
        groupId = try row.int64("group_id")
        localDisplayName = try row.string("g_local_display_name")
        profile = try StoredJSON.decode(GroupProfile.self, row.string("g_profile"))
        invitationURI = try row.stringOrNil("g_invitation")
        invitationItemId = try row.int64OrNil("invitation_item_id")
        localAlias = try row.string("g_local_alias")
        membership = try MemberRecord(row)
        currentMemberCount = try row.readClampedCount("current_members")
        notificationFilter = try row.string("g_enable_ntfs")
        sendsReceipts = try row.int64OrNil("g_send_rcpts").map { $0 != 0 }
        isFavorite = try row.bool("g_favorite")
        isMarkedUnread = try row.bool("g_unread_chat")
        customData = try row.stringOrNil("g_custom_data")
        uiThemes = try row.stringOrNil("g_ui_themes")
        itemTTL = try row.readTimeOrNil("g_chat_item_ttl")
        tagIds = ChatTags.parseIds(try row.stringOrNil("chat_tags"))
        memberProfileSentAt = try row.int64OrNil("member_profile_sent_at").map(Timestamp.init(nanoseconds:))
        businessInfo = try StoredJSON.decodeIfPresent(BusinessChatInfo.self, row.stringOrNil("business"))
        joinLink = try row.stringOrNil("via_group_link_uri")
        preparation = try GroupPreparation(row)
        domainCheck = try DomainCheck(row)
        channel = try ChannelFields(row)
        relayStatus = try row.stringOrNil("relay_own_status").map { RelayStatus(rawValue: $0) }
        createdAt = Timestamp(nanoseconds: try row.int64("g_created_at"))
        updatedAt = Timestamp(nanoseconds: try row.int64("g_updated_at"))
        chatTs = Timestamp(nanoseconds: try row.int64("g_chat_ts"))
        membersRequiringAttentionCount = try row.readClampedCount("members_require_attention")
    }

    static func find(_ groupId: Int64, user userId: Int64, in db: StoreConnection) throws -> GroupRecord? {
        try db.firstRow(
            "SELECT \(columns) FROM \(tables) WHERE g.user_id = :user_id AND g.group_id = :group_id",
            ["user_id": userId, "group_id": groupId]
        )
        .map(
            GroupRecord.init
        )
    }

    /// Returns a group of the user.
    /// - Throws: `groupNotFound`.
    static func get(_ groupId: Int64, user: UserRecord, in db: StoreConnection) throws -> GroupRecord {
        guard let group = try find(groupId, user: user.userId, in: db) else {
            throw ChatFailure(StoreError.groupNotFound(groupId: groupId))
        }
        return group
    }

    /// The number of groups that one query reads.
    private static let groupsPerQuery = 50

    /// Returns the groups with these ids. Missing groups are left out.
    static func findAll(_ groupIds: Set<Int64>, user userId: Int64, in db: StoreConnection) throws -> [GroupRecord] {
        try groupIds.sorted().chunks(of: groupsPerQuery).flatMap { chunk in
            // The unused places in the query are filled with nil, so that one statement serves any number of ids.
            let ids: [Argument] = (0..<groupsPerQuery).map { $0 < chunk.count ? chunk[chunk.startIndex + $0] : nil }
            return try db.query(
                "SELECT \(columns) FROM \(tables) WHERE g.user_id = ? AND g.group_id IN (\(placeholders(groupsPerQuery)))",
                [userId] + ids
            ).map(GroupRecord.init)
        }
    }

    static func all(user userId: Int64, in db: StoreConnection) throws -> [GroupRecord] {
        try db.query("SELECT \(columns) FROM \(tables) WHERE g.user_id = ? ORDER BY g.group_id", [userId]).map(
            GroupRecord.init
        )
    }

    var preferences: FullGroupPreferences { FullGroupPreferences(profile.groupPreferences) }

    /// Checks that the user is an active member with at least this role.
    /// - Throws: `groupUserRole`, `groupNotJoined`, `groupMemberUserRemoved`, `groupMemberNotActive`.
    func requireRole(_ role: GroupMemberRole, _ user: UserRecord) throws {
        guard membership.role >= role else {
            throw ChatFailure(ChatErrorType.groupUserRole(groupInfo: api(user), requiredRole: role))
        }
        guard membership.status != .invited else {
            throw ChatFailure(ChatErrorType.groupNotJoined(groupInfo: api(user)))
        }
        guard !membership.status.isRemoved else { throw ChatFailure(ChatErrorType.groupMemberUserRemoved) }
        guard membership.status.isActive else { throw ChatFailure(ChatErrorType.groupMemberNotActive) }
    }

    func api(_ user: UserRecord) -> GroupInfo {
        var settings = ChatSettings(enableNtfs: MsgFilter(rawValue: notificationFilter), favorite: isFavorite)
        settings.sendRcpts = sendsReceipts
        return GroupInfo(
            groupId: groupId,
            useRelays: isChannel || isServed,
            relayOwnStatus: relayStatus,
            localDisplayName: localDisplayName,
            groupProfile: profile,
            localAlias: localAlias,
            businessChat: businessInfo,
            fullGroupPreferences: preferences,
            membership: membership.api(user),
            chatSettings: settings,
            createdAt: createdAt.api,
            updatedAt: updatedAt.api,
            chatTs: chatTs.api,
            userMemberProfileSentAt: memberProfileSentAt?.api,
            preparedGroup: preparation?.api,
            chatTags: tagIds,
            chatItemTTL: itemTTL,
            uiThemes: uiThemes.flatMap { try? StoredJSON.decode(UIThemeEntityOverrides.self, $0) },
            customData: customData.flatMap { try? JSONValue(parsing: $0) },
            groupSummary: GroupSummary(
                currentMembers: currentMemberCount,
                publicMemberCount: channel?.publicMemberCount
            ),
            rosterVersion: channel?.rosterVersion,
            membersRequireAttention: Int(clamping: membersRequiringAttentionCount),
            viaGroupLinkUri: joinLink,
            groupPublicKeys: publicKeys,
            groupDomainVerified: domainCheck?.verificationResult(for: domainClaim)
        )
    }

    /// The SimpleX name that the channel or the business claims.
    var domainClaim: SimplexDomainClaim? {
        businessInfo?.businessDomain ?? profile.publicGroup?.publicGroupAccess?.groupDomainClaim
    }

    /// The keys of the channel; nil until the link of the channel was read and the user has asked to join.
    private var publicKeys: GroupPublicKeys? {
        guard let channel, let root = channel.rootKey, let own = membership.signatureKey else { return nil }
        return GroupPublicKeys(
            publicGroupId: Base64URL.encode(channel.publicGroupID),
            groupRootKey: .public(rootPubKey: MemberKey(root).text),
            memberPubKey: MemberKey(own).text
        )
    }
}
