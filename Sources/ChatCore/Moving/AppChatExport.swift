internal import Agent
internal import ChatAPI
internal import ChatMoving
internal import ChatProtocol
internal import ChatStore
internal import JSON
internal import SMP
internal import SimpleXCrypto
internal import SQLCipher

/// Converts a chat database of this program into one for the official apps (7.0). In this program, ids of contacts,
/// groups and members are counted for each user. In the apps' database they are counted for all users together, so an
/// id that two users share gets a new number.
struct AppChatExport {
    let db: StoreConnection
    let appDB: StoreConnection
    let now = Timestamp.now
    var counts = MovedCounts()
    var contactNumbers = AppRowIDs(), groupNumbers = AppRowIDs(), memberNumbers = AppRowIDs()
    /// For each user, the id of the contact that represents the user in the apps' database.
    var ownContactIds: [Int64: Int64] = [:]
    /// The user's membership in each group, by the id of the group in this store.
    var memberships: [AppRowIDs.Key: Int64] = [:]
    /// The members and the items of invitations that the user has accepted, if the acceptance has not reached the
    /// inviter yet. The app does not know the remaining step, so the user has to accept these invitations again in the
    /// app.
    private var unacceptedMembers: Set<AppRowIDs.Key> = []
    var unacceptedItemIds: Set<Int64> = []

    /// Makes the database for the apps.
    /// - Parameters:
    ///   - database: the database of this program. Nothing else may use this database during the export.
    ///   - scratch: the path of the unfinished database. The file must not exist yet.
    ///   - target: the path of the finished database, which is encrypted with the passphrase. The file must not exist
    ///     yet.
    static func exportDatabase(
        _ database: Database,
        scratch: String,
        to target: String,
        passphrase: String
    ) async throws -> MovedCounts {
        try await database.read { db in
            let maker = try AppDatabaseMaker(scratch: scratch, tables: AppChatSchema.tables)
            var moving = AppChatExport(db: db, app: try maker.connection)
            try moving.exportRows()
            try maker.writeFinishedDatabase(AppChatSchema.rest, to: target, passphrase: passphrase)
            return moving.counts
        }
    }

    init(db: StoreConnection, app: StoreConnection) {
        self.db = db
        self.appDB = app
    }

    /// Exports all rows.
    /// - Throws: ``ChatFailure`` if the store has channels that the user owns or relays. The apps' database cannot
    ///   contain them.
    private mutating func exportRows() throws {
        let kept = try db.queryFirst(
            "SELECT 1 FROM groups WHERE root_private_key IS NOT NULL OR relay_own_status IS NOT NULL",
            []
        )
        guard kept == nil else {
            throw ChatFailure.commandError(
                "channels that a profile owns or serves as a relay cannot be moved to an app"
            )
        }
        for name in AppChatMigrations.names { try appDB.insert(into: "migrations", ["name": name, "ts": now.appText]) }
        for (status, isCurrent) in AppChatSchema.memberStatuses {
            try appDB.insert(
                into: "group_member_status_predicates",
                [
                    "member_status": status, "current_member": isCurrent,
                ]
            )
        }
        try appDB.insert(into: "connections_sync", ["should_sync": 0, "last_sync_ts": now.appText])
        try assignNumbers()
        try exportProfiles()
        try exportUsers()
        try exportContacts()
        try exportGroups()
        try exportLinks()
        try exportConnections()
        try exportRequests()
        try exportItems()
        try exportFiles()
        try exportTags()
        try exportSettings()
        for (table, what) in [
            ("calls", "calls"), ("remote_hosts", "linked mobiles"), ("remote_controllers", "linked desktops"),
            ("waiting_messages", "messages to members who were not connected yet"),
            ("event_subscriptions", "webhooks, push subscriptions and consumers"),
        ] {
            counts.countOmitted(what, try db.queryFirst("SELECT count(*) AS n FROM \(table)", [])?.count("n") ?? 0)
        }
    }

    /// Calls `body` with the rows of a table, read in batches.
    func forEachRow(_ table: String, by id: String, _ body: (Row) throws -> Void) throws {
        var last: Int64 = -1
        while true {
            let rows = try db.query("SELECT * FROM \(table) WHERE \(id) > ? ORDER BY \(id) LIMIT 500", [last])
            for row in rows { try body(row) }
            guard let next = try rows.last?.int64(id) else { return }
            last = next
        }
    }

