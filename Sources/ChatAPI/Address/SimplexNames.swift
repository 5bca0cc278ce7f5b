/// The parts of a domain of a SimpleX name.
public struct SimplexDomain: Codable, Hashable, Sendable {
    public var nameTLD: SimplexTLD
    public var domain: String
    public var subDomain: [String]
}

/// A domain that a profile claims to own, with the proof if there is one.
public struct SimplexDomainClaim: Codable, Hashable, Sendable {
    public var domain: String
    public var proof: SimplexDomainProof?
}

/// The signature by which the owner of a link proves the claim of a domain.
public struct SimplexDomainProof: Codable, Hashable, Sendable {
    public var linkOwnerId: String?
    public var presHeader: String
    public var signature: String
}

/// A SimpleX name: its type (contact or public group), and its domain.
public struct SimplexNameInfo: Codable, Hashable, Sendable {
    public var nameType: SimplexNameType
    public var nameDomain: SimplexDomain
}
