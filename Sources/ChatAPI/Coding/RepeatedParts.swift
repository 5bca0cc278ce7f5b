public import JSON

// Nearly every response and event contains its user and contact. Most of the time they equal those in the previous
// response or event, so their JSON is cached.

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
    /// Clears the caches when the database is locked.
    public static func forget() {
        User.recentTexts.forget()
        Contact.recentTexts.forget()
        LocalProfile.recentTexts.forget()
        ContactUserPreferences.recentTexts.forget()
        Connection.recentTexts.forget()
    }

    /// Makes the key of a value in a cache. Ids are unique only within a store or a user, so the key also contains a
    /// text that is rarely the same for two values.
    static func key(_ id: Int64, _ text: String) -> Int {
        var hasher = Hasher()
        hasher.combine(id)
        hasher.combine(text)
        return hasher.finalize()
    }
}