    static func timeText(_ row: Row, _ column: String) throws -> String? {
        try row.int64OrNil(column).map { Timestamp(nanoseconds: $0).appText }
    }

    static func utf8Bytes(_ row: Row, _ column: String) throws -> [UInt8]? {
        try row.stringOrNil(column).map { Array($0.utf8) }
    }

    // MARK: Users

    private mutating func assignNumbers() throws {
        for row in try db.query("SELECT user_id, contact_id FROM contacts ORDER BY user_id, contact_id", []) {
            contactNumbers.assignNumber(try row.int64("user_id"), try row.int64("contact_id"))
        }
        for row in try db.query("SELECT user_id, group_id, membership_id FROM groups ORDER BY user_id, group_id", []) {
            let user = try row.int64("user_id"), group = try row.int64("group_id")
            groupNumbers.assignNumber(user, group)
            memberships[AppRowIDs.Key(user: user, id: group)] = try row.int64("membership_id")
        }
        for row in try db.query(
            "SELECT user_id, group_member_id FROM group_members ORDER BY user_id, group_member_id",
            []
        ) {
            memberNumbers.assignNumber(try row.int64("user_id"), try row.int64("group_member_id"))
        }
        for row in try db.query(
            """
            SELECT g.user_id, g.membership_id, g.invitation_item_id, h.group_member_id FROM groups g
            JOIN group_members u ON u.user_id = g.user_id AND u.group_member_id = g.membership_id
            JOIN group_members h ON h.user_id = g.user_id AND h.group_id = g.group_id AND h.member_category = 'host'
            WHERE g.invitation IS NOT NULL AND u.member_status = 'accepted' AND NOT EXISTS (SELECT 1 FROM connections c
              WHERE c.user_id = h.user_id AND c.group_member_id = h.group_member_id AND c.conn_status <> 'prepared')
            """,
            []
        ) {
            let user = try row.int64("user_id")
            for column in ["membership_id", "group_member_id"] {
                unacceptedMembers.insert(AppRowIDs.Key(user: user, id: try row.int64(column)))
            }
            if let item = try row.int64OrNil("invitation_item_id") { unacceptedItemIds.insert(item) }
        }
        for row in try db.query("SELECT user_id FROM users ORDER BY user_id", []) {
            ownContactIds[try row.int64("user_id")] = contactNumbers.takeUnusedNumber()
        }
    }

    private func exportProfiles() throws {
        let incognito = Set(
            try db.query(
                """
                SELECT custom_user_profile_id AS id FROM connections WHERE custom_user_profile_id IS NOT NULL
                UNION SELECT incognito_profile_id FROM group_members WHERE incognito_profile_id IS NOT NULL
                """,
                []
            ).map { try $0.int64("id") }
        )
        var checks: [Int64: DomainCheck] = [:]
        for row in try db.query(
            "SELECT contact_profile_id, checked_domain, domain_verified FROM contacts WHERE checked_domain IS NOT NULL",
            []
        ) { checks[try row.int64("contact_profile_id")] = try DomainCheck(row) }
        try forEachRow("contact_profiles", by: "contact_profile_id") { row in
            let id = try row.int64("contact_profile_id"), profile = try row.profile("profile")
            try appDB.insert(
                into: "contact_profiles",
                [
                    "contact_profile_id": id, "display_name": profile.displayName, "full_name": profile.fullName,
                    "image": profile.image, "user_id": row["user_id"], "incognito": incognito.contains(id) ? 1 : nil,
                    "local_alias": row["local_alias"],
                    "preferences": try profile.preferences.map { try StoredJSON.encode($0) },
                    "contact_link": profile.contactLink.map { Array($0.utf8) }, "short_descr": profile.shortDescr,
                    "chat_peer_type": profile.peerType?.rawValue, "contact_domain": profile.contactDomain?.domain,
                    "contact_domain_proof": try profile.contactDomain?.proof.map { try StoredJSON.encode($0) },
                    "contact_domain_verified": checks[id]?.verificationResult(for: profile.contactDomain),
                    "created_at": try Self.timeText(row, "created_at"),
                    "updated_at": try Self.timeText(row, "updated_at"),
                ]
            )
            try AppBadges.exportBadge(row, profile, to: appDB)
        }
    }

