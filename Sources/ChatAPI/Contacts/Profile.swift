/// The data of a profile that peers see.
public struct Profile: Codable, Hashable, Sendable {
    public var displayName: String
    public var fullName: String
    public var shortDescr: String?
    public var description: String?
    public var image: String?
    public var contactLink: String?
    public var preferences: Preferences?
    public var peerType: ChatPeerType?
    public var badge: BadgeProof?
    public var contactDomain: SimplexDomainClaim?

    public init(
        displayName: String,
        fullName: String,
        shortDescr: String? = nil,
        description: String? = nil,
        image: String? = nil,
        contactLink: String? = nil,
        preferences: Preferences? = nil,
        peerType: ChatPeerType? = nil,
        badge: BadgeProof? = nil,
        contactDomain: SimplexDomainClaim? = nil
    ) {
        self.displayName = displayName
        self.fullName = fullName
        self.shortDescr = shortDescr
        self.description = description
        self.image = image
        self.contactLink = contactLink
        self.preferences = preferences
        self.peerType = peerType
        self.badge = badge
        self.contactDomain = contactDomain
    }
}
