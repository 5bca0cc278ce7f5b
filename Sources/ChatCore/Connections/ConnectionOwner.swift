internal import Agent
internal import ChatAPI
internal import SQLCipher

/// Whose connection it is. Another kind of peer is another case here: the compiler then lists what it needs.
enum ConnectionOwner: Hashable, Sendable {
    /// Nobody's yet: the profile of the peer has not come.
    case pending
    case contact(Int64)
    /// A member of a group, with whom the user need not be in contact otherwise.
    case member(Int64)
    /// The user's address, over whose connection requests come.
    case address(Int64)

    static let columns = "cn.contact_id AS cn_contact_id, cn.group_member_id AS cn_group_member_id"

    init(_ row: Row) throws {
        self =
            try row.int64OrNil("cn_contact_id").map(ConnectionOwner.contact) ?? row.int64OrNil("cn_group_member_id").map(ConnectionOwner.member)
            ?? .pending
    }

    /// What the column of contacts holds.
    var contactId: Int64? {
        switch self {
        case .contact(let id): id
        case .pending, .member, .address: nil
        }
    }

    /// What the column of members holds.
    var memberId: Int64? {
        switch self {
        case .member(let id): id
        case .pending, .contact, .address: nil
        }
    }
}

/// As the API shows it.
extension ConnectionOwner {
    var connType: ConnType {
        switch self {
        case .pending, .contact: .contact
        case .member: .member
        case .address: .user_contact
        }
    }

    var entityId: Int64? {
        switch self {
        case .pending: nil
        case .contact(let id), .member(let id), .address(let id): id
        }
    }
}

/// A connection with its user and its owner. It is read once for an event of the agent, and passed on.
struct ConnectionPeer: Sendable {
    let user: UserRecord
    private(set) var connection: ConnectionRecord
    /// The contact that the connection is of, with the connection over which messages go to it; nil while the peer is not known.
    private(set) var contact: ContactRecord?
    /// The member of a group that the connection is of.
    private(set) var member: GroupMembership?

    init?(_ connection: ConnectionRecord?, in db: StoreConnection) throws {
        guard let connection, let user = try UserRecord.find(connection.userId, in: db) else { return nil }
        self.user = user
        self.connection = connection
        switch connection.owner {
        case .contact(let id): contact = try ContactRecord.find(id, user: user.userId, in: db)
        case .member(let id): member = try GroupMembership.find(id, over: connection, user, in: db)
        case .pending, .address: break
        }
    }

    static func find(agent id: ConnectionID, in db: StoreConnection) throws -> ConnectionPeer? {
        try ConnectionPeer(ConnectionRecord.find(agent: id, in: db), in: db)
    }

    static func find(_ connectionId: Int64, in db: StoreConnection) throws -> ConnectionPeer? {
        try ConnectionPeer(ConnectionRecord.find(connectionId, in: db), in: db)
    }

    /// The chat in which its messages are.
    var chat: (any Conversation)? { contact ?? member?.group }

    /// Changes the connection, also as the contact shows it.
    mutating func update(_ change: (inout ConnectionRecord) throws -> Void) rethrows {
        try change(&connection)
        if contact?.connection?.connectionId == connection.connectionId { contact?.connection = connection }
        member?.member.connection = connection
    }

    /// The connection as events name it. It may be another than the one that the contact shows.
    var entity: ConnectionEntity {
        if let member {
            return .rcvGroupMsgConnection(entityConnection: connection.api, groupInfo: member.group.api(user), groupMember: member.member.api(user))
        }
        return .rcvDirectMsgConnection(entityConnection: connection.api, contact: contact?.api(user))
    }
}

/// A member, with the group.
struct GroupMembership: Sendable {
    var group: GroupRecord
    var member: MemberRecord

    static func find(_ memberId: Int64, over connection: ConnectionRecord, _ user: UserRecord, in db: StoreConnection) throws -> GroupMembership? {
        guard var member = try MemberRecord.find(memberId, user: user.userId, in: db),
            let group = try GroupRecord.find(member.groupId, user: user.userId, in: db)
        else { return nil }
        member.connection = connection
        return GroupMembership(group: group, member: member)
    }
}