    private mutating func exportUsers() throws {
        for row in try db.query("SELECT * FROM display_names", []) {
            try appDB.insert(
                into: "display_names",
                [
                    "user_id": row["user_id"], "local_display_name": row["local_display_name"],
                    "ldn_base": row["ldn_base"], "ldn_suffix": row["ldn_suffix"], "created_at": now.appText,
                    "updated_at": now.appText,
                ]
            )
        }
        for row in try db.query("SELECT * FROM users ORDER BY user_id", []) {
            let user = try row.int64("user_id"), name = try row.string("local_display_name")
            let (created, updated) = (try Self.timeText(row, "created_at"), try Self.timeText(row, "updated_at"))
            try appDB.insert(
                into: "contacts",
                [
                    "contact_id": ownContactIds[user], "contact_profile_id": row["contact_profile_id"], "user_id": user,
                    "local_display_name": name, "is_user": 1, "created_at": created, "updated_at": updated,
                    "chat_ts": created,
                ]
            )
            try addName(name, user)
            try appDB.insert(
                into: "users",
                [
                    "user_id": user, "contact_id": ownContactIds[user], "local_display_name": name,
                    "active_user": row["active_user"], "created_at": created, "updated_at": updated,
                    "agent_user_id": row["agent_user_id"], "view_pwd_hash": row["view_pwd_hash"],
                    "view_pwd_salt": row["view_pwd_salt"], "show_ntfs": row["show_ntfs"],
                    "send_rcpts_contacts": row["send_rcpts_contacts"],
                    "send_rcpts_small_groups": row["send_rcpts_small_groups"],
                    "user_member_profile_updated_at": try Self.timeText(row, "user_member_profile_updated_at"),
                    "ui_themes": row["ui_themes"], "active_order": row["active_order"],
                    "auto_accept_member_contacts": row["auto_accept_member_contacts"],
                ]
            )
            let ttl = try row.int64("chat_item_ttl")
            if ttl != 0 { try appDB.insert(into: "settings", ["chat_item_ttl": ttl, "user_id": user]) }
            counts.countMoved("users")
        }
        for row in try db.query("SELECT * FROM note_folders", []) {
            try appDB.insert(
                into: "note_folders",
                or: .ignore,
                [
                    "note_folder_id": row["user_id"], "user_id": row["user_id"],
                    "created_at": try Self.timeText(row, "created_at"),
                    "updated_at": try Self.timeText(row, "updated_at"),
                    "chat_ts": try Self.timeText(row, "chat_ts"), "favorite": row["favorite"],
                    "unread_chat": row["unread_chat"],
                ]
            )
        }
    }

    /// Adds a local display name to the table `display_names`, which must contain all local display names of a user.
    private func addName(_ name: String, _ user: Int64) throws {
        try appDB.insert(
            into: "display_names",
            or: .ignore,
            [
                "user_id": user, "local_display_name": name, "ldn_base": name, "ldn_suffix": 0,
                "created_at": now.appText, "updated_at": now.appText,
            ]
        )
    }

    static func notificationNumber(_ row: Row) throws -> Int64 {
        switch try row.string("enable_ntfs") {
        case "none": 0
        case "mentions": 2
        default: 1
        }
    }

    // MARK: Contacts

    private mutating func exportContacts() throws {
        for row in try db.query("SELECT * FROM contacts ORDER BY user_id, contact_id", []) {
            let user = try row.int64("user_id"), name = try row.string("local_display_name")
            try addName(name, user)
            try appDB.insert(
                into: "contacts",
                [
                    "contact_id": contactNumbers[user, try row.int64("contact_id")],
                    "contact_profile_id": row["contact_profile_id"], "user_id": user, "local_display_name": name,
                    "created_at": try Self.timeText(row, "created_at"),
                    "updated_at": try Self.timeText(row, "updated_at"),
                    "enable_ntfs": try Self.notificationNumber(row), "unread_chat": row["unread_chat"],
                    "contact_used": row["contact_used"], "user_preferences": row["user_preferences"],
                    "chat_ts": try Self.timeText(row, "chat_ts"), "favorite": row["favorite"],
                    "send_rcpts": row["send_rcpts"], "contact_status": row["contact_status"],
                    "custom_data": try Self.utf8Bytes(row, "custom_data"), "ui_themes": row["ui_themes"],
                    "chat_deleted": row["chat_deleted"], "chat_item_ttl": row["chat_item_ttl"],
                    "conn_full_link_to_connect": try Self.utf8Bytes(row, "conn_full_link_to_connect"),
                    "conn_short_link_to_connect": try Self.utf8Bytes(row, "conn_short_link_to_connect"),
                    "welcome_shared_msg_id": row["welcome_shared_msg_id"],
                    "request_shared_msg_id": row["request_shared_msg_id"],
                ]
            )
            if try row.stringOrNil("member_contact") != nil {
                counts.countOmitted("invitations of members to become contacts")
            }
            counts.countMoved("contacts")
        }
    }

