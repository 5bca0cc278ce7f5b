internal import ChatAPI
internal import JSON
internal import SQLCipher

/// Conversations of a customer with a business: groups that show each side the other one. The business' side can add colleagues.
///
/// simplex-chat `docs/protocol/simplex-chat.md`; the fields are those of `BusinessChatInfo`.
enum BusinessChats {
    /// Which side the group shows, with the ids of both as members (JSON).
    static let migration = Migration(name: "20261123_business_chats", up: "ALTER TABLE groups ADD COLUMN business TEXT;")

    static let requests = Migration(name: "20261123_business_requests", up: BusinessRequests.schema)

    /// - Throws: what decoding throws, and `invalidMessage` for a side that there is not.
    static func info(_ json: JSONValue?) throws -> BusinessChatInfo? {
        guard let json else { return nil }
        let info = try JSONDecoder().decode(BusinessChatInfo.self, from: json)
        guard BusinessChatType.known.contains(info.chatType) else {
            throw ChatProtocolError.invalidMessage(reason: "business.chatType: unknown side")
        }
        return info
    }
}

extension GroupRecord {
    mutating func setBusiness(_ info: BusinessChatInfo, _ tx: Transaction) throws {
        business = info
        try tx.db.execute(
            "UPDATE groups SET business = ? WHERE user_id = ? AND group_id = ?", [try StoredJSON.encode(info), userId, groupId])
    }

    /// Whether the group shows this member.
    func shows(_ member: MemberRecord) -> Bool {
        switch business?.chatType {
        case .business: business?.businessId == member.sharedID.text
        case .customer: business?.customerId == member.sharedID.text
        default: false
        }
    }

    /// Whether the member is the customer, who has read the conversation from its beginning.
    func isCustomer(_ member: MemberRecord) -> Bool { business?.chatType == .customer && business?.customerId == member.sharedID.text }

    /// Takes over the name and the picture of the member that the group shows.
    /// - Returns: whether the group has changed.
    mutating func follow(_ member: MemberRecord, _ profile: Profile, _ tx: Transaction) throws -> Bool {
        guard shows(member) else { return false }
        var own = self.profile
        own.show(profile)
        guard own != self.profile else { return false }
        try replace(own, tx)
        return true
    }
}

extension GroupRecord {
    /// Sends the profile to the members; in a conversation with a business only the preferences, for each side shows another profile.
    func sendProfile(_ id: SharedMessageID, _ tx: Transaction) throws {
        guard let business else {
            let event = GroupEvent.info(try JSONEncoder().encodeValue(profile))
            return try tx.enqueue(ChatMessage(sharedID: id, event: .group(event)), to: Recipients(of: self, tx.db))
        }
        let members = try MemberRecord.others(in: self, tx.db).filter { $0.status.isCurrent }
        let preferences = profile.groupPreferences ?? .business
        let older = members.filter { $0.versions.maximum < ChatVersionRange.businessPreferences }
        if !older.isEmpty, let side = business.businessId == membership.sharedID.text ? membership : members.first(where: { $0.sharedID.text == business.businessId }) {
            var shown = GroupProfile(business: side.profile, preferences)
            shown.description = profile.description
            let event = GroupEvent.info(try JSONEncoder().encodeValue(shown))
            try tx.enqueue(ChatMessage(sharedID: .random(), event: .group(event)), to: Recipients(members: older))
        }
        let event = GroupEvent.preferences(try JSONEncoder().encodeValue(preferences))
        let newer = members.filter { $0.versions.maximum >= ChatVersionRange.businessPreferences }
        try tx.enqueue(ChatMessage(sharedID: id, event: .group(event)), to: Recipients(members: newer))
    }
}

extension GroupProfile {
    /// The profile of a conversation with whom this is the profile of.
    init(business profile: Profile, _ preferences: GroupPreferences) {
        self.init(displayName: "", fullName: "", groupPreferences: preferences)
        show(profile)
    }

    mutating func show(_ profile: Profile) {
        displayName = profile.displayName
        fullName = profile.fullName
        shortDescr = profile.shortDescr
        image = profile.image
    }
}

extension GroupPreferences {
    /// The preferences of a conversation with a business: what the business allows its contacts. Full deletion is for moderators unless it is allowed.
    init(business preferences: Preferences?) {
        self = .business
        guard let preferences else { return }
        timedMessages = TimedMessagesGroupPreference(
            enable: Self.enabled(preferences.timedMessages?.allow, .off), ttl: preferences.timedMessages?.ttl)
        fullDelete = GroupPreference(enable: Self.enabled(preferences.fullDelete?.allow, .off))
        reactions = GroupPreference(enable: Self.enabled(preferences.reactions?.allow, .on))
        voice = RoleGroupPreference(enable: Self.enabled(preferences.voice?.allow, .off))
        files = RoleGroupPreference(enable: Self.enabled(preferences.files?.allow, .on))
        sessions = RoleGroupPreference(enable: Self.enabled(preferences.sessions?.allow, .off))
        commands = preferences.commands
    }

    /// The preferences of a business that are assumed as long as its own are unknown.
    static let business = GroupPreferences(
        timedMessages: TimedMessagesGroupPreference(enable: .off), directMessages: RoleGroupPreference(enable: .off),
        fullDelete: GroupPreference(enable: .on, role: .moderator), reactions: GroupPreference(enable: .on), voice: RoleGroupPreference(enable: .off),
        files: RoleGroupPreference(enable: .on), simplexLinks: RoleGroupPreference(enable: .on), reports: GroupPreference(enable: .off),
        history: GroupPreference(enable: .on), support: SupportGroupPreference(enable: .on), sessions: RoleGroupPreference(enable: .on),
        comments: CommentsGroupPreference(enable: .off))

    private static func enabled(_ allowed: FeatureAllowed?, _ otherwise: GroupFeatureEnabled) -> GroupFeatureEnabled {
        guard let allowed else { return otherwise }
        return allowed == .no ? .off : .on
    }
}
