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

/// A connection with its user and its owner. The handler of an agent event reads this value once from the database.
struct ConnectionPeer: Sendable {
    let user: UserRecord
    private(set) var connection: ConnectionRecord
    /// The contact that owns the connection; nil for other owners, and while the peer is not known. The contact
    /// contains the connection for messages to the contact, which may be another connection.
    private(set) var contact: ContactRecord?
    /// The member of a group that owns the connection.
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

    /// The chat with the messages of the connection.
    var chat: (any Conversation)? { contact ?? member?.group }

    /// Changes the connection, and the copies of the connection in the contact and in the member.
    mutating func updateConnection(_ change: (inout ConnectionRecord) throws -> Void) rethrows {
        try change(&connection)
        if contact?.connection?.connectionId == connection.connectionId { contact?.connection = connection }
        member?.member.connection = connection
    }

    /// The connection in the form of events. This connection can differ from the connection that the contact shows.
    var entity: ConnectionEntity {
        if let member {
            return .rcvGroupMsgConnection(
                entityConnection: connection.api,
                groupInfo: member.group.api(user),
                groupMember: member.member.api(user)
            )
        }
        return .rcvDirectMsgConnection(entityConnection: connection.api, contact: contact?.api(user))
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