    private mutating func exportConnections() throws {
        for row in try db.query("SELECT * FROM connections ORDER BY connection_id", []) {
            let user = try row.int64("user_id"), viaURI = try row.bool("via_contact_uri"),
                full = try row.stringOrNil("conn_full_link")
            guard try row.string("conn_status") != "deleted" else { continue }
            let link = full.map { Array($0.utf8) }, short = try Self.utf8Bytes(row, "conn_short_link")
            let member = try row.int64OrNil("group_member_id").map { memberNumbers[user, $0] }
            try appDB.insert(
                into: "connections",
                [
                    "connection_id": row["connection_id"], "agent_conn_id": try Self.utf8Bytes(row, "agent_conn_id"),
                    "conn_level": row["conn_level"],
                    "via_contact": try row.int64OrNil("via_contact").flatMap {
                        contactNumbers.assignedNumber(user, $0)
                    },
                    "conn_status": row["conn_status"], "conn_type": member == nil ? "contact" : "member",
                    "contact_id": try row.int64OrNil("contact_id").map { contactNumbers[user, $0] },
                    "group_member_id": member, "created_at": try Self.timeText(row, "created_at"), "user_id": user,
                    "updated_at": try Self.timeText(row, "updated_at"), "via_contact_uri": viaURI ? link : nil,
                    "via_contact_uri_hash": viaURI ? link.map { Digest.sha256($0) } : nil,
                    "xcontact_id": row["x_contact_id"], "via_user_contact_link": row["via_user_contact_link"],
                    "custom_user_profile_id": row["custom_user_profile_id"], "conn_req_inv": viaURI ? nil : link,
                    "local_alias": row["local_alias"], "via_group_link": row["via_group_link"],
                    "group_link_id": try row.stringOrNil("group_link_id").flatMap { try? Base64URL.decode($0) },
                    "security_code": row["security_code"],
                    "security_code_verified_at": try Self.timeText(row, "security_code_verified_at"),
                    "auth_err_counter": row["auth_err_counter"], "peer_chat_min_version": row["peer_min_version"],
                    "peer_chat_max_version": row["peer_max_version"], "contact_conn_initiated": row["conn_initiated"],
                    "conn_chat_version": row["chat_version"], "pq_support": row["pq_support"],
                    "pq_encryption": row["pq_encryption"], "pq_snd_enabled": row["pq_snd_enabled"],
                    "pq_rcv_enabled": row["pq_rcv_enabled"], "quota_err_counter": row["quota_err_counter"],
                    "short_link_inv": viaURI ? nil : short, "via_short_link_contact": viaURI ? short : nil,
                ]
            )
        }
    }

    // MARK: Addresses

    private mutating func exportLinks() throws {
        for row in try db.query("SELECT * FROM user_addresses", []) {
            let settings = try StoredJSON.decode(AddressSettings.self, row.string("settings"))
            try exportLink(
                row,
                name: "",
                [
                    ("auto_accept", settings.autoAccept == nil ? 0 : 1),
                    ("auto_accept_incognito", settings.autoAccept?.acceptIncognito == true ? 1 : 0),
                    ("auto_reply_msg_content", try settings.autoReply.map { try StoredJSON.encode($0) }),
                    ("business_address", settings.businessAddress ? 1 : 0),
                ]
            )
            counts.countMoved("addresses")
        }
        for row in try db.query("SELECT * FROM group_links", []) {
            let user = try row.int64("user_id"), id = try row.string("group_link_id")
            try exportLink(
                row,
                name: "group_link_\(id)",
                [
                    ("group_id", groupNumbers[user, try row.int64("group_id")]),
                    ("group_link_id", try? Base64URL.decode(id)),
                    ("group_link_member_role", row["member_role"]),
                    // The app needs this value, because a link of a group accepts each request to join automatically.
                    ("auto_accept", 1),
                ]
            )
            counts.countMoved("links of groups")
        }
    }

