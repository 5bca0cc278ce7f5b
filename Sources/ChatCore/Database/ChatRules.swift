internal import Agent
internal import ChatAPI
internal import ChatStore
internal import ForeignData
internal import SimpleXCrypto
internal import SMP

/// The rules for the columns of chat databases that come from archives and copies.
enum ChatRules {
    /// Makes the rules for a chat database.
    /// - Parameter objects: the folder of the store in the object storage. Only objects in this folder are taken over.
    ///   If nil, no objects are taken over.
    static func rules(objects: String? = nil) -> DatabaseRules {
        var columns = columns
        if let objects { columns["stored_objects.object_key"] = .kept { ObjectKey.isOne($0, in: objects) } }
        return DatabaseRules(
            columns: columns,
            mayLackRows: ["uploads", "stored_objects"],
            maxRows: ["users": maxUsers],
            maxBytes: maxBytes
        ) { table in
            table.hasPrefix("search_") || table == "file_totals" || table == "stored_objects" && objects == nil
        }
    }

    /// Rules for values that are copied unchanged from databases of the apps.
    static let copied: [String: ColumnRule] = [
        "contacts.contact_status": known(ContactStatus.self, "status of a contact"),
        "group_members.member_category": known(GroupMemberCategory.self, "category of a member"),
        "group_members.member_status": known(GroupMemberStatus.self, "status of a member"),
    ]

    private static let columns: [String: ColumnRule] = copied.merging(own) { _, own in own }

    private static let own: [String: ColumnRule] = [
        "*_at": time, "*_ts": time, "requests.created_at": times(inSecond: 1),
        "event_subscriptions.created_at": milliseconds, "event_subscriptions.failing_since": milliseconds,
        "event_subscriptions.succeeded_at": milliseconds, "event_subscription_entries.first_attempt": milliseconds,
        "event_delivery_attempts.started_at": milliseconds, "*.next_attempt": milliseconds,
        "*_ttl": .clamped(to: 0...longest),
        "files.file_size": .clamped(to: 0...largest), "files.chunk_size": .clamped(to: 1...(1 << 30)),
        "partial_uploads.file_size": .clamped(to: 0...largest), "uploads.planned_size": .clamped(to: 0...largest),
        "stored_objects.file_size": .clamped(to: 0...largest), "roster_transfers.size": .clamped(to: 0...(1 << 31)),
        "*.part_no": .range(0...(1 << 31)), "*.chunk_no": .range(0...(1 << 31)),
        "files.file_path": .localPath, "uploads.file_path": .localPath, "retired_files.file_path": .localPath,
        "*_seal": .leftOut,
        "remote_hosts.store_path": .localName, "partial_uploads.upload_id": .localName,
        "stored_objects.file_path": .localName,
        "group_relays.relay_status": known(RelayStatus.self, "status of a relay"),
        "groups.relay_own_status": known(RelayStatus.self, "status of a relay"),
        "files.protocol": known(FileProtocol.self, "way to transfer files"),
        "files.file_inline": known(InlineFileMode.self, "way to send a file within messages"),
        "group_members.step": .value(of: MemberSteps.Step.self, "step of a member"),
        "own_group_changes.subject": .value(of: GroupAgreement.Subject.self, "subject of a change"),
        "files.transfer_status": known(FileStatus.self, "status of a transfer"),
        "snd_files.file_status": known(FileStatus.self, "status of a transfer"),
        "calls.call_status": known(CICallStatus.self, "status of a call"),
        "event_subscriptions.state": .value(of: EventSubscription.State.self, "state of a subscription"),
        "event_subscription_entries.state": .value(of: SubscribedEntry.State.self, "state of an event"),
        "planned_receivers.state": .value(of: PlannedReceiver.State.self, "state of a receiver"),
        "planned_receivers.item_ids": json([Int64].self), "planned_messages.content": json(PlannedContent.self),
        "planned_messages.send_rate": .clamped(to: 1...100),
        "*.waiting_count": .clamped(to: 0...10_000), "*.sent_count": .clamped(to: 0...10_000),
        "*.failed_count": .clamped(to: 0...10_000), "*.cancelled_count": .clamped(to: 0...10_000),
        "files.task": .range(0...6), "*.chat_type": .range(0...3), "stored_objects.object_state": .range(0...2),
        "contact_profiles.badge_status": known(BadgeStatus.self, "status of a badge"),
        "contact_profiles.badge_credential": json(BadgeCredential.self),
        "contact_profiles.profile": json(Profile.self), "contacts.user_preferences": json(Preferences.self),
        "contacts.member_contact": json(MemberContact.self),
        "groups.profile": json(GroupProfile.self), "groups.business": json(BusinessChatInfo.self),
        "group_relays.capabilities": json(RelayCapabilities.self),
        "user_addresses.settings": json(AddressSettings.self), "*.auto_reply": json(MsgContent.self),
        "users.ui_themes": json(UIThemeEntityOverrides.self),
        "chat_items.quoted_item": json(CIQuote.self), "chat_item_versions.msg_content": json(MsgContent.self),
        "chat_item_reactions.reaction": json(MsgReaction.self),
        "calls.call_state": json(CallState.self), "chat_relays.relay_profile": json(RelayProfile.self),
        "protocol_servers.roles": json(ServerRolesOverride.self),
        "server_operators.smp_roles": json(ServerRoles.self), "server_operators.xftp_roles": json(ServerRoles.self),
        "journal_meta.epoch": epoch, "journal_meta.origin": epoch,
        "protocol_servers.server": .parsed(as: "address of a server") { (try? ProtocolServer(parsing: $0)) != nil },
    ]

