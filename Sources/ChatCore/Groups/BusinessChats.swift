internal import ChatAPI
internal import ChatProtocol
internal import ChatStore
internal import JSON
internal import SQLCipher

/// Business conversations: groups in which a customer talks with a business. Each side sees the profile of the other
/// side. The business can add colleagues.
///
/// Messages describe a business conversation with the fields of `BusinessChatInfo` (simplex-chat
/// `docs/protocol/simplex-chat.md`).
enum BusinessChats {
    /// Decodes the information about a business conversation.
    /// - Throws: errors of decoding, or `invalidMessage` for an unknown type.
    static func decodeInfo(_ json: JSONValue?) throws -> BusinessChatInfo? {
        guard let json else { return nil }
        var info = try JSONDecoder().decode(BusinessChatInfo.self, from: json)
        info.businessDomain = info.businessDomain?.normalized
        guard BusinessChatType.knownValues.contains(info.chatType) else {
            throw ChatProtocolError.invalidMessage(reason: "business.chatType: unknown type")
        }
        return info
    }
}

extension GroupRecord {
    mutating func setBusinessInfo(_ info: BusinessChatInfo, _ tx: Transaction) throws {
        businessInfo = info
        try tx.db.update(
            "groups",
            set: ["business": try StoredJSON.encode(info)],
            where: ["user_id": userId, "group_id": groupId]
        )
    }

    /// Whether this member is the other side of a business conversation. The group shows the profile of the other side
    /// as its own profile.
    func showsProfile(_ member: MemberRecord) -> Bool {
        switch businessInfo?.chatType {
        case .business: businessInfo?.businessId == member.sharedID.text
        case .customer: businessInfo?.customerId == member.sharedID.text
        default: false
        }
    }

    /// Whether the user is on the side of the business, and the member is the customer. A customer receives no history.
    func isCustomer(_ member: MemberRecord) -> Bool {
        businessInfo?.chatType == .customer && businessInfo?.customerId == member.sharedID.text
    }

    /// Copies the names, the description and the picture of a member to the profile of the group. Does nothing if the
    /// group does not show the profile of this member as its own.
    /// - Returns: whether the group has changed.
    mutating func copyProfile(_ member: MemberRecord, _ profile: Profile, _ tx: Transaction) throws -> Bool {
        guard showsProfile(member) else { return false }
        var own = self.profile
        own.copyNamesAndImage(profile)
        guard own != self.profile else { return false }
        try replaceProfile(own, tx)
        return true
    }
}

extension GroupRecord {
    /// Sends the profile of the group to the members. In a business conversation, sends only the preferences, since the
    /// two sides show different profiles. Members with older programs receive the preferences together with the profile
    /// of the business.
    func sendProfile(_ id: SharedMessageID, _ tx: Transaction) throws {
        guard let businessInfo else {
            let event = GroupEvent.info(try JSONEncoder().encodeValue(profile))
            return try tx.enqueue(ChatMessage(sharedID: id, event: .group(event)), to: Recipients(of: self, tx.db))
        }
        let members = try MemberRecord.findOthers(in: self, tx.db).filter { $0.status.isCurrent }
        let preferences = profile.groupPreferences ?? .business
        let older = members.filter { $0.versions.maximum < ChatVersionRange.businessPreferencesVersion }
        if !older.isEmpty,
            let side = businessInfo.businessId == membership.sharedID.text
                ? membership : members.first(where: { $0.sharedID.text == businessInfo.businessId })
        {
            var shown = GroupProfile(business: side.profile, preferences)
            shown.description = profile.description
            let event = GroupEvent.info(try JSONEncoder().encodeValue(shown))
            try tx.enqueue(
                ChatMessage(sharedID: .random(), event: .group(event)),
                to: Recipients(members: older, tx.db)
            )
        }
        let event = GroupEvent.preferences(try JSONEncoder().encodeValue(preferences))
        let newer = members.filter { $0.versions.maximum >= ChatVersionRange.businessPreferencesVersion }
        try tx.enqueue(ChatMessage(sharedID: id, event: .group(event)), to: Recipients(members: newer, tx.db))
    }
}

extension GroupProfile {
    /// Creates the group profile of a business conversation: it has the names and the picture of one side's profile.
    init(business profile: Profile, _ preferences: GroupPreferences) {
        self.init(displayName: "", fullName: "", groupPreferences: preferences)
        copyNamesAndImage(profile)
    }

    mutating func copyNamesAndImage(_ profile: Profile) {
        displayName = profile.displayName
        fullName = profile.fullName
        shortDescr = profile.shortDescr
        image = profile.image
    }
}

extension GroupPreferences {
    /// Creates the preferences of a business conversation from the features that the business allows its contacts. A
    /// business without preferences gets the default preferences, by which only moderators can fully delete messages.
    init(business preferences: Preferences?) {
        self = .business
        guard let preferences else { return }
        timedMessages = TimedMessagesGroupPreference(
            enable: Self.enabledState(preferences.timedMessages?.allow, .off),
            ttl: preferences.timedMessages?.ttl
        )
        fullDelete = GroupPreference(enable: Self.enabledState(preferences.fullDelete?.allow, .off))
        reactions = GroupPreference(enable: Self.enabledState(preferences.reactions?.allow, .on))
        voice = RoleGroupPreference(enable: Self.enabledState(preferences.voice?.allow, .off))
        files = RoleGroupPreference(enable: Self.enabledState(preferences.files?.allow, .on))
        sessions = RoleGroupPreference(enable: Self.enabledState(preferences.sessions?.allow, .off))
        commands = preferences.commands
    }

    /// Default preferences of a business conversation, used while the preferences of the business are unknown.
    static let business = GroupPreferences(
        timedMessages: TimedMessagesGroupPreference(enable: .off),
        directMessages: RoleGroupPreference(enable: .off),
        fullDelete: GroupPreference(enable: .on, role: .moderator),
        reactions: GroupPreference(enable: .on),
        voice: RoleGroupPreference(enable: .off),
        files: RoleGroupPreference(enable: .on),
        simplexLinks: RoleGroupPreference(enable: .on),
        reports: GroupPreference(enable: .off),
        history: GroupPreference(enable: .on),
        support: SupportGroupPreference(enable: .on),
        sessions: RoleGroupPreference(enable: .on),
        comments: CommentsGroupPreference(enable: .off)
    )

    private static func enabledState(
        _ allowed: FeatureAllowed?,
        _ otherwise: GroupFeatureEnabled
    ) -> GroupFeatureEnabled {
        guard let allowed else { return otherwise }
        return allowed == .no ? .off : .on
    }
}
