internal import ChatAPI
internal import ChatStore
internal import JSON
internal import SQLCipher

/// A contact as stored: its row, its profile and its connection, read by one query.
struct ContactRecord: Sendable {
    let userId: Int64
    let contactId: Int64
    let profileId: Int64
    var localDisplayName: String
    var profile: Profile
    /// The result of the check of the badge in the profile; nil without a badge, and before a check.
    var badgeStatus: BadgeStatus?
    var localAlias: String
    var isUsed: Bool
    var status: ContactStatus
    let notificationFilter: String
    let sendsReceipts: Bool?
    let isFavorite: Bool
    var isMarkedUnread: Bool
    var userPreferences: Preferences
    let customData: String?
    let uiThemes: String?
    let itemTTL: Int64?
    let tagIds: [Int64]
    var isChatDeleted: Bool
    let createdAt: Timestamp
    var updatedAt: Timestamp
    var chatTs: Timestamp
    /// The id of the contact request from which the contact was created, if known.
    let requestId: Int64?
    /// The link and the message ids of a prepared contact, also after the user has connected; nil for other contacts.
    var preparation: ChatPreparation?
    /// The last check of the SimpleX name in the profile.
    var domainCheck: DomainCheck?
    /// The group member who became this contact through a direct chat; nil for other contacts.
    var memberContact: MemberContact?
    var connection: ConnectionRecord?

    /// The SQL columns of the contact's own row, without its profile and its connection.
    static let ownColumns = """
        c.user_id AS c_user_id, c.contact_id AS c_contact_id, c.contact_profile_id, c.local_display_name, c.contact_used,
        c.contact_status, c.enable_ntfs, c.send_rcpts, c.favorite, c.unread_chat, c.user_preferences, c.custom_data, c.ui_themes,
        c.chat_item_ttl, c.chat_deleted, c.contact_request_id, c.member_contact, \(ChatPreparation.columns),
        c.checked_domain, c.domain_verified, c.created_at AS c_created_at, c.updated_at AS c_updated_at, c.chat_ts
        """

    static let columns =
        "\(ownColumns), p.profile, p.badge_status, p.local_alias AS p_local_alias, \(ChatTags.tagsColumn(.contact, "c", "contact_id"))"

    /// The joined SQL tables that contain a contact. A merged contact has several connections: the query prefers a
    /// working connection, and then the newest connection. The connections of a deleted contact are no longer stored.
    static let tables = """
        contacts c
        JOIN contact_profiles p ON p.contact_profile_id = c.contact_profile_id
        LEFT JOIN connections cn ON cn.connection_id =
          (SELECT x.connection_id FROM connections x WHERE x.user_id = c.user_id AND x.contact_id = c.contact_id
            ORDER BY x.conn_status IN ('ready', 'snd-ready') DESC, x.created_at DESC, x.connection_id DESC LIMIT 1)
        """

    private static let query = "SELECT \(columns), \(ConnectionRecord.columns) FROM \(tables)"

    init(_ row: Row) throws {
        userId = try row.int64("c_user_id")
        contactId = try row.int64("c_contact_id")
        profileId = try row.int64("contact_profile_id")
        localDisplayName = try row.string("local_display_name")
        profile = try row.profile("profile")
        badgeStatus = try row.stringOrNil("badge_status").map(BadgeStatus.init(rawValue:))
        localAlias = try row.string("p_local_alias")
        isUsed = try row.bool("contact_used")
        status = ContactStatus(rawValue: try row.string("contact_status"))
        notificationFilter = try row.string("enable_ntfs")
        sendsReceipts = try row.int64OrNil("send_rcpts").map { $0 != 0 }
        isFavorite = try row.bool("favorite")
        isMarkedUnread = try row.bool("unread_chat")
        userPreferences = try row.preferences("user_preferences")
        customData = try row.stringOrNil("custom_data")
        uiThemes = try row.stringOrNil("ui_themes")
        itemTTL = try row.readTimeOrNil("chat_item_ttl")
        tagIds = ChatTags.parseIds(try row.stringOrNil("chat_tags"))
        isChatDeleted = try row.bool("chat_deleted")
        createdAt = Timestamp(nanoseconds: try row.int64("c_created_at"))
        updatedAt = Timestamp(nanoseconds: try row.int64("c_updated_at"))
        chatTs = Timestamp(nanoseconds: try row.int64("chat_ts"))
        requestId = try row.int64OrNil("contact_request_id")
        preparation = try ChatPreparation(row)
        domainCheck = try DomainCheck(row)
        memberContact = try StoredJSON.decodeIfPresent(MemberContact.self, row.stringOrNil("member_contact"))
        connection = try row.int64OrNil("connection_id") == nil ? nil : ConnectionRecord(row)
    }

