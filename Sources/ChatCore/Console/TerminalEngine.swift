internal import ChatAPI
internal import ChatConsole
internal import ChatStore
internal import SQLCipher

/// The part of the core that the module of terminal commands uses to run one command.
struct TerminalEngine: ConsoleEngine {
    /// The running terminal command. This object also runs the commands with ids that carry out the terminal command.
    let terminalCommand: RunningCommand
    let rights: CommandRights

    func run(_ command: ChatCommand, as userId: Int64?) async throws -> ChatResponse {
        try await terminalCommand.run(command, as: userId, with: rights)
    }

    func findUser(_ userId: Int64?) async throws -> UserRecord { try await terminalCommand.findUser(userId) }

    func findId(of name: ConsoleName) async throws -> Int64? {
        try await terminalCommand.store.read { db in
            switch name {
            case .user(let name):
                let users = try Self.findUsers(named: name, db)
                return (users.first { !$0.isHidden } ?? users.first)?.userId
            case .hiddenUser(let name): return try Self.findUsers(named: name, db).first(where: \.isHidden)?.userId
            case .contact(let name, let userId):
                return try db.firstRow(
                    """
                    SELECT contact_id FROM contacts
                    WHERE user_id = :user_id AND local_display_name = :local_display_name
                    """,
                    ["user_id": userId, "local_display_name": name]
                )?.int64("contact_id")
            case .group(let name, let userId):
                return try db.firstRow(
                    "SELECT group_id FROM groups WHERE user_id = :user_id AND local_display_name = :local_display_name",
                    ["user_id": userId, "local_display_name": name]
                )?.int64("group_id")
            case .request(let name, let userId):
                return try db.firstRow(
                    """
                    SELECT r.contact_request_id AS id FROM contact_requests r
                    JOIN contacts c ON c.user_id = r.user_id AND c.contact_id = r.contact_id
                    WHERE r.user_id = :user_id AND c.local_display_name = :local_display_name ORDER BY id DESC LIMIT 1
                    """,
                    ["user_id": userId, "local_display_name": name]
                )?.int64("id")
            }
        }
    }

    /// Returns the users with this name. Hidden users can have the name of another user.
    private static func findUsers(named name: String, _ db: StoreConnection) throws -> [UserRecord] {
        try UserRecord.all(in: db).filter { UserNames.shownName($0.localDisplayName).utf8.elementsEqual(name.utf8) }
    }

    func readInfo(of chat: ChatRef, _ user: UserRecord) async throws -> ChatInfo {
        let key = try ChatKey(whole: chat)
        return try await terminalCommand.store.read { db in try key.getConversation(user, db).chatInfo(user) }
    }

    func findReachableContactIds(_ user: UserRecord) async throws -> [Int64] {
        try await terminalCommand.store.read { db in
            try ContactRecord.all(user: user.userId, in: db).filter { $0.isReady && $0.isActive && $0.isUsed }.map(
                \.contactId
            )
        }
    }

    func readOperators() async throws -> [ServerOperator] {
        try await terminalCommand.store.read { db in try ServerOperators.findAll(in: db) }
    }

    func readNetworkConfig() async throws -> NetworkConfig { try await terminalCommand.readNetworkConfig() }

    var teamAddress: String { ContactCard.teamAddress }
}

extension UserRecord: ConsoleUser {}

/// Access to members of groups for terminal commands.
extension TerminalEngine {
    func findMemberIds(of names: [String], in groupId: Int64, _ user: UserRecord) async throws -> [String: Int64] {
        try await terminalCommand.store.read { db in
            var members: [String: Int64] = [:]
            for name in names {
                members[name] = try db.firstRow(
                    """
                    SELECT group_member_id FROM group_members
                    WHERE user_id = :user_id AND group_id = :group_id AND local_display_name = :local_display_name
                    """,
                    ["user_id": user.userId, "group_id": groupId, "local_display_name": name]
                )?.int64("group_member_id")
            }
            return members
        }
    }

    func readMember(_ memberId: Int64, in groupId: Int64, _ user: UserRecord) async throws -> ConsoleMember {
        try await terminalCommand.store.read { db in
            let group = try GroupRecord.get(groupId, user: user, in: db)
            let member = try MemberRecord.get(memberId, in: group, db)
            return ConsoleMember(group: group.api(user), member: member.api(user))
        }
    }

    func findConnectedMembers(named name: String, _ user: UserRecord) async throws -> [ConsoleMember] {
        try await terminalCommand.store.read { db in
            let rows = try db.query(
                """
                SELECT group_member_id, group_id FROM group_members
                WHERE local_display_name = :local_display_name AND user_id = :user_id AND member_category != 'user'
                  AND member_status IN ('connected', 'complete')
                """,
                ["local_display_name": name, "user_id": user.userId]
            )
            let found = try rows.map { row in
                let group = try GroupRecord.get(row.int64("group_id"), user: user, in: db)
                return (group: group, member: try MemberRecord.get(row.int64("group_member_id"), in: group, db))
            }
            return found.sorted { $0.group.chatTs > $1.group.chatTs }.map { group, member in
                ConsoleMember(group: group.api(user), member: member.api)
            }
        }
    }

    func findContactOfMember(_ memberId: Int64, in groupId: Int64, _ user: UserRecord) async throws -> Int64? {
        let (group, member) = try await terminalCommand.store.read { db in
            let group = try GroupRecord.get(groupId, user: user, in: db)
            return (group, try MemberRecord.get(memberId, in: group, db))
        }
        if let contactId = member.contactId { return contactId }
        try await terminalCommand.store.write { tx in
            try tx.emit(
                .noMemberContactCreating(user: user.api, groupInfo: group.api(user), member: member.api),
                user: user.userId
            )
        }
        return nil
    }

    func listSupportChats(_ groupId: Int64, user: UserRecord) async throws -> ChatResponse {
        try await terminalCommand.listSupportChats(groupId, user: user)
    }
}
