internal import ChatAPI
internal import ChatStore
internal import SMP
internal import SQLCipher

/// A check of the SimpleX name of a contact or of a group: whether the name leads to the link of the chat.
struct DomainCheck: Hashable, Sendable {
    let domain: NameDomain
    let isVerified: Bool

    init(_ domain: NameDomain, isVerified: Bool) {
        self.domain = domain
        self.isVerified = isVerified
    }

    /// Reads a check from the row of a contact or of a group; nil if no name was checked. The columns have the same
    /// names in both rows.
    init?(_ row: Row) throws {
        guard let text = try row.stringOrNil("checked_domain"), let domain = try? NameDomain(parsing: text.utf8) else {
            return nil
        }
        self.domain = domain
        isVerified = try row.int64OrNil("domain_verified") == 1
    }

    /// Returns the result of the check for the name that a profile claims now. Returns nil if the check was made for
    /// another name, or if the profile claims no valid name.
    func verificationResult(for claim: SimplexDomainClaim?) -> Bool? { claim?.name == domain ? isVerified : nil }

    func store(in contact: ContactRecord, _ tx: Transaction) throws {
        try tx.db.update(
            "contacts",
            set: ["checked_domain": domain.text, "domain_verified": isVerified],
            where: ["user_id": contact.userId, "contact_id": contact.contactId]
        )
    }

    func store(in group: GroupRecord, _ tx: Transaction) throws {
        try tx.db.update(
            "groups",
            set: ["checked_domain": domain.text, "domain_verified": isVerified],
            where: ["user_id": group.userId, "group_id": group.groupId]
        )
    }
}

extension ContactRecord {
    /// Forgets the result of a check if the profile of the contact claims another name now, or none. A name that the
    /// contact claims again later is checked again, since another person may have got the name.
    mutating func forgetOutdatedDomainCheck(_ tx: Transaction) throws {
        guard let check = domainCheck, check.domain != profile.contactDomain?.name else { return }
        try tx.db.update(
            "contacts",
            set: ["checked_domain": nil, "domain_verified": nil],
            where: ["user_id": userId, "contact_id": contactId]
        )
        domainCheck = nil
    }

    /// Finds the active contacts whose claim of the name was verified.
    static func findVerified(_ name: NameDomain, user: UserRecord, in db: StoreConnection) throws -> [ContactRecord] {
        try db.query(
            """
            SELECT contact_id FROM contacts
            WHERE user_id = :user_id AND checked_domain = :checked_domain AND domain_verified = 1
            ORDER BY contact_id DESC
            """,
            ["user_id": user.userId, "checked_domain": name.text]
        ).compactMap { try find($0.int64("contact_id"), user: user.userId, in: db) }.filter {
            $0.isActive && $0.profile.contactDomain?.name == name
        }
    }
}

extension GroupRecord {
    /// Forgets the result of a check if the group claims another name now, or none.
    mutating func forgetOutdatedDomainCheck(_ tx: Transaction) throws {
        guard let check = domainCheck, check.domain != domainClaim?.name else { return }
        try tx.db.update(
            "groups",
            set: ["checked_domain": nil, "domain_verified": nil],
            where: ["user_id": userId, "group_id": groupId]
        )
        domainCheck = nil
    }

    /// Finds the groups whose claim of the name was verified, without groups that the user has left.
    static func findVerified(_ name: NameDomain, user: UserRecord, in db: StoreConnection) throws -> [GroupRecord] {
        try db.query(
            """
            SELECT group_id FROM groups
            WHERE user_id = :user_id AND checked_domain = :checked_domain AND domain_verified = 1
            ORDER BY group_id DESC
            """,
            ["user_id": user.userId, "checked_domain": name.text]
        ).compactMap { try find($0.int64("group_id"), user: user.userId, in: db) }.filter {
            !$0.membership.status.isRemoved && $0.domainClaim?.name == name
        }
    }
}
