/// The data of a person's or bot's profile that peers see.
package struct Profile: Codable, Hashable, Sendable {
    package var displayName: String
    package var fullName: String
    package var shortDescr: String?
    package var description: String?
    package var image: String?
    package var contactLink: String?
    package var preferences: Preferences?
    package var peerType: ChatPeerType?
    package var badge: BadgeProof?
    package var contactDomain: SimplexDomainClaim?

    package init(
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
