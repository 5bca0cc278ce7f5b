/// The domain in a SimpleX name, split into its parts.
package struct SimplexDomain: Codable, Hashable, Sendable {
    package var nameTLD: SimplexTLD
    package var domain: String
    /// The labels before the domain, from the parent to the child: `["b", "a"]` in `a.b.alice.simplex`.
    package var subDomain: [String]

    package init(nameTLD: SimplexTLD, domain: String, subDomain: [String]) {
        self.nameTLD = nameTLD
        self.domain = domain
        self.subDomain = subDomain
    }

    /// The name as people write it: `alice.simplex`.
    package var text: String {
        (subDomain.reversed() + [domain] + (nameTLD == .web ? [] : [nameTLD.rawValue])).joined(separator: ".")
    }
}

/// A domain that a profile claims to own, with the proof if there is one.
package struct SimplexDomainClaim: Codable, Hashable, Sendable {
    package var domain: String
    package var proof: SimplexDomainProof?

    package init(domain: String, proof: SimplexDomainProof? = nil) {
        self.domain = domain
        self.proof = proof
    }
}

/// The signature by which the owner of a link proves that a profile may claim a domain.
package struct SimplexDomainProof: Codable, Hashable, Sendable {
    package var linkOwnerId: String?
    package var presHeader: String
    package var signature: String
}

/// A SimpleX name: its type (contact or public group), and its domain.
package struct SimplexNameInfo: Codable, Hashable, Sendable {
    package var nameType: SimplexNameType
    package var nameDomain: SimplexDomain

    package init(nameType: SimplexNameType, nameDomain: SimplexDomain) {
        self.nameType = nameType
        self.nameDomain = nameDomain
    }
}

/// The type of a SimpleX name: a contact, or a public group.
package struct SimplexNameType: OpenEnum {
    package let rawValue: String
    package init(rawValue: String) { self.rawValue = rawValue }

    package static let publicGroup = Self(rawValue: "publicGroup")
    package static let contact = Self(rawValue: "contact")

    package static let knownValues: Set<Self> = [.publicGroup, .contact]
}

/// The top-level domain of a SimpleX name.
package struct SimplexTLD: OpenEnum {
    package let rawValue: String
    package init(rawValue: String) { self.rawValue = rawValue }

    package static let simplex = Self(rawValue: "simplex")
    package static let testing = Self(rawValue: "testing")
    package static let web = Self(rawValue: "web")

    package static let knownValues: Set<Self> = [.simplex, .testing, .web]
}