    private func exportLink(_ row: Row, name: String, _ values: [(String, Argument)]) throws {
        let created = try Self.timeText(row, "created_at"),
            isSet = try row.stringOrNil("conn_short_link") != nil && !row.bool("link_data_stale")
        try appDB.insert(
            into: "user_contact_links",
            columns: [
                ("user_contact_link_id", row["user_contact_link_id"]),
                ("conn_req_contact", try Self.utf8Bytes(row, "conn_full_link")), ("local_display_name", name),
                ("created_at", created), ("updated_at", created), ("user_id", row["user_id"]),
                ("short_link_contact", try Self.utf8Bytes(row, "conn_short_link")),
                ("short_link_data_set", isSet), ("short_link_large_data_set", isSet),
            ] + values
        )
        try appDB.insert(
            into: "connections",
            [
                "connection_id": row["connection_id"], "agent_conn_id": try Self.utf8Bytes(row, "agent_conn_id"),
                "conn_status": "new", "conn_type": "user_contact", "user_contact_link_id": row["user_contact_link_id"],
                "created_at": created, "updated_at": created, "user_id": row["user_id"], "conn_chat_version": 1,
            ]
        )
    }

    private mutating func exportRequests() throws {
        for row in try db.query(
            """
            SELECT r.*, c.contact_profile_id, c.local_display_name FROM contact_requests r JOIN contacts c ON c.user_id = r.user_id AND c.contact_id = r.contact_id
            """,
            []
        ) {
            let user = try row.int64("user_id"), contact = contactNumbers[user, try row.int64("contact_id")],
                id = try row.int64("contact_request_id")
            try appDB.insert(
                into: "contact_requests",
                or: .ignore,
                [
                    "contact_request_id": id, "user_contact_link_id": row["user_contact_link_id"],
                    "agent_invitation_id": Array(BytesText.base64URL(try row.blob("agent_invitation_id")).utf8),
                    "contact_profile_id": row["contact_profile_id"], "local_display_name": row["local_display_name"],
                    "created_at": try Self.timeText(row, "created_at"), "user_id": user,
                    "updated_at": try Self.timeText(row, "updated_at"), "xcontact_id": row["x_contact_id"],
                    "peer_chat_min_version": row["peer_min_version"], "peer_chat_max_version": row["peer_max_version"],
                    "contact_id": contact, "welcome_shared_msg_id": row["welcome_shared_msg_id"],
                    "request_shared_msg_id": row["request_shared_msg_id"],
                ]
            )
            guard appDB.changeCount > 0 else { continue }
            try appDB.execute("UPDATE contacts SET contact_request_id = ? WHERE contact_id = ?", [id, contact])
            counts.countMoved("requests of contacts")
        }
    }

    // MARK: Groups

