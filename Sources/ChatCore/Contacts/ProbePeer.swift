internal import ChatAPI
internal import ChatStore
internal import SQLCipher

/// A contact or a group member who sends or receives probes: messages that detect two peers who are the same person.
enum ProbePeer {
    case contact(ContactRecord)
    case member(MemberRecord, in: GroupRecord)

    var userId: Int64 {
        switch self {
        case .contact(let contact): contact.userId
        case .member(let member, _): member.userId
        }
    }

    /// Whether the peer knows the user by an incognito profile. The peer must not learn to which user the profile
    /// belongs.
    var isIncognito: Bool {
        switch self {
        case .contact(let contact): contact.isIncognito
        case .member(_, let group): group.membership.incognitoProfileId != nil
        }
    }

    var profile: Profile {
        switch self {
        case .contact(let contact): contact.profile
        case .member(let member, _): member.profile
        }
    }

    /// The connection for messages to the peer; nil when no message can be sent.
    var connection: ConnectionRecord? {
        switch self {
        case .contact(let contact): contact.isActive && contact.connection?.canSend == true ? contact.connection : nil
        case .member(let member, _): member.status.isCurrent && member.isReachable ? member.connection : nil
        }
    }

    /// The values of the columns `contact_id` and `group_member_id` that name the peer. One of the two values is nil.
    var columnValues: (contactId: Int64?, memberId: Int64?) {
        switch self {
        case .contact(let contact): (contact.contactId, nil)
        case .member(let member, _): (nil, member.memberId)
        }
    }

    /// The SQL condition that selects the peer's rows in a table with the columns `contact_id` and `group_member_id`.
    /// The parameter `:peer_id` is the id.
    var rowCondition: (sql: String, id: Int64) {
        switch self {
        case .contact(let contact): ("contact_id = :peer_id", contact.contactId)
        case .member(let member, _): ("group_member_id = :peer_id", member.memberId)
        }
    }

    /// Finds the contact or member whose id the row contains in the column `contact_id` or `group_member_id`.
    static func find(_ row: Row, user: UserRecord, in db: StoreConnection) throws -> ProbePeer? {
        if let id = try row.int64OrNil("contact_id") {
            return try ContactRecord.find(id, user: user.userId, in: db).map { .contact($0) }
        }
        guard let id = try row.int64OrNil("group_member_id"),
            let member = try MemberRecord.find(id, user: user.userId, in: db),
            let group = try GroupRecord.find(member.groupId, user: user.userId, in: db)
        else { return nil }
        return .member(member, in: group)
    }
}
