internal import ChatAPI
internal import ChatText
internal import SimpleXCrypto

extension Profile {
    /// Replaces values of a peer's profile that clients cannot show, before the profile is stored: the display name,
    /// and the claim of a SimpleX name.
    mutating func replaceUnshowableValues() {
        displayName = DisplayName.makeShownPeerName(displayName)
        contactDomain = contactDomain?.normalized
    }
}

extension GroupProfile {
    /// Replaces values of a group's profile that clients cannot show: the display name, and the claim of a SimpleX
    /// name.
    mutating func replaceUnshowableValues() {
        displayName = DisplayName.makeShownPeerName(displayName)
        let access = publicGroup?.publicGroupAccess?.normalized
        publicGroup?.publicGroupAccess = access
    }
}

extension PublicGroupAccess {
    /// The settings with a normalized claim of a SimpleX name; nil if all settings have their defaults.
    var normalized: PublicGroupAccess? {
        var access = self
        access.groupDomainClaim = groupDomainClaim?.normalized
        return access == PublicGroupAccess(domainWebPage: false, allowEmbedding: false) ? nil : access
    }
}

extension SimplexDomainClaim {
    /// The claim with its name in lower case, and without a proof that cannot be decoded; nil for a malformed name.
    var normalized: SimplexDomainClaim? {
        guard let name else { return nil }
        return SimplexDomainClaim(domain: name.text, proof: proof.flatMap { $0.isDecodable ? $0 : nil })
    }
}

extension SimplexDomainProof {
    fileprivate var isDecodable: Bool {
        ([signature] + (linkOwnerId.map { [$0] } ?? [])).allSatisfy { (try? Base64URL.decode($0)) != nil }
    }
}