    private mutating func exportGroups() throws {
        for row in try db.query("SELECT * FROM groups ORDER BY user_id, group_id", []) {
            let user = try row.int64("user_id"), group = groupNumbers[user, try row.int64("group_id")],
                name = try row.string("local_display_name")
            let profile = try StoredJSON.decode(GroupProfile.self, row.string("profile"))
            let (created, updated) = (try Self.timeText(row, "created_at"), try Self.timeText(row, "updated_at"))
            let business = try StoredJSON.decodeIfPresent(BusinessChatInfo.self, row.stringOrNil("business"))
            let progress = try row.int64("connecting_progress")
            try addName(name, user)
            try appDB.insert(
                into: "group_profiles",
                [
                    "group_profile_id": group, "display_name": profile.displayName, "full_name": profile.fullName,
                    "created_at": created, "updated_at": updated, "image": profile.image, "user_id": user,
                    "preferences": try profile.groupPreferences.map { try StoredJSON.encode($0) },
                    "description": profile.description,
                    "member_admission": try profile.memberAdmission.map { try StoredJSON.encode($0) },
                    "short_descr": profile.shortDescr, "group_type": profile.publicGroup?.groupType.rawValue,
                    "group_link": profile.publicGroup.map { Array($0.groupLink.utf8) },
                    "public_group_id": profile.publicGroup.flatMap { try? Base64URL.decode($0.publicGroupId) },
                    "group_web_page": profile.publicGroup?.publicGroupAccess?.groupWebPage,
                    "domain_web_page": profile.publicGroup?.publicGroupAccess?.domainWebPage,
                    "allow_embedding": profile.publicGroup?.publicGroupAccess?.allowEmbedding,
                    "group_domain": profile.publicGroup?.publicGroupAccess?.groupDomainClaim?.domain,
                    "group_domain_proof":
                        try profile.publicGroup?.publicGroupAccess?.groupDomainClaim?.proof.map {
                            try StoredJSON.encode($0)
                        },
                ]
            )
            let isChannel = try row.blobOrNil("public_group_id") != nil
            let claim = profile.publicGroup?.publicGroupAccess?.groupDomainClaim
            try appDB.insert(
                into: "groups",
                [
                    "group_id": group, "user_id": user, "local_display_name": name, "group_profile_id": group,
                    "inv_queue_info": try Self.utf8Bytes(row, "invitation"), "created_at": created,
                    "updated_at": updated,
                    "chat_item_id": try row.int64OrNil("invitation_item_id").flatMap { try itemExists($0) ? $0 : nil },
                    "enable_ntfs": try Self.notificationNumber(row), "unread_chat": row["unread_chat"],
                    "chat_ts": try Self.timeText(row, "chat_ts"), "favorite": row["favorite"],
                    "send_rcpts": row["send_rcpts"],
                    "user_member_profile_sent_at": try Self.timeText(row, "member_profile_sent_at"),
                    "custom_data": try Self.utf8Bytes(row, "custom_data"), "ui_themes": row["ui_themes"],
                    "business_member_id": business.flatMap { MemberID(parsing: $0.businessId)?.bytes },
                    "business_chat": business?.chatType.rawValue,
                    "customer_member_id": business.flatMap { MemberID(parsing: $0.customerId)?.bytes },
                    "chat_item_ttl": row["chat_item_ttl"], "local_alias": row["local_alias"],
                    "conn_full_link_to_connect": try Self.utf8Bytes(row, "conn_full_link_to_connect"),
                    "conn_short_link_to_connect": try Self.utf8Bytes(row, "conn_short_link_to_connect"),
                    "conn_link_prepared_connection": progress > 0, "conn_link_started_connection": progress > 1,
                    "welcome_shared_msg_id": row["welcome_shared_msg_id"],
                    "request_shared_msg_id": row["request_shared_msg_id"],
                    "via_group_link_uri": try Self.utf8Bytes(row, "via_group_link_uri"),
                    "via_group_link_uri_hash": try Self.utf8Bytes(row, "via_group_link_uri").map { Digest.sha256($0) },
                    "summary_current_members_count": row["current_members"], "member_index": row["next_index"],
                    "use_relays": isChannel,
                    "root_pub_key": try row.blobOrNil("root_key").map {
                        try Ed25519.PublicKey(rawRepresentation: $0).spki
                    },
                    "member_priv_key":
                        try row.blobOrNil("member_key").map { try Ed25519.PrivateKey(rawRepresentation: $0).pkcs8 },
                    "public_member_count": row["public_members"], "roster_version": row["roster_version"],
                    "applied_complete_roster_version": row["complete_roster_version"],
                    "group_domain_verified": try DomainCheck(row)?.verificationResult(for: claim),
                ]
            )
            counts.countMoved("groups")
        }
        for row in try db.query("SELECT * FROM group_members ORDER BY user_id, group_member_id", []) {
            try exportMember(row)
        }
    }

    private func itemExists(_ id: Int64) throws -> Bool {
        try db.queryFirst("SELECT 1 FROM chat_items WHERE chat_item_id = ?", [id]) != nil
    }

    private func isUnaccepted(_ member: Row) throws -> Bool {
        unacceptedMembers.contains(
            AppRowIDs.Key(user: try member.int64("user_id"), id: try member.int64("group_member_id"))
        )
    }

