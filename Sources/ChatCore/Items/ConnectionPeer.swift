internal import Agent
internal import ChatAPI
internal import ChatStore
internal import SQLCipher

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

    /// The connection in the form that events contain. It can differ from the connection that the contact shows.
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
