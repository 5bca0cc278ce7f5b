/// A stored profile, with the alias that only this side sees.
public struct LocalProfile: Codable, Hashable, Sendable {
    public var profileId: Int64?
    public var displayName: String
    public var fullName: String
    public var shortDescr: String?
    public var description: String?
    public var image: String?
    public var contactLink: String?
    public var preferences: Preferences?
    public var peerType: ChatPeerType?
    public var localBadge: LocalBadge?
    public var localAlias: String?
    public var contactDomain: SimplexDomainClaim?
    public var contactDomainVerified: Bool?

    public init(
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