    private mutating func exportMember(_ row: Row) throws {
        let user = try row.int64("user_id"), name = try row.string("local_display_name"),
            isUser = try row.string("member_category") == "user"
        try addName(name, user)
        let inviter = try row.int64OrNil("invited_by").flatMap {
            $0 == 0 ? ownContactIds[user] : contactNumbers.assignedNumber(user, $0)
        }
        try appDB.insert(
            into: "group_members",
            [
                "group_member_id": memberNumbers[user, try row.int64("group_member_id")],
                "group_id": groupNumbers[user, try row.int64("group_id")], "member_id": row["member_id"],
                "member_role": row["member_role"], "member_category": row["member_category"],
                "member_status": try isUnaccepted(row) ? "invited" : row["member_status"], "invited_by": inviter,
                "sent_inv_queue_info": try Self.utf8Bytes(row, "invitation"), "user_id": user,
                "local_display_name": name,
                "contact_profile_id": row["contact_profile_id"],
                "contact_id": isUser
                    ? ownContactIds[user]
                    : try row.int64OrNil("contact_id").flatMap { contactNumbers.assignedNumber(user, $0) },
                "created_at": try Self.timeText(row, "created_at"), "updated_at": try Self.timeText(row, "updated_at"),
                "member_profile_id": row["incognito_profile_id"], "show_messages": row["show_messages"],
                "xgrplinkmem_received": row["link_profile_received"],
                "invited_by_group_member_id":
                    try row.int64OrNil("invited_by_member_id").flatMap { memberNumbers.assignedNumber(user, $0) },
                "peer_chat_min_version": row["peer_min_version"], "peer_chat_max_version": row["peer_max_version"],
                "member_restriction": try row.bool("blocked_by_admin") ? "blocked" : nil,
                "support_chat_ts": try Self.timeText(row, "support_ts"),
                "support_chat_items_unread": try row.int64OrNil("support_ts") == nil ? 0 : row.int64("unread_count"),
                "support_chat_items_member_attention": row["support_attention"],
                "support_chat_items_mentions": row["support_mentions"],
                "support_chat_last_msg_from_member_ts": try Self.timeText(row, "support_last_message_ts"),
                "member_welcome_shared_msg_id": row["welcome_shared_msg_id"], "index_in_group": row["index_in_group"],
                "member_relations_vector": [UInt8](),
                "member_pub_key": try row.blobOrNil("member_key").map {
                    try Ed25519.PublicKey(rawRepresentation: $0).spki
                },
                "relay_link": try Self.utf8Bytes(row, "relay_link"),
            ]
        )
        counts.countMoved("members of groups")
    }

    // MARK: Tags and settings

    private mutating func exportTags() throws {
        for row in try db.query("SELECT * FROM chat_tags", []) {
            try appDB.insert(
                into: "chat_tags",
                [
                    "chat_tag_id": row["chat_tag_id"], "user_id": row["user_id"], "chat_tag_text": row["chat_tag_text"],
                    "chat_tag_emoji": row["chat_tag_emoji"], "tag_order": row["tag_order"],
                ]
            )
            counts.countMoved("tags")
        }
        for row in try db.query("SELECT * FROM chat_tags_chats", []) {
            let user = try row.int64("user_id")
            switch try ChatKey(row) {
            case .contact(let id):
                try appDB.insert(
                    into: "chat_tags_chats",
                    [
                        "contact_id": contactNumbers.assignedNumber(user, id), "chat_tag_id": row["chat_tag_id"],
                    ]
                )
            case .group(let id):
                try appDB.insert(
                    into: "chat_tags_chats",
                    [
                        "group_id": groupNumbers.assignedNumber(user, id), "chat_tag_id": row["chat_tag_id"],
                    ]
                )
            case .notes, .memberSupport, .supportChatReference: break
            }
        }
    }

    /// Writes the servers that were set for the profile. The configured servers belong to this program and are not
    /// exported.
    private mutating func exportSettings() throws {
        for row in try db.query("SELECT * FROM protocol_servers WHERE preset = 0 AND configured = 0", []) {
            guard let server = try? ProtocolServer(parsing: row.string("server")) else { continue }
            try appDB.insert(
                into: "protocol_servers",
                or: .ignore,
                [
                    "host": server.hosts.map(\.str).joined(separator: ","), "port": server.port,
                    "key_hash": Array(Base64URL.encode(server.keyHash).utf8), "basic_auth": server.password,
                    "preset": 0, "tested": row["tested"], "enabled": row["enabled"], "user_id": row["user_id"],
                    "protocol": row["protocol"],
                ]
            )
            counts.countMoved("servers")
        }
        if let settings = try db.queryFirst("SELECT value FROM settings WHERE name = ?", [AppSettings.storedName])?
            .string(
                "value"
            )
        {
            try appDB.insert(into: "app_settings", ["app_settings": settings])
        }
    }
}
