internal import Agent
internal import ChatAPI
internal import ChatStore
internal import ForeignData
internal import SimpleXCrypto
internal import SMP

/// The rules that check the column values of chat databases from archives and copies.
enum ChatRules {
    /// Makes the rules for a chat database.
    /// - Parameter objects: the folder of the store in the object storage. The store gets only the objects in this
    ///   folder; if nil, it gets no objects.
    static func makeRules(objects: String? = nil) -> DatabaseRules {
        var columns = columnRules
        if let objects {
            columns["stored_objects.object_key"] = .validTextOrNull { ObjectKey.isObjectKey($0, in: objects) }
        }
        return DatabaseRules(
            columns: columns,
            mayLackRows: ["uploads", "stored_objects", "wallpapers"],
            maxRows: ["users": maxUsers],
            maxBytes: maxColumnBytes
        ) { table in
            table.hasPrefix("search_") || table == "file_totals" || table == "stored_objects" && objects == nil
        }
    }

    /// The rules, by column, for values that are copied unchanged from databases of the apps.
    static let copiedColumnRules: [String: ColumnRule] = [
        "contacts.contact_status": knownValueRule(ContactStatus.self, "status of a contact"),
        "group_members.member_category": knownValueRule(GroupMemberCategory.self, "category of a member"),
        "group_members.member_status": knownValueRule(GroupMemberStatus.self, "status of a member"),
    ]

    private static let columnRules: [String: ColumnRule] = copiedColumnRules.merging(ownColumnRules) { _, own in own }

    private static let ownColumnRules: [String: ColumnRule] = [
        "*_at": nanosecondTimeRule, "*_ts": nanosecondTimeRule, "requests.created_at": timeRule(inSecond: 1),
        "event_subscriptions.created_at": millisecondTimeRule, "event_subscriptions.failing_since": millisecondTimeRule,
        "event_subscriptions.succeeded_at": millisecondTimeRule,
        "event_subscription_entries.first_attempt": millisecondTimeRule,
        "event_delivery_attempts.started_at": millisecondTimeRule, "*.next_attempt": millisecondTimeRule,
        "*_ttl": .clampedNumber(to: 0...maxTTLSeconds),
        "files.file_size": .clampedNumber(to: 0...maxFileBytes), "files.chunk_size": .clampedNumber(to: 1...(1 << 30)),
        "partial_uploads.file_size": .clampedNumber(to: 0...maxFileBytes),
        "uploads.planned_size": .clampedNumber(to: 0...maxFileBytes),
        "stored_objects.file_size": .clampedNumber(to: 0...maxFileBytes),
        "roster_transfers.size": .clampedNumber(to: 0...(1 << 31)),
        "*.part_no": .inRange(0...(1 << 31)), "*.chunk_no": .inRange(0...(1 << 31)),
        "files.file_path": .localPath, "uploads.file_path": .localPath, "retired_files.file_path": .localPath,
        "*_seal": .replacedByNull,
        "remote_hosts.store_path": .localFileName, "partial_uploads.upload_id": .localFileName,
        "stored_objects.file_path": .localFileName,
        "wallpapers.file_name": .validTextOrNull(where: ChatWallpapers.isPictureName),
        "wallpapers.content": .validBytesOrNull(where: ChatWallpapers.isPicture),
        "group_relays.relay_status": knownValueRule(RelayStatus.self, "status of a relay"),
        "groups.relay_own_status": knownValueRule(RelayStatus.self, "status of a relay"),
        "files.protocol": knownValueRule(FileProtocol.self, "way to transfer files"),
        "files.file_inline": knownValueRule(InlineFileMode.self, "way to send a file within messages"),
        "group_members.step": .enumerationValue(of: MemberSteps.Step.self, "step of a member"),
        "own_group_changes.subject": .enumerationValue(of: GroupAgreement.Subject.self, "subject of a change"),
        "files.transfer_status": knownValueRule(FileStatus.self, "status of a transfer"),
        "snd_files.file_status": knownValueRule(FileStatus.self, "status of a transfer"),
        "calls.call_status": knownValueRule(CICallStatus.self, "status of a call"),
        "event_subscriptions.state": .enumerationValue(of: EventSubscription.State.self, "state of a subscription"),
        "event_subscription_entries.state": .enumerationValue(of: SubscribedEntry.State.self, "state of an event"),
        "planned_receivers.state": .enumerationValue(of: PlannedReceiver.State.self, "state of a receiver"),
        "planned_receivers.item_ids": jsonRule([Int64].self), "planned_messages.content": jsonRule(PlannedContent.self),
        "planned_messages.send_rate": .clampedNumber(to: 1...100),
        "*.waiting_count": .clampedNumber(to: 0...10_000), "*.sent_count": .clampedNumber(to: 0...10_000),
        "*.failed_count": .clampedNumber(to: 0...10_000), "*.cancelled_count": .clampedNumber(to: 0...10_000),
        "files.task": .inRange(0...6), "*.chat_type": .inRange(0...3), "stored_objects.object_state": .inRange(0...2),
        "contact_profiles.badge_status": knownValueRule(BadgeStatus.self, "status of a badge"),
        "contact_profiles.badge_credential": jsonRule(BadgeCredential.self),
        "contact_profiles.profile": jsonRule(Profile.self), "contacts.user_preferences": jsonRule(Preferences.self),
        "contacts.member_contact": jsonRule(MemberContact.self),
        "groups.profile": jsonRule(GroupProfile.self), "groups.business": jsonRule(BusinessChatInfo.self),
        "group_relays.capabilities": jsonRule(RelayCapabilities.self),
        "user_addresses.settings": jsonRule(AddressSettings.self), "*.auto_reply": jsonRule(MsgContent.self),
        "users.ui_themes": jsonRule(UIThemeEntityOverrides.self),
        "chat_items.quoted_item": jsonRule(CIQuote.self), "chat_item_versions.msg_content": jsonRule(MsgContent.self),
        "chat_item_reactions.reaction": jsonRule(MsgReaction.self),
        "calls.call_state": jsonRule(CallState.self), "chat_relays.relay_profile": jsonRule(RelayProfile.self),
        "protocol_servers.roles": jsonRule(ServerRolesOverride.self),
        "server_operators.smp_roles": jsonRule(ServerRoles.self),
        "server_operators.xftp_roles": jsonRule(ServerRoles.self),
        "journal_meta.epoch": epochRule, "journal_meta.origin": epochRule,
        "protocol_servers.server": .parsedText(as: "address of a server") { (try? ProtocolServer(parsing: $0)) != nil },
    ]

