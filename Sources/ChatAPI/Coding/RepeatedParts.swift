public import JSON

// Nearly every answer and event names its user and contact, and most of what that says has not changed since the last one.

extension User: RepeatedJSON {
    public static let recentTexts = RecentTexts<User>()
    public var recentKey: Int { RepeatedParts.key(userId, localDisplayName) }
}

extension Contact: RepeatedJSON {
    public static let recentTexts = RecentTexts<Contact>()
    public var recentKey: Int { RepeatedParts.key(contactId, createdAt) }
}

extension LocalProfile: RepeatedJSON {
    public static let recentTexts = RecentTexts<LocalProfile>()
    public var recentKey: Int { RepeatedParts.key(profileId ?? 0, displayName) }
}

extension ContactUserPreferences: RepeatedJSON {
    public static let recentTexts = RecentTexts<ContactUserPreferences>()
}

extension Connection: RepeatedJSON {
    public static let recentTexts = RecentTexts<Connection>()
    public var recentKey: Int { RepeatedParts.key(connId, agentConnId) }
}

public enum RepeatedParts {
    /// Leaves nothing of what was told, when what it is of is locked.
    public static func forget() {
        User.recentTexts.forget()
        Contact.recentTexts.forget()
        LocalProfile.recentTexts.forget()
        ContactUserPreferences.recentTexts.forget()
        Connection.recentTexts.forget()
    }

    /// Ids count per store or per user: beside an id stands what is hardly the same for two of them.
    static func key(_ id: Int64, _ text: String) -> Int {
        var hasher = Hasher()
        hasher.combine(id)
        hasher.combine(text)
        return hasher.finalize()
    }
}
