public import JSON

// Nearly every response and event contains its user and contact, mostly unchanged since the last one.

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
    /// Clears the caches; called when the database is locked.
    public static func forget() {
        User.recentTexts.forget()
        Contact.recentTexts.forget()
        LocalProfile.recentTexts.forget()
        ContactUserPreferences.recentTexts.forget()
        Connection.recentTexts.forget()
    }

    /// Ids are unique only in a store or for a user, so the key also contains a text that rarely is the same for two of
    /// them.
    static func key(_ id: Int64, _ text: String) -> Int {
        var hasher = Hasher()
        hasher.combine(id)
        hasher.combine(text)
        return hasher.finalize()
    }
}
