public import JSON

// Nearly every answer and event names its user and contact, and most of what that says has not changed since the last one.

extension User: RepeatedJSON {
    public static let recentTexts = RecentTexts<User>()
}

extension LocalProfile: RepeatedJSON {
    public static let recentTexts = RecentTexts<LocalProfile>()
}

extension ContactUserPreferences: RepeatedJSON {
    public static let recentTexts = RecentTexts<ContactUserPreferences>()
}

extension Connection: RepeatedJSON {
    public static let recentTexts = RecentTexts<Connection>()
}
