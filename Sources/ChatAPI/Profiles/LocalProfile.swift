/// A profile in the database, with the alias that only this side sees.
package struct LocalProfile: Codable, Hashable, Sendable {
    package var profileId: Int64?
    package var displayName: String
    package var fullName: String
    package var shortDescr: String?
    package var description: String?
    package var image: String?
    package var contactLink: String?
    package var preferences: Preferences?
    package var peerType: ChatPeerType?
    package var localBadge: LocalBadge?
    package var localAlias: String?
    package var contactDomain: SimplexDomainClaim?
    package var contactDomainVerified: Bool?

    package init(
        profileId: Int64? = nil,
        displayName: String,
        fullName: String,
        shortDescr: String? = nil,
        description: String? = nil,
        image: String? = nil,
        contactLink: String? = nil,
        preferences: Preferences? = nil,
        peerType: ChatPeerType? = nil,
        localBadge: LocalBadge? = nil,
        localAlias: String? = nil,
        contactDomain: SimplexDomainClaim? = nil,
        contactDomainVerified: Bool? = nil
    ) {
        self.profileId = profileId
        self.displayName = displayName
        self.fullName = fullName
        self.shortDescr = shortDescr
        self.description = description
        self.image = image
        self.contactLink = contactLink
        self.preferences = preferences
        self.peerType = peerType
        self.localBadge = localBadge
        self.localAlias = localAlias
        self.contactDomain = contactDomain
        self.contactDomainVerified = contactDomainVerified
    }
}