    /// Maximum sizes in bytes, by column, of texts that appear in lists, such as names and profiles.
    private static let maxColumnBytes: [String: Int] = {
        let words = [
            "*_name", "*_alias", "*_tag", "*_link", "*_connect", "*.server", "*.address", "chat_tags.chat_tag_text",
            "chat_tags.chat_tag_emoji",
        ]
        let profiles = [
            "*.profile", "*.relay_profile", "*_preferences", "*.settings", "*.auto_reply", "*_themes", "*_data",
        ]
        let limits =
            words.map { ($0, ForeignLimits.maxNameBytes) } + profiles.map { ($0, ForeignLimits.maxProfileBytes) }
        return Dictionary(uniqueKeysWithValues: limits)
    }()
    /// The rule that accepts only texts that can be the epoch of a journal. The epoch is also a part of cursors and of
    /// other ids.
    private static let epochRule = ColumnRule.parsedText(as: "epoch") { text in
        text.utf8.count <= 32 && Hex.decode(text.utf8) != nil
    }
    /// The maximum number of users. The number is limited because the opening of the store reads all users.
    private static let maxUsers = 10_000
    /// The rule that limits times in nanoseconds since 1970.
    private static let nanosecondTimeRule = timeRule(inSecond: 1_000_000_000)
    /// The rule that limits times in milliseconds since 1970.
    private static let millisecondTimeRule = timeRule(inSecond: 1_000)

    /// Makes the rule that limits a time to the range from about 230 years before 1970 to about 230 years after 1970.
    /// The limits prevent an overflow when decades are added to a time in nanoseconds.
    /// - Parameter units: the number of units of the time in a second.
    private static func timeRule(inSecond units: Int64) -> ColumnRule {
        .clampedNumber(to: -7_250_000_000 * units...7_250_000_000 * units)
    }

    /// Maximum time to live, in seconds: a hundred years.
    private static let maxTTLSeconds: Int64 = 3_155_760_000
    /// Maximum size of a file in bytes.
    private static let maxFileBytes: Int64 = 1 << 50

    private static func knownValueRule<Value: OpenEnum>(_ type: Value.Type, _ kind: String) -> ColumnRule {
        .parsedText(as: kind) { Value.knownValues.contains(Value(rawValue: $0)) }
    }

    private static func jsonRule<Value: Decodable & Sendable>(_ type: Value.Type) -> ColumnRule {
        .parsedText(as: "JSON value of its column") { (try? StoredJSON.decode(type, $0)) != nil }
    }
}
