internal import Agent
internal import ChatAPI
internal import ChatStore
internal import SQLCipher

/// The owner of a connection. A new kind of peer needs a new case, so that the compiler lists the places that must
/// handle the new kind.
enum ConnectionOwner: Hashable, Sendable {
    /// No owner yet: the profile of the peer was not received.
    case pending
    case contact(Int64)
    /// A member of a group, who need not be a contact of the user.
    case member(Int64)
    /// The user's address. Contact requests arrive over its connection.
    case address(Int64)

    static let columns = "cn.contact_id AS cn_contact_id, cn.group_member_id AS cn_group_member_id"

    init(_ row: Row) throws {
        self =
            try row.int64OrNil("cn_contact_id").map(ConnectionOwner.contact) ?? row.int64OrNil("cn_group_member_id")
            .map(ConnectionOwner.member)
            ?? .pending
    }

    /// The value of the column `contact_id`.
    var contactId: Int64? {
        switch self {
        case .contact(let id): id
        case .pending, .member, .address: nil
        }
    }

    /// The value of the column `group_member_id`.
    var memberId: Int64? {
        switch self {
        case .member(let id): id
        case .pending, .contact, .address: nil
        }
    }
}

/// The owner in the form of the API.
extension ConnectionOwner {
    var connType: ConnType {
        switch self {
        case .pending, .contact: .contact
        case .member: .member
        case .address: .user_contact
        }
    }

    var ownerId: Int64? {
        switch self {
        case .pending: nil
        case .contact(let id), .member(let id), .address(let id): id
        }
    }
}

/// A member with its group.
struct GroupMembership: Sendable {
    var group: GroupRecord
    var member: MemberRecord

    static func find(
        _ memberId: Int64,
        over connection: ConnectionRecord,
        _ user: UserRecord,
        in db: StoreConnection
    ) throws -> GroupMembership? {
        guard var member = try MemberRecord.find(memberId, user: user.userId, in: db),
            let group = try GroupRecord.find(member.groupId, user: user.userId, in: db)
        else { return nil }
        member.connection = connection
        return GroupMembership(group: group, member: member)
    }
}
