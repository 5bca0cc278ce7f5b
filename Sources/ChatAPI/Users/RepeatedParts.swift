package import JSON

// Nearly every response and event contains its user and contact. Most of these values equal the values in the previous
// response or event, so their JSON is cached.

extension RecentTexts {
    /// Makes the cache of the parts that responses and events repeat: users, contacts, profiles, preferences and
    /// connections.
    package static func makeForResponses() -> RecentTexts {
        RecentTexts(of: [User.self, Contact.self, LocalProfile.self, ContactUserPreferences.self, Connection.self])
    }
}

/// The key of a value in a cache of JSON texts. The id alone is not unique, because values of several users are in the
/// cache. So the key also contains a text, such as a name, that rarely is the same for two values.
package struct RepeatedPartKey: Hashable, Sendable {
    let id: Int64
    let distinguishingText: String
}

extension User: RepeatedJSON {
    package var textCacheKey: RepeatedPartKey { RepeatedPartKey(id: userId, distinguishingText: localDisplayName) }
}

extension Contact: RepeatedJSON {
    package var textCacheKey: RepeatedPartKey { RepeatedPartKey(id: contactId, distinguishingText: createdAt) }
}

extension LocalProfile: RepeatedJSON {
    package var textCacheKey: RepeatedPartKey { RepeatedPartKey(id: profileId ?? 0, distinguishingText: displayName) }
}

extension ContactUserPreferences: RepeatedJSON {}

extension Connection: RepeatedJSON {
    package var textCacheKey: RepeatedPartKey { RepeatedPartKey(id: connId, distinguishingText: agentConnId) }
}