    static func find(_ contactId: Int64, user userId: Int64, in db: StoreConnection) throws -> ContactRecord? {
        try db.queryFirst(query + " WHERE c.user_id = ? AND c.contact_id = ?", [userId, contactId]).map(
            ContactRecord.init
        )
    }

    /// Returns a contact of the user.
    /// - Throws: `contactNotFound`.
    static func get(_ contactId: Int64, user: UserRecord, in db: StoreConnection) throws -> ContactRecord {
        guard let contact = try find(contactId, user: user.userId, in: db) else {
            throw ChatFailure(StoreError.contactNotFound(contactId: contactId))
        }
        return contact
    }

    static func all(user userId: Int64, in db: StoreConnection) throws -> [ContactRecord] {
        try db.query(query + " WHERE c.user_id = ? ORDER BY c.contact_id", [userId]).map(ContactRecord.init)
    }

    /// Whether the connection is established in both directions.
    var isReady: Bool { connection?.status == .ready }
    var isActive: Bool { status == .active }

    /// Whether the contact knows an incognito profile of the user. The user's general preferences do not apply to such
    /// a contact.
    var isIncognito: Bool { connection?.incognitoProfileId != nil }

    func feature(_ feature: DirectFeature, user: UserRecord) -> ContactFeature {
        ContactFeature(
            feature,
            user: isIncognito ? nil : user.profile.preferences,
            userForContact: userPreferences,
            contact: profile.preferences
        )
    }

    /// Returns the connection over which messages are sent to the contact.
    /// - Throws: `contactNotReady` if the contact has no connection that can send; `contactNotActive`,
    ///   `contactDisabled`.
    func requireSendableConnection(_ user: UserRecord) throws -> ConnectionRecord {
        guard let connection, connection.canSend else {
            throw ChatFailure(ChatErrorType.contactNotReady(contact: api(user)))
        }
        guard isActive else { throw ChatFailure(ChatErrorType.contactNotActive(contact: api(user))) }
        guard !connection.isDisabled else { throw ChatFailure(ChatErrorType.contactDisabled(contact: api(user))) }
        return connection
    }

    func api(_ user: UserRecord) -> Contact {
        var settings = ChatSettings(enableNtfs: MsgFilter(rawValue: notificationFilter), favorite: isFavorite)
        settings.sendRcpts = sendsReceipts
        return Contact(
            contactId: contactId,
            localDisplayName: localDisplayName,
            profile: profile.localProfile(
                id: profileId,
                alias: localAlias,
                badge: LocalBadge(profile.badge?.badgeInfo, badgeStatus),
                domainVerified: domainCheck?.verificationResult(for: profile.contactDomain)
            ),
            activeConn: connection?.api,
            contactUsed: isUsed,
            contactStatus: status,
            chatSettings: settings,
            userPreferences: userPreferences,
            mergedPreferences: ContactUserPreferences(self, user: user),
            createdAt: createdAt.api,
            updatedAt: updatedAt.api,
            chatTs: chatTs.api,
            preparedContact: preparation?.api,
            contactRequestId: requestId,
            contactGroupMemberId: memberContact.flatMap { $0.isReceived ? nil : $0.memberId },
            contactGrpInvSent: memberContact.map { !$0.isReceived && $0.isUsed } ?? false,
            groupDirectInv: memberContact?.invitation,
            chatTags: tagIds,
            chatItemTTL: itemTTL,
            uiThemes: uiThemes.flatMap { try? StoredJSON.decode(UIThemeEntityOverrides.self, $0) },
            chatDeleted: isChatDeleted,
            customData: customData.flatMap { try? JSONValue(parsing: $0) }
        )
    }
}
