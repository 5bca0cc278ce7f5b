internal import ChatAPI
internal import ChatStore

extension UserRecord {
    /// Returns the profile to send over a connection: the incognito profile of the connection, or the profile of the
    /// user.
    func profileToSend(
        over connection: ConnectionRecord,
        preferences: Preferences? = nil,
        fallsBackToTTL: Bool = true,
        in db: StoreConnection
    ) throws -> Profile {
        let incognito = try IncognitoProfile.find(connection.incognitoProfileId, in: db)
        return profileToSend(incognito: incognito, preferences: preferences, fallsBackToTTL: fallsBackToTTL)
    }

    /// Returns the profile to send over a connection. The profile has the user's badge if it is not an incognito
    /// profile.
    func profileWithBadge(
        over connection: ConnectionRecord,
        preferences: Preferences? = nil,
        in db: StoreConnection
    ) throws -> Profile {
        let profile = try profileToSend(over: connection, preferences: preferences, in: db)
        return connection.incognitoProfileId == nil ? profileWithNewProof(profile) : profile
    }
}
