internal import ChatAPI
internal import ChatStore
internal import JSON
internal import SQLCipher

/// A stored user: the row of the user, and the profile.
struct UserRecord: Sendable {
    let userId: Int64
    let agentUserId: Int64
    let profileId: Int64
    let localDisplayName: String
    let profile: Profile
    /// The badge of the user; nil for none.
    let badge: OwnBadge?
    let localAlias: String
    var isActive: Bool
    var activeOrder: Int64
    let viewPasswordHash: [UInt8]?
    let viewPasswordSalt: [UInt8]?
    let showsNotifications: Bool
    let sendsReceiptsToContacts: Bool
    let sendsReceiptsInSmallGroups: Bool
    let autoAcceptsMemberContacts: Bool
    let autoAcceptsGroupInvitations: Bool
    /// Whether the user is a relay of channels.
    let isChatRelay: Bool
    /// Whether the user is a client service: relays know all its queues by one certificate.
    let isClientService: Bool
    /// The time of the last change to the profile that must be sent to members of groups; nil if there was none.
    let memberProfileUpdatedAt: Timestamp?
    let uiThemes: UIThemeEntityOverrides?

    private static let query = """
        SELECT u.user_id, u.agent_user_id, u.contact_profile_id, u.local_display_name, u.active_user, u.active_order, u.view_pwd_hash,
          u.view_pwd_salt, u.show_ntfs, u.send_rcpts_contacts, u.send_rcpts_small_groups, u.auto_accept_member_contacts,
          u.auto_accept_group_invitations, u.user_member_profile_updated_at, u.ui_themes, u.chat_relay, u.client_service,
          p.profile, p.badge_credential, p.badge_issuer, p.badge_status, p.local_alias
        FROM users u JOIN contact_profiles p ON p.contact_profile_id = u.contact_profile_id
        """

    private init(_ row: Row) throws {
        userId = try row.int64("user_id")
        agentUserId = try row.int64("agent_user_id")
        profileId = try row.int64("contact_profile_id")
        localDisplayName = UserNames.shownName(try row.string("local_display_name"))
        isActive = try row.bool("active_user")
        activeOrder = try row.int64("active_order")
        viewPasswordHash = try row.blobOrNil("view_pwd_hash")
        viewPasswordSalt = try row.blobOrNil("view_pwd_salt")
        showsNotifications = try row.bool("show_ntfs")
        sendsReceiptsToContacts = try row.bool("send_rcpts_contacts")
        sendsReceiptsInSmallGroups = try row.bool("send_rcpts_small_groups")
        autoAcceptsMemberContacts = try row.bool("auto_accept_member_contacts")
        autoAcceptsGroupInvitations = try row.bool("auto_accept_group_invitations")
        isChatRelay = try row.bool("chat_relay")
        isClientService = try row.bool("client_service")
        memberProfileUpdatedAt = try row.int64OrNil("user_member_profile_updated_at").map(Timestamp.init(nanoseconds:))
        profile = try row.profile("profile")
        badge = try OwnBadge(row)
        localAlias = try row.string("local_alias")
        uiThemes = try StoredJSON.decodeIfPresent(UIThemeEntityOverrides.self, row.stringOrNil("ui_themes"))
    }

    static func all(in db: StoreConnection) throws -> [UserRecord] {
        try db.query(query + " ORDER BY u.user_id").map(UserRecord.init)
    }

    static func find(_ userId: Int64, in db: StoreConnection) throws -> UserRecord? {
        try db.queryFirst(query + " WHERE u.user_id = ?", [userId]).map(UserRecord.init)
    }

    static func findActive(in db: StoreConnection) throws -> UserRecord? {
        try db.firstRow(query + " WHERE u.active_user = 1").map(UserRecord.init)
    }

    /// Returns the active user.
    /// - Throws: `noActiveUser`.
    static func getActive(in db: StoreConnection) throws -> UserRecord {
        guard let active = try findActive(in: db) else { throw ChatFailure(ChatErrorType.noActiveUser) }
        return active
    }

    var isHidden: Bool { viewPasswordHash != nil }

    var api: User {
        User(
            userId: userId,
            agentUserId: String(agentUserId),
            userContactId: userId,
            localDisplayName: localDisplayName,
            profile: profile.localProfile(id: profileId, alias: localAlias, badge: badge?.api),
            fullPreferences: FullPreferences(profile.preferences),
            activeUser: isActive,
            activeOrder: activeOrder,
            viewPwdHash: viewPasswordHash.map {
                UserPwdHash(hash: BytesText.base64URL($0), salt: BytesText.base64URL(viewPasswordSalt ?? []))
            },
            showNtfs: showsNotifications,
            sendRcptsContacts: sendsReceiptsToContacts,
            sendRcptsSmallGroups: sendsReceiptsInSmallGroups,
            autoAcceptMemberContacts: autoAcceptsMemberContacts,
            autoAcceptGroupInvitations: autoAcceptsGroupInvitations ? true : nil,
            userMemberProfileUpdatedAt: memberProfileUpdatedAt?.api,
            userChatRelay: isChatRelay,
            clientService: isClientService,
            uiThemes: uiThemes
        )
    }

    /// Returns the profile to send to a contact, with all preferences. The preferences for the contact take precedence
    /// over the preferences for all contacts.
    /// - Parameters:
    ///   - incognito: the incognito profile of the connection. This profile is sent with default preferences and the
    ///     user's time of disappearing messages, since the user's other preferences could identify the user.
    ///   - fallsBackToTTL: whether the user's time of disappearing messages replaces a missing time for the contact.
    ///     The caller gives true until the contact is connected. A connected contact keeps the agreed time.
    func profileToSend(
        incognito: Profile? = nil,
        preferences forContact: Preferences? = nil,
        fallsBackToTTL: Bool = true
    ) -> Profile {
        var sent = incognito ?? profile
        var standard = profile.preferences
        if incognito != nil {
            let ttl = profile.preferences?.preference(of: .timedMessages)?.lifetimeSeconds
            standard = Preferences()
            standard?.timedMessages =
                FeaturePreference(DirectFeature.timedMessages.defaultPreference.allow, ttl: ttl).apiTimedMessages
        }
        sent.preferences = Preferences(merging: forContact ?? Preferences(), over: standard)
        if !fallsBackToTTL { sent.preferences?.timedMessages?.ttl = forContact?.timedMessages?.ttl }
        return sent
    }
}
