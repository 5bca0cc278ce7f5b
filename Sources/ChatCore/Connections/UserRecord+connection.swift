internal import ChatAPI
internal import ChatStore

extension UserRecord {
    /// The profile that is sent over a connection: the incognito profile of the connection, or the profile of the user.
    func profileToSend(
        over connection: ConnectionRecord,
        preferences: Preferences? = nil,
        fallsBackToTTL: Bool = true,
        in db: StoreConnection
    ) throws -> Profile {
        let incognito = try IncognitoProfile.find(connection.incognitoProfileId, in: db)
        return profileToSend(incognito: incognito, preferences: preferences, fallsBackToTTL: fallsBackToTTL)
    }

    /// The profile that is sent over a connection, with the user's badge unless the connection is incognito.
    func profileWithBadge(
        over connection: ConnectionRecord,
        preferences: Preferences? = nil,
        in db: StoreConnection
    ) throws -> Profile {
        let profile = try profileToSend(over: connection, preferences: preferences, in: db)
        return connection.incognitoProfileId == nil ? profileWithNewProof(profile) : profile
    }
}