    /// Maximum sizes in bytes of texts that appear in lists, such as names and profiles.
    private static let maxBytes: [String: Int] = {
        let words = [
            "*_name", "*_alias", "*_tag", "*_link", "*_connect", "*.server", "*.address", "chat_tags.chat_tag_text",
            "chat_tags.chat_tag_emoji",
        ]
        let profiles = [
            "*.profile", "*.relay_profile", "*_preferences", "*.settings", "*.auto_reply", "*_themes", "*_data",
        ]
        let limits = words.map { ($0, ForeignLimits.words) } + profiles.map { ($0, ForeignLimits.profile) }
        return Dictionary(uniqueKeysWithValues: limits)
    }()
    /// The rule for the epoch, which is a part of cursors and headers.
    private static let epoch = ColumnRule.parsed(as: "epoch") { text in
        text.utf8.count <= 32 && Hex.decode(text.utf8) != nil
    }
    /// The maximum number of users, since opening the store reads all of them.
    private static let maxUsers = 10_000
    /// Nanoseconds since 1970.
    private static let time = times(inSecond: 1_000_000_000)
    /// Milliseconds since 1970.
    private static let milliseconds = times(inSecond: 1_000)

    /// Makes the rule for times since 1970. The limits prevent an overflow when decades are added to a time in
    /// nanoseconds.
    private static func times(inSecond units: Int64) -> ColumnRule {
        .clamped(to: -7_250_000_000 * units...7_250_000_000 * units)
    }

    /// Maximum time to live, in seconds: a hundred years.
    private static let longest: Int64 = 3_155_760_000
    /// Maximum size of a file in bytes.
    private static let largest: Int64 = 1 << 50

    private static func known<Value: OpenEnum>(_ type: Value.Type, _ kind: String) -> ColumnRule {
        .parsed(as: kind) { Value.known.contains(Value(rawValue: $0)) }
    }

    private static func json<Value: Decodable & Sendable>(_ type: Value.Type) -> ColumnRule {
        .parsed(as: "JSON value of its column") { (try? StoredJSON.decode(type, $0)) != nil }
    }
}
