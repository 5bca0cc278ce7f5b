/// The parts of a domain of a SimpleX name.
public struct SimplexDomain: Codable, Hashable, Sendable {
    public var nameTLD: SimplexTLD
    public var domain: String
    /// The labels before the domain, from the parent to the child: `["b", "a"]` in `a.b.alice.simplex`.
    public var subDomain: [String]

    public init(nameTLD: SimplexTLD, domain: String, subDomain: [String]) {
        self.nameTLD = nameTLD
        self.domain = domain
        self.subDomain = subDomain
    }

    /// The name as people write it: `alice.simplex`.
    public var text: String {
        (subDomain.reversed() + [domain] + (nameTLD == .web ? [] : [nameTLD.rawValue])).joined(separator: ".")
    }
}

/// A domain that a profile claims to own, with the proof if there is one.
public struct SimplexDomainClaim: Codable, Hashable, Sendable {
    public var domain: String
    public var proof: SimplexDomainProof?

    public init(domain: String, proof: SimplexDomainProof? = nil) {
        self.domain = domain
        self.proof = proof
    }
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

    public init(nameType: SimplexNameType, nameDomain: SimplexDomain) {
        self.nameType = nameType
        self.nameDomain = nameDomain
    }
}
